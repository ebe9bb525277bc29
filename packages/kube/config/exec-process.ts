import { spawn } from 'node:child_process';
import type { Clock } from '../clock.ts';
import type { KubeError } from '../errors.ts';
import type { ExecPlugin } from './exec-plugin.ts';
import type { ClusterEntry } from './kubeconfig-cluster.ts';
import type { Env } from './proxy-env.ts';

const outputLimit = 1024 * 1024;

export interface ExecOptions {
  readonly plugin: ExecPlugin;
  readonly name: string;
  readonly cluster: ClusterEntry;
  readonly env: Env;
  readonly clock: Clock;
  /** How long the plugin may take. Generous when somebody may have to log in. */
  readonly timeoutMs?: number | undefined;
  /** Whether somebody sits at a terminal. */
  readonly interactive?: boolean | undefined;
}

/** Words a failure of the plugin, with its install hint. */
export type Fail = (problem: string, remedy: string, cause?: unknown) => KubeError;

function execInfo({ plugin, cluster }: ExecOptions, interactive: boolean): string {
  const spec: Record<string, unknown> = { interactive };
  if (plugin.provideClusterInfo) {
    spec['cluster'] = {
      server: cluster.server.href.replace(/\/$/, ''),
      'tls-server-name': cluster.tlsServerName,
      'insecure-skip-tls-verify': cluster.insecureSkipTlsVerify || undefined,
      'certificate-authority-data': cluster.ca === undefined ? undefined : Buffer.from(cluster.ca).toString('base64'),
      'proxy-url': cluster.proxyUrl?.href,
      config: cluster.execConfig,
    };
  }
  return JSON.stringify({ kind: 'ExecCredential', apiVersion: plugin.apiVersion, spec });
}

/** Runs the plugin once and gives what it printed. */
export function runProcess(options: ExecOptions, interactive: boolean, fail: Fail): Promise<string> {
  const { plugin, env, clock, timeoutMs = interactive ? 300_000 : 60_000 } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(plugin.command, [...plugin.args], {
      env: { ...env, ...plugin.env, KUBERNETES_EXEC_INFO: execInfo(options, interactive) },
      stdio: [interactive ? 'inherit' : 'ignore', 'pipe', interactive ? 'inherit' : 'pipe'],
    });
    let output = '';
    let complaint = '';
    const stop = clock.after(timeoutMs, () => {
      reject(fail(`gave no answer within ${timeoutMs / 1000} s`, 'Run it by hand; it may wait for a login'));
      child.kill('SIGKILL');
    });
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.length <= outputLimit) return;
      reject(fail('printed more than a megabyte', 'Run it by hand and look at its output'));
      child.kill('SIGKILL');
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(-2000);
    });
    child.on('error', (cause: NodeJS.ErrnoException) => {
      stop();
      reject(
        cause.code === 'ENOENT'
          ? fail('is not installed', `Install it, or correct ${plugin.where}.command`, cause)
          : fail(`could not be run: ${cause.message}`, `Correct ${plugin.where}.command`, cause),
      );
    });
    child.on('close', (code, signal) => {
      stop();
      if (code === 0) return resolve(output);
      const said = complaint.trim() === '' ? '' : `, saying: ${complaint.trim()}`;
      reject(fail(`ended with ${signal ?? `exit code ${code}`}${said}`, 'Log in again, or run it by hand to see why'));
    });
  });
}
