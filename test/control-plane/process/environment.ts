import { MARKER_VARIABLE } from './clean-up.ts';

/** Everything here is on this machine: a proxy that the surroundings ask for would only be in the way. */
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'];

/** The environment of every process of a control plane: ours, with the mark by which it is found after a crash. */
export function environmentOf(marker: string, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const entries = Object.entries(process.env).filter(([name]) => !PROXIES.includes(name.toUpperCase()));
  return { ...(Object.fromEntries(entries) as Record<string, string>), ...more, [MARKER_VARIABLE]: marker };
}
