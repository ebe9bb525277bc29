/** Starts a control plane, says on one line what belongs to it, and waits to be killed. Run by crash tests. */
import { type ControlPlaneOptions, startControlPlane } from './index.ts';

const options = JSON.parse(process.argv[2] ?? '{}') as ControlPlaneOptions;
const cluster = await startControlPlane(options);
const nodeName = options.realNode ? cluster.nodeName : undefined;
process.stdout.write(`${JSON.stringify({ nodeName, folder: cluster.folder, pids: Object.values(cluster.pids) })}\n`);
setInterval(() => {}, 1 << 30);
