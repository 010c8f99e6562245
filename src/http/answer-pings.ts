// Pings of the other end of a WebSocket, answered one at a time: whoever sends them without reading the answers must not fill
// our memory with them. RFC 6455, section 5.5.3: of several pings the last one may be answered alone.

import type { WebSocket } from "ws";

/** For a connection that was made with `autoPong: false`. */
export function answerPings(connection: WebSocket): void {
  let isSending = false;
  let last: Buffer | undefined;
  const answer = (ping: Buffer): void => {
    isSending = true;
    connection.pong(ping, undefined, () => {
      isSending = false;
      const next = last;
      last = undefined;
      if (next !== undefined) answer(next);
    });
  };
  connection.on("ping", (ping: Buffer) => {
    // A copy: the bytes lie in a larger piece that was received.
    if (isSending) last = Buffer.from(ping);
    else answer(ping);
  });
}
