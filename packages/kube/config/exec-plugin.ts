import { badConfig } from './bad-config.ts';
import type { Fields } from './fields.ts';
import { besideFile } from './kubeconfig-files.ts';

const versions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];
const modes = ['Never', 'IfAvailable', 'Always'];

/** The `exec` part of a kubeconfig user: a program that prints credentials. */
export interface ExecPlugin {
  readonly where: string;
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly installHint: string | undefined;
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: string;
}

export function readExecPlugin(exec: Fields): ExecPlugin {
  const apiVersion = exec.string('apiVersion');
  if (apiVersion === undefined || !versions.includes(apiVersion)) {
    throw badConfig(
      exec.at('apiVersion'),
      apiVersion === undefined ? 'is missing' : `is ${apiVersion}`,
      `Write ${versions.join(' or ')}`,
    );
  }
  const command = exec.string('command');
  if (command === undefined) throw badConfig(exec.at('command'), 'is missing', 'Name the credential plugin to run');
  const interactiveMode = exec.string('interactiveMode') ?? (apiVersion === versions[1] ? 'IfAvailable' : undefined);
  if (interactiveMode === undefined || !modes.includes(interactiveMode)) {
    const problem =
      interactiveMode === undefined ? `is missing, and ${apiVersion} requires it` : `is ${interactiveMode}`;
    throw badConfig(exec.at('interactiveMode'), problem, `Write one of ${modes.join(', ')}`);
  }
  const env = exec.list('env').map((entry): [string, string] => {
    const name = entry.string('name');
    if (name === undefined) throw badConfig(entry.at('name'), 'is missing', 'Name the environment variable');
    return [name, entry.string('value') ?? ''];
  });
  return {
    where: exec.at(),
    apiVersion,
    // A bare name is looked up in PATH; anything with a slash stands beside the kubeconfig.
    command: command.includes('/') ? besideFile(exec, command) : command,
    args: exec.strings('args'),
    env: Object.fromEntries(env),
    installHint: exec.string('installHint'),
    provideClusterInfo: exec.boolean('provideClusterInfo'),
    interactiveMode,
  };
}
