/**
 * `node test/control-plane/serve.ts`: a control plane in the foreground until Ctrl-C. The kubeconfig's path is the only
 * line on standard output. `npm run control-plane -- --serve` does the same after building.
 */
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { ControlPlaneError, type ControlPlaneOptions, startControlPlane } from './index.ts';

const { values } = parseArgs({
  options: {
    serve: { type: 'boolean' },
    apt: { type: 'boolean' },
    'controller-manager': { type: 'boolean' },
    scheduler: { type: 'boolean' },
    nodes: { type: 'string', default: '0' },
    'real-node': { type: 'boolean', default: false },
    port: { type: 'string' },
    data: { type: 'string' },
  },
});

const options: ControlPlaneOptions = {
  ...(values['controller-manager'] ? { controllerManager: true } : {}),
  ...(values.scheduler ? { scheduler: true } : {}),
  ...(values.port === undefined ? {} : { port: Number(values.port) }),
  ...(values.data === undefined ? {} : { dataDir: values.data }),
  simulatedNodes: Number(values.nodes),
  realNode: values['real-node'],
};

try {
  const stop = Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)));
  await using cluster = await startControlPlane(options);
  process.stdout.write(`${cluster.adminKubeconfig}\n`);
  process.stderr.write(
    `${cluster.url} is up; logs are in ${cluster.folder}. Ctrl-C stops it and removes everything.\n`,
  );
  // Daemons do not keep us alive; this does.
  const alive = setInterval(() => {}, 1 << 30);
  await stop;
  clearInterval(alive);
} catch (error) {
  if (!(error instanceof ControlPlaneError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
