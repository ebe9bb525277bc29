/** The suites of the repository, and what each needs beyond Node. One list for `npm test`, CI and the docs. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export type Need = { readonly ok: true } | { readonly ok: false; readonly reason: string; readonly remedy: string };

export interface Suite {
  readonly name: string;
  readonly about: string;
  /** A Vitest project, or a script that writes a summary to the file after `--json`. */
  readonly run: { readonly project: string } | { readonly script: string };
  readonly need: () => Promise<Need> | Need;
}

const MET: Need = { ok: true };
const root = new URL('..', import.meta.url);

/** Fixtures are asked themselves what they need; a fixture that is not in the tree is a need that is not met. */
async function fixture<T>(path: string, ask: (module: T) => Need | Promise<Need>): Promise<Need> {
  const url = new URL(path, root);
  if (!existsSync(fileURLToPath(url)))
    return { ok: false, reason: `${path} is missing`, remedy: 'check out the whole repository' };
  return ask((await import(url.href)) as T);
}

interface ControlPlaneModule {
  controlPlaneNeed(): Need | Promise<Need>;
  realNodeNeed(): Need | Promise<Need>;
}

const controlPlane = () =>
  fixture<ControlPlaneModule>('test/control-plane/needs.ts', (module) => module.controlPlaneNeed());
const realNode = () => fixture<ControlPlaneModule>('test/control-plane/needs.ts', (module) => module.realNodeNeed());

const world = () =>
  fixture<{ missingForWorlds(): string | undefined }>('test/runtime/world/world.ts', (module) => {
    const reason = module.missingForWorlds();
    return reason === undefined
      ? MET
      : { ok: false, reason, remedy: 'run as root on Linux, in a container or a VM if you like' };
  });

function python(): Need | Promise<Need> {
  const { status } = spawnSync('python3', ['-c', 'import venv, ensurepip'], { stdio: 'ignore' });
  return status === 0
    ? world()
    : { ok: false, reason: 'python3 with venv is not there', remedy: 'apt-get install python3 python3-venv' };
}

/** The tests themselves say clearly what failed; this only tells "offline" from "broken". */
function registry(): Need {
  const { status } = spawnSync('npm', ['ping', '--fetch-timeout=5000', '--fetch-retries=0'], { stdio: 'ignore' });
  return status === 0
    ? MET
    : { ok: false, reason: 'the npm registry does not answer', remedy: 'go online, or set a registry that does' };
}

export const suites: readonly Suite[] = [
  { name: 'unit', about: 'decisions, properties, packages in process', run: { project: 'unit' }, need: () => MET },
  {
    name: 'runtime',
    about: 'our daemon from outside: E2B SDK, recorded exchanges, protocol, soak',
    run: { project: 'runtime' },
    need: world,
  },
  {
    name: 'runtime-python',
    about: 'the E2B SDK for Python against our daemon',
    run: { script: 'test/conformance/e2b/python/run.ts' },
    need: python,
  },
  {
    name: 'packages',
    about: 'what we publish, packed and installed elsewhere',
    run: { project: 'packages' },
    need: registry,
  },
  { name: 'real', about: 'on a real kube-apiserver', run: { project: 'real' }, need: controlPlane },
  { name: 'node', about: 'on a real kubelet and containerd', run: { project: 'node' }, need: realNode },
];
