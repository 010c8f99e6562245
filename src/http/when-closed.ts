// The end of a connection that somebody has taken over: of its requests nobody else hears when they are done.

import type { Duplex } from "node:stream";

/** At once where it is closed already. */
export function whenClosed(socket: Duplex, run: () => void): void {
  if (socket.closed) run();
  else socket.once("close", run);
}
