import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../commands.ts';
import { Daemon } from '../process/daemon.ts';
import { environmentOf } from '../process/environment.ts';
import type { Watchdog } from '../process/watchdog.ts';
import type { Cage } from './cage.ts';
import { imageArchive, TEST_IMAGE } from './image.ts';
import type { NodeNetwork } from './network.ts';
import { CNI_FOLDER } from './requirements.ts';

export type Containerd = { readonly daemon: Daemon; readonly socket: string };

// Copies instead of overlays: the one image is small, and an overlay on the overlay of a CI container is refused.
const SNAPSHOTTER = 'native';

export async function startContainerd(
  folder: string,
  network: NodeNetwork,
  cage: Cage,
  watchdog: Watchdog,
): Promise<Containerd> {
  const home = join(folder, 'containerd');
  const socket = join(home, 'containerd.sock');
  const networks = join(home, 'net.d');
  mkdirSync(networks, { recursive: true });
  writeFileSync(join(networks, '10-pods.conflist'), JSON.stringify(podNetwork(network), undefined, 2));
  writeFileSync(join(home, 'config.toml'), configuration(home, socket, networks));
  const daemon = Daemon.start(
    { name: 'containerd', folder, ...cage.enter('containerd', ['--config', join(home, 'config.toml')]) },
    watchdog,
  );
  const ctr = (...args: string[]): Promise<string> =>
    run('ctr', ['--address', socket, ...args], { cwd: folder, env: environmentOf(watchdog.marker) });
  await daemon.ready(
    () =>
      ctr('version').then(
        () => true,
        () => false,
      ),
    20_000,
  );
  const archive = join(home, 'image.tar');
  writeFileSync(archive, imageArchive());
  await ctr('--namespace', 'k8s.io', 'images', 'import', '--snapshotter', SNAPSHOTTER, archive);
  return { daemon, socket };
}

function podNetwork(network: NodeNetwork): object {
  return {
    cniVersion: '1.0.0',
    name: 'pods',
    plugins: [
      {
        type: 'bridge',
        bridge: 'pods0',
        isGateway: true,
        ipMasq: false,
        ipam: {
          type: 'host-local',
          ranges: [[{ subnet: network.podSubnet, gateway: network.podGateway }]],
          routes: [{ dst: '0.0.0.0/0' }],
        },
      },
    ],
  };
}

/** TOML. Adjusting the score of the out-of-memory killer and loading AppArmor profiles are refused in many a container. */
function configuration(home: string, socket: string, networks: string): string {
  const cri = `plugins."io.containerd.grpc.v1.cri"`;
  return `version = 2
root = "${home}/root"
state = "${home}/state"
disabled_plugins = ["io.containerd.internal.v1.opt", "io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs"]
[grpc]
  address = "${socket}"
[${cri}]
  sandbox_image = "${TEST_IMAGE}"
  restrict_oom_score_adj = true
  disable_apparmor = true
  stream_server_address = "127.0.0.1"
  stream_server_port = "0"
  [${cri}.containerd]
    snapshotter = "${SNAPSHOTTER}"
    default_runtime_name = "runc"
    [${cri}.containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [${cri}.containerd.runtimes.runc.options]
        SystemdCgroup = false
  [${cri}.cni]
    bin_dir = "${CNI_FOLDER}"
    conf_dir = "${networks}"
`;
}
