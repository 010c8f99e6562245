// A whole server without sockets and without a store that stays, for commands that need its rules and no cluster. This folder
// knows no rules itself: the composition root hands one in, and it is loaded when it is asked for (docs/decisions).

import type { Transport } from "../client/transport.ts";
import type { Dialect } from "../meta/names.ts";

export interface OfflineServer {
  readonly transport: Transport;
  close(): Promise<void>;
}

/** What a composition root gives to commands beside a terminal. */
export interface Parts {
  readonly offlineServer?: (dialect: Dialect) => Promise<OfflineServer>;
}
