// Answers that cannot be handed back: protocols that are switched although nobody asked for it, which node would wait for for
// ever, statuses that no answer of ours can have, and more header lines than are read.

import type { ClientRequest } from "node:http";
import { readEveryHeaderLine } from "../../http/forwarded-headers.ts";
import { refuseNoAnswer, SWITCHED } from "../../http/refuse-no-answer.ts";

const MIN_STATUS = 200;
const MAX_STATUS = 599;

/** `fail` hears of it; the connection is closed. */
export function refuseOddAnswers(sent: ClientRequest, fail: (error: Error) => void): void {
  readEveryHeaderLine(sent);
  refuseNoAnswer(sent, fail);
  sent.prependListener("response", (answer) => {
    const { statusCode: status = 0 } = answer;
    if (status >= MIN_STATUS && status <= MAX_STATUS) return;
    answer.destroy();
    // One that does not say to which protocol is an answer like any other to node.
    if (status === 101) fail(new Error(SWITCHED));
    else fail(new Error(`the backend answered with the status ${status}, which there is not`));
  });
}
