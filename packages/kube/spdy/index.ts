/**
 * SPDY/3.1, as much of it as Kubernetes speaks: a dead protocol that lives on inside port-forward (and, for old clients,
 * exec). `SpdySession` is one connection, client or server, over any link that carries bytes; `SpdyStream` is one stream
 * of it as a Node Duplex. Below them: `FrameEncoder` and `FrameDecoder`, header blocks with the preset dictionary, and
 * windows, which Kubernetes' own peers do not keep and which bind only peers that announce them.
 */
export * from './decoder.ts';
export * from './duplex-link.ts';
export * from './encoder.ts';
export * from './frame.ts';
export * from './header-block.ts';
export * from './session.ts';
export { SpdyStream } from './stream.ts';
