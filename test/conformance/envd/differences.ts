/** Where the runtime answers otherwise than the recorded daemon on purpose. All that is not named here must agree. */
export interface WantedDifference {
  readonly reason: string;
}

/** By file and title. What is expected instead stands in replay.test.ts under the same title. */
export const WANTED: Readonly<Record<string, WantedDifference>> = {
  'http: RPC unary with Accept-Encoding gzip': {
    reason: 'Messages of calls are never compressed: on the loopback and behind a gateway it costs more than it saves.',
  },
  'process: Keepalive-Ping-Interval 0': {
    reason: 'The recorded daemon crashes on an interval that is not positive. Here it means the default interval.',
  },
  'process: Keepalive-Ping-Interval -1': {
    reason: 'The recorded daemon crashes on an interval that is not positive. Here it means the default interval.',
  },
  'process: selection by tag while six processes with different tags run': {
    reason: 'The recorded daemon loses most lookups by tag. Here every tag that exists is found.',
  },
};

/** Headers that the recorded daemon sends and the runtime does not, on every answer that has them. */
export const WANTED_HEADERS: Readonly<Record<string, string>> = {
  'accept-encoding':
    'Messages of calls are never compressed: on the loopback and behind a gateway it costs more than it saves.',
  'connect-accept-encoding': 'As above.',
  'accept-post': 'Names the protocols that are spoken here; gRPC and gRPC-Web are not.',
  'x-envd-version':
    'The version opens features in the SDKs, so it is that of what works here (docs/compat/e2b.md 1.12).',
};

/**
 * The recorded daemon starts commands through nice(1), which then says on stderr that a command cannot be started. Here
 * another program says it; exit codes agree, the sentence need only name the command.
 */
export const FREE_TEXT = /^\/usr\/bin\/nice: '(.*)': /;

/** What follows is the sentence of a Go parser; ours says the same in other words. */
export const FREE_ERROR = /^Invalid format for parameter \w+: /;
