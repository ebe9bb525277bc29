import { KubeError } from '@sandbank/kube';
import { Command, CommanderError, Option } from 'commander';
import { applyCrds } from './crds/apply.ts';
import { crdTexts } from './crds/print.ts';
import { type Check, examine } from './doctor/examine.ts';
import { UsageError } from './errors.ts';
import { up } from './up.ts';

export interface CliStreams {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

interface ClusterFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly timeout: string;
}

/** Flags that every verb with a cluster takes; each has an environment variable of its own. */
function withCluster(command: Command): Command {
  return command
    .addOption(
      new Option('--kubeconfig <file>', 'kubeconfig to use (default: KUBECONFIG, in-cluster, ~/.kube/config)').env(
        'SANDBANK_KUBECONFIG',
      ),
    )
    .addOption(new Option('--context <name>', 'context of the kubeconfig').env('SANDBANK_CONTEXT'))
    .addOption(
      new Option('--timeout <seconds>', 'deadline for the whole command').env('SANDBANK_TIMEOUT').default('30'),
    );
}

export function deadlineMs(text: string): number {
  const seconds = Number(text);
  if (!Number.isFinite(seconds) || seconds <= 0) {
    throw new UsageError(`--timeout must be a number of seconds above 0, not '${text}'. Example: --timeout 10`);
  }
  return seconds * 1000;
}

const clusterOf = (flags: ClusterFlags) => ({
  ...(flags.kubeconfig === undefined ? {} : { kubeconfig: flags.kubeconfig }),
  ...(flags.context === undefined ? {} : { context: flags.context }),
  timeoutMs: deadlineMs(flags.timeout),
});

function line(check: Check): string {
  const mark = check.ok ? 'ok  ' : 'FAIL';
  return `${mark} ${check.name}: ${check.message}${check.ok || !check.remedy ? '' : `\n     ${check.remedy}`}\n`;
}

/** The whole command, declared: run by `runCli`, read by the reference. */
export function sandbank(
  streams: CliStreams = { out: () => {}, err: () => {} },
  exit: (code: number) => void = () => {},
): Command {
  const program = new Command('sandbank')
    .description('A bank of warm, isolated sandboxes for AI agents, on Kubernetes.')
    .configureOutput({ writeOut: streams.out, writeErr: streams.err })
    .exitOverride()
    .showHelpAfterError('(`sandbank --help` shows the commands)');

  program
    .command('up')
    .description('start Sandbank on this machine')
    .action(() => exit(up(streams.out)));

  withCluster(program.command('doctor'))
    .description('check that Sandbank can work with a cluster: connection, version, CRDs, permissions')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .addHelpText(
      'after',
      '\nExit code: 0 when every check is ok, 1 otherwise.\nExample: sandbank doctor --kubeconfig ~/.kube/config -o json',
    )
    .action(async (flags: ClusterFlags & { output: string }) => {
      const checks = await examine(
        clusterOf(flags),
        flags.output === 'text' ? (check) => streams.out(line(check)) : () => {},
      );
      if (flags.output === 'json') streams.out(`${JSON.stringify(checks, null, 2)}\n`);
      exit(checks.every((check) => check.ok) ? 0 : 1);
    });

  const crds = program.command('crds').description('the custom resource definitions of the APIs that Sandbank speaks');
  const groupOption = () =>
    new Option(
      '--group <name...>',
      'only these API groups (sandbox.opensandbox.io, agents.kruise.io, agents.navix.sh)',
    );
  crds
    .command('print')
    .description('write them as YAML, for kubectl or for review')
    .addOption(groupOption())
    .action((flags: { group?: string[] }) => streams.out(crdTexts(flags.group).join('---\n')));
  withCluster(crds.command('apply'))
    .description('apply them to a cluster (server-side) and wait until they are established')
    .addOption(groupOption())
    .addHelpText('after', '\nExample: sandbank crds apply --group sandbox.opensandbox.io')
    .action(async (flags: ClusterFlags & { group?: string[] }) => {
      await applyCrds(clusterOf(flags), flags.group, (text) => streams.out(`${text}\n`));
      exit(0);
    });
  return program;
}

/** Runs one command line; resolves with its exit code. An expected failure is one sentence on stderr, without a stack. */
export async function runCli(args: readonly string[], streams: CliStreams): Promise<number> {
  let code = 0;
  try {
    await sandbank(streams, (given) => {
      code = given;
    }).parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    if (!(error instanceof KubeError || error instanceof UsageError)) throw error;
    streams.err(`sandbank: ${error.message}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
  return code;
}
