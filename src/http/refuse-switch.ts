// Servers that switch protocols although nobody asked for it. Node lets go of such a connection, and neither answers nor
// fails the request: without this, whoever waits for it waits for ever, whatever time it has.

import type { ClientRequest, IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

/** `fail` hears of it; the connection is closed. For every request that does not ask for another protocol. */
export function refuseSwitch(sent: ClientRequest, fail: (error: Error) => void): void {
  sent.on("upgrade", (_head: IncomingMessage, socket: Duplex) => {
    socket.destroy();
    fail(new Error(SWITCHED));
  });
}

export const SWITCHED = "the backend tried to switch protocols when none was requested";
