/** Our Kubernetes library beside @kubernetes/client-node and bare undici, on a real API server, in one run. */

import type { ControlPlane } from '../../test/control-plane/index.ts';
import type { Benchmark, Experiment, Run } from '../harness/definition.ts';
import { child } from './child.ts';
import type { Figures, Task } from './measured.process.ts';
import { fixtureNeed } from './needs.ts';
import type { Objects, SideName } from './sides.ts';
import { type Counts, openWorld } from './world.ts';

const PATCHED = 64;
const higher = (unit: string) => ({ unit, better: 'higher' }) as const;
const lower = (unit: string) => ({ unit, better: 'lower' }) as const;

export const benchmark: Benchmark = {
  title: 'The Kubernetes library',
  about: 'Writes, sync of many objects, watch events and an API-server restart, beside @kubernetes/client-node.',
  missing: fixtureNeed,
  async prepare(run) {
    const counts: Counts = run.quick
      ? { pods: 10_000, widgets: 20_000, configmaps: PATCHED }
      : { pods: 10_000, widgets: 50_000, configmaps: PATCHED };
    run.say('starting a control plane and filling it');
    const cluster = await openWorld(counts, run.say);
    return {
      settings: { ...counts, apiServer: '1.36, TLS, etcd without fsync', patchMs: patchMs(run) },
      experiments: [
        ...[1, 8, 32, 64].map((atOnce) => patches(cluster, run, atOnce)),
        sync(cluster, 'pods', counts.pods, 5),
        sync(cluster, 'widgets', counts.widgets, 20),
        watching(cluster),
        restart(cluster),
      ],
      close: () => cluster[Symbol.asyncDispose](),
    };
  },
};

const patchMs = (run: Run) => (run.quick ? 1000 : 2000);

function measure(cluster: ControlPlane, task: Task): (round: { signal: AbortSignal }) => Promise<Figures> {
  return ({ signal }) => child(task, cluster.adminKubeconfig, signal).figures;
}

function patches(cluster: ControlPlane, run: Run, atOnce: number): Experiment {
  const side = (name: SideName) =>
    measure(cluster, { do: 'patch', side: name, atOnce, ms: patchMs(run), names: PATCHED });
  return {
    name: `PATCH, ${atOnce} at once`,
    figures: { rate: higher('patches/s') },
    sides: { sandbank: side('sandbank'), 'client-node': side('client-node'), undici: side('undici') },
    bars:
      atOnce === 32
        ? [
            { figure: 'rate', side: 'sandbank', against: 'client-node', atLeast: 3 },
            { figure: 'rate', side: 'sandbank', against: 'undici', atLeast: 0.85 },
          ]
        : [],
  };
}

/** `smoother`: how many times shorter our longest stall must be. */
function sync(cluster: ControlPlane, objects: Objects, count: number, smoother: number): Experiment {
  const side = (name: SideName) => measure(cluster, { do: 'sync', side: name, objects, count });
  const isLarge = objects === 'widgets';
  return {
    name: `sync of ${count} ${objects === 'widgets' ? 'custom resources' : objects}`,
    rounds: 5,
    figures: {
      ms: lower('ms'),
      rate: higher('objects/s'),
      stall: { ...lower('ms'), note: 'longest hold of the event loop' },
      p999: { ...lower('ms'), note: 'event-loop delay' },
      rss: lower('MiB'),
    },
    sides: {
      sandbank: side('sandbank'),
      'client-node': side('client-node'),
      'idle loop': async ({ signal }) => {
        const { stall = 0, p999 = 0 } = await child({ do: 'idle', ms: 2000 }, cluster.adminKubeconfig, signal).figures;
        return { ms: 0, rate: 0, rss: 0, stall, p999 };
      },
    },
    bars: [
      ...(isLarge
        ? [{ figure: 'p999', side: 'sandbank', against: 'idle loop', atMost: 3 }]
        : [{ figure: 'rate', side: 'sandbank', against: 'client-node', atLeast: 2 }]),
      { figure: 'stall', side: 'sandbank', against: 'client-node', atMost: 1 / smoother },
    ],
  };
}

/** Events are made by a third process as fast as the API server takes them; what counts is the CPU that following them costs. */
function watching(cluster: ControlPlane): Experiment {
  const times = 20;
  const side =
    (name: SideName) =>
    async ({ signal }: { signal: AbortSignal }): Promise<Figures> => {
      const value = `watched-${Math.random()}`;
      const follower = child({ do: 'follow', side: name, names: PATCHED }, cluster.adminKubeconfig, signal);
      await follower.ready;
      follower.expect({ value, events: PATCHED * times });
      await child(
        { do: 'patch-all', side: 'undici', atOnce: 32, names: PATCHED, value, times },
        cluster.adminKubeconfig,
        signal,
      ).figures;
      const { perCpuSecond = 0, missed = 0, doubled = 0 } = await follower.figures;
      return { perCpuSecond, missed, doubled };
    };
  return {
    name: `watch of ${PATCHED * times} changes`,
    rounds: 5,
    figures: { perCpuSecond: higher('events per CPU second'), missed: lower('events'), doubled: lower('events') },
    sides: { sandbank: side('sandbank'), 'client-node': side('client-node') },
  };
}

/** Killed with SIGKILL, started again on the same data, then every object changes once. */
function restart(cluster: ControlPlane): Experiment {
  const side =
    (name: SideName) =>
    async ({ signal }: { signal: AbortSignal }): Promise<Figures> => {
      const value = `restarted-${Math.random()}`;
      const follower = child({ do: 'follow', side: name, names: PATCHED }, cluster.adminKubeconfig, signal);
      await follower.ready;
      await cluster.killApiServer('SIGKILL');
      await cluster.startApiServer();
      const from = performance.now();
      follower.expect({ value, events: PATCHED });
      await child(
        { do: 'patch-all', side: 'undici', atOnce: 8, names: PATCHED, value, times: 1 },
        cluster.adminKubeconfig,
        signal,
      ).figures;
      const { missed = 0, doubled = 0 } = await follower.figures;
      return { ms: performance.now() - from, missed, doubled };
    };
  return {
    name: 'API server killed and restarted',
    rounds: 5,
    figures: {
      ms: { ...lower('ms'), note: 'from ready again to a cache that has every change' },
      missed: lower('events'),
      doubled: lower('events'),
    },
    sides: { sandbank: side('sandbank'), 'client-node': side('client-node') },
  };
}
