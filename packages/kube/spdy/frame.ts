import type { SpdyHeaders } from './header-block.ts';

/** SPDY/3.1 frames (draft-mbelshe-httpbis-spdy-00, 2.2 and 2.6; 3.1 adds window updates for stream 0, the session). */
export type Frame =
  | {
      readonly type: 'syn-stream';
      readonly stream: number;
      readonly associated: number;
      readonly priority: number;
      readonly fin: boolean;
      readonly unidirectional: boolean;
      readonly headers: SpdyHeaders;
    }
  | { readonly type: 'syn-reply'; readonly stream: number; readonly fin: boolean; readonly headers: SpdyHeaders }
  | { readonly type: 'headers'; readonly stream: number; readonly fin: boolean; readonly headers: SpdyHeaders }
  | { readonly type: 'rst-stream'; readonly stream: number; readonly status: number }
  | { readonly type: 'settings'; readonly clear: boolean; readonly entries: readonly Setting[] }
  | { readonly type: 'ping'; readonly id: number }
  | { readonly type: 'goaway'; readonly lastStream: number; readonly status: number }
  | { readonly type: 'window-update'; readonly stream: number; readonly delta: number }
  | { readonly type: 'data'; readonly stream: number; readonly fin: boolean; readonly data: Buffer };

export interface Setting {
  readonly id: number;
  readonly value: number;
  readonly flags: number;
}

export const version = 3;

export const controlType = {
  synStream: 1,
  synReply: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  headers: 8,
  windowUpdate: 9,
} as const;

export const flag = { fin: 0x01, unidirectional: 0x02, clearSettings: 0x01 } as const;

export const setting = { maxConcurrentStreams: 4, initialWindowSize: 7 } as const;

/** Why a stream was reset. */
export const resetStatus = {
  protocolError: 1,
  invalidStream: 2,
  refusedStream: 3,
  unsupportedVersion: 4,
  cancel: 5,
  internalError: 6,
  flowControlError: 7,
  streamInUse: 8,
  streamAlreadyClosed: 9,
} as const;

/** Why a session ended. */
export const goawayStatus = { ok: 0, protocolError: 1, internalError: 2 } as const;
