// What a client of HTTP/1.1 sends while much of the answer before has yet to leave. Node takes no further request then and
// pauses its parser, but what TLS has decrypted already comes all the same, and a paused parser calls it an error.

import type { Socket } from "node:net";

/** Keeps such bytes, to be read once the answer has left. False for any other error. */
export function keepEarlyBytes(error: Error, socket: Socket): boolean {
  const { code, rawPacket } = error as { code?: unknown; rawPacket?: unknown };
  if (code !== "HPE_PAUSED" || !(rawPacket instanceof Uint8Array)) return false;
  // Once somebody has listened, node hands its parser what comes by way of the stream, which waits as long as it is paused.
  socket.on("data", nobody).off("data", nobody);
  socket.push(rawPacket);
  return true;
}

const nobody = (): void => undefined;
