import { Agent, request } from 'undici';
import type { JsonObject } from '../../schema/structural.ts';

export type Call = (
  method: 'GET' | 'POST' | 'DELETE' | 'PUT',
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<[status: number, body: JsonObject]>;

interface Reachable {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
}

/** Plain requests to the real API server, as its administrator unless a header says otherwise. */
export function realServer(api: Reachable | null): Call {
  const agent = new Agent({ connect: { ca: api?.ca ?? '' } });
  return async (method, path, body, headers = {}) => {
    const answer = await request(`${api?.url}${path}`, {
      method,
      dispatcher: agent,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headers: { 'content-type': 'application/json', authorization: `Bearer ${api?.token}`, ...headers },
    });
    const text = await answer.body.text();
    return [answer.statusCode, text.startsWith('{') ? (JSON.parse(text) as JsonObject) : {}];
  };
}

const PLURALS: Readonly<Record<string, string>> = {
  Role: 'roles',
  ClusterRole: 'clusterroles',
  RoleBinding: 'rolebindings',
  ClusterRoleBinding: 'clusterrolebindings',
};

export const policyPlural = (kind: unknown) => PLURALS[String(kind)] ?? '';

export function policyPath(kind: unknown, namespace: unknown): string {
  const scope = namespace === undefined ? '' : `/namespaces/${String(namespace)}`;
  return `/apis/rbac.authorization.k8s.io/v1${scope}/${policyPlural(kind)}`;
}
