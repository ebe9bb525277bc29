import type { Duplex } from 'node:stream';
import type { SpdyLink } from './session.ts';

/** A socket as the link of a session: for servers that take `Upgrade: SPDY/3.1` without a WebSocket around it. */
export function duplexLink(socket: Duplex): SpdyLink {
  return {
    messages: socket,
    send: (data) =>
      new Promise((resolve, reject) => {
        socket.write(data, (error) => (error ? reject(error) : resolve()));
      }),
    close: () => socket.end(),
  };
}
