// What happens between a controller's look at its caches and its first word to the server, for tests: the caches showed a
// world that is gone by then.

import type { ApiRequest, Transport } from "../client/transport.ts";

interface Awaited {
  readonly isMeant: (request: ApiRequest) => boolean;
  readonly act: () => Promise<void>;
  readonly acted: () => void;
}

export class Meanwhile {
  #awaited: Awaited | undefined;

  /** For controllersInProcess(). */
  readonly between = (inner: Transport): Transport => ({
    connect: (sent) => inner.connect(sent),
    close: () => inner.close(),
    request: async (sent) => {
      const due = this.#awaited;
      if (due?.isMeant(sent) === true) {
        this.#awaited = undefined;
        await due.act();
        due.acted();
      }
      return inner.request(sent);
    },
  });

  /** Resolves when `act` was called: before the next request of a controller that is meant. */
  before(isMeant: (request: ApiRequest) => boolean, act: () => Promise<void>): Promise<void> {
    return new Promise((acted) => {
      this.#awaited = { isMeant, act, acted };
    });
  }
}
