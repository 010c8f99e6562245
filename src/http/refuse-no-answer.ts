// Servers that do not come to an answer. They switch protocols although nobody asked for it: node lets go of such a
// connection, and neither answers nor fails the request, so that whoever waits for it waits for ever, whatever time it has.
// Or they say again and again that the answer is still to come, as fast as it can be read.

import type { ClientRequest, IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

/** Statuses below 200 before that of an answer. */
const MAX_INTERIM = 5;

/** `fail` hears of it; the connection is closed. For every request that does not ask for another protocol. */
export function refuseNoAnswer(sent: ClientRequest, fail: (error: Error) => void): void {
  sent.on("upgrade", (_head: IncomingMessage, socket: Duplex) => {
    socket.destroy();
    fail(new Error(SWITCHED));
  });
  let interim = 0;
  sent.on("information", () => {
    interim += 1;
    if (interim > MAX_INTERIM) sent.destroy(new Error("too many 1xx informational responses"));
  });
}

export const SWITCHED = "the backend tried to switch protocols when none was requested";
