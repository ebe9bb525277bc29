/** `/health` and `/envs`. e2b 3.5 */
import type { ServerResponse } from 'node:http';
import { replyJson } from './reply.ts';
import { type SandboxState, sandboxEnv } from './state.ts';

export function handleHealth(response: ServerResponse): void {
  response.writeHead(204, { 'cache-control': 'no-store', 'content-type': '' }).end();
}

export function handleEnvs(state: SandboxState, response: ServerResponse): void {
  response.setHeader('cache-control', 'no-store');
  const sorted = Object.entries(sandboxEnv(state)).sort(([a], [b]) => (a < b ? -1 : 1));
  replyJson(response, 200, Object.fromEntries(sorted));
}
