// A server that switches protocols although nobody asked it to: node would wait for its answer for ever.

import type { ClientRequest, IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

/** `fail` hears of it; the connection is closed. */
export function refuseSwitch(sent: ClientRequest, fail: (error: Error) => void): void {
  const refuse = () => fail(new Error("the backend tried to switch protocols when none was requested"));
  sent.on("upgrade", (_head: IncomingMessage, socket: Duplex) => {
    // Node has let go of the connection: the request itself reports nothing any more.
    socket.destroy();
    refuse();
  });
  // One that does not say to which protocol is an answer like any other to node.
  sent.prependListener("response", (answer) => {
    if (answer.statusCode !== 101) return;
    answer.destroy();
    refuse();
  });
}
