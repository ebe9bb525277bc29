/** What a service-account token says, and the two forms in which tokens say it. */

export interface Reference {
  readonly name: string;
  readonly uid: string;
}

export interface Claims {
  readonly namespace: string;
  readonly account: Reference;
  /** At most one of pod, secret and node binds the token; a pod's token also says which node the pod was on. */
  readonly pod?: Reference | undefined;
  readonly secret?: Reference | undefined;
  readonly node?: Reference | undefined;
  readonly audiences: readonly string[];
  readonly id?: string | undefined;
  /** Seconds since the epoch. */
  readonly issued?: number | undefined;
  readonly notBefore?: number | undefined;
  readonly expires?: number | undefined;
  /** The old form: lives in this Secret, and for as long as the Secret holds it. */
  readonly secretToken?: string | undefined;
}

export const LEGACY_ISSUER = 'kubernetes/serviceaccount';
const LEGACY = 'kubernetes.io/serviceaccount';

export function payloadOf(claims: Claims, issuer: string): Record<string, unknown> {
  const { namespace, account, pod, secret, node, audiences, id, issued, notBefore, expires, secretToken } = claims;
  const sub = `system:serviceaccount:${namespace}:${account.name}`;
  if (secretToken !== undefined) {
    return {
      iss: LEGACY_ISSUER,
      [`${LEGACY}/namespace`]: namespace,
      [`${LEGACY}/secret.name`]: secretToken,
      [`${LEGACY}/service-account.name`]: account.name,
      [`${LEGACY}/service-account.uid`]: account.uid,
      sub,
    };
  }
  const serviceaccount = account;
  return {
    aud: audiences,
    exp: expires,
    iat: issued,
    iss: issuer,
    jti: id,
    'kubernetes.io': {
      namespace,
      ...(node ? { node } : {}),
      ...(pod ? { pod } : {}),
      ...(secret ? { secret } : {}),
      serviceaccount,
    },
    nbf: notBefore,
    sub,
  };
}

/** Undefined when something that must be there is not, or is of the wrong type. */
export function claimsOf(payload: Record<string, unknown>): Claims | undefined {
  const claims = payload['iss'] === LEGACY_ISSUER ? legacyClaims(payload) : boundClaims(payload);
  if (!claims) return undefined;
  return payload['sub'] === `system:serviceaccount:${claims.namespace}:${claims.account.name}` ? claims : undefined;
}

function legacyClaims(payload: Record<string, unknown>): Claims | undefined {
  const namespace = payload[`${LEGACY}/namespace`];
  const name = payload[`${LEGACY}/service-account.name`];
  const uid = payload[`${LEGACY}/service-account.uid`];
  const secretToken = payload[`${LEGACY}/secret.name`];
  if (!isText(namespace) || !isText(name) || !isText(uid) || !isText(secretToken)) return undefined;
  return { namespace, account: { name, uid }, audiences: [], secretToken };
}

function boundClaims(payload: Record<string, unknown>): Claims | undefined {
  const own = payload['kubernetes.io'];
  if (typeof own !== 'object' || own === null) return undefined;
  const fields = own as Record<string, unknown>;
  const { aud, exp, nbf, iat, jti } = payload;
  const account = reference(fields['serviceaccount']);
  const audiences = (Array.isArray(aud) ? aud : [aud]).filter(isText);
  if (!isText(fields['namespace']) || !account || typeof exp !== 'number') return undefined;
  // A binding that can't be read must not become a token without one.
  for (const kind of ['pod', 'secret', 'node']) {
    if (fields[kind] !== undefined && fields[kind] !== null && !reference(fields[kind])) return undefined;
  }
  return {
    namespace: fields['namespace'],
    account,
    pod: reference(fields['pod']),
    secret: reference(fields['secret']),
    node: reference(fields['node']),
    audiences,
    id: isText(jti) ? jti : undefined,
    issued: typeof iat === 'number' ? iat : undefined,
    notBefore: typeof nbf === 'number' ? nbf : undefined,
    expires: exp,
  };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function reference(value: unknown): Reference | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { name, uid } = value as Record<string, unknown>;
  return isText(name) && isText(uid) ? { name, uid } : undefined;
}
