// A whole server without sockets and without a store that stays, for commands that need its rules and no cluster. This folder
// knows no rules itself: the composition root hands one in, and it is loaded when it is asked for (docs/decisions).

import type { Json, JsonObject } from "../base/json.ts";
import type { Transport } from "../client/transport.ts";
import type { Dialect } from "../meta/names.ts";

export interface OfflineServer {
  readonly transport: Transport;
  close(): Promise<void>;
}

/** A patch of an object as it stands here, with a server's rules. */
export interface LocalPatch {
  readonly object: JsonObject;
  readonly patch: Json;
  readonly type: "strategic" | "merge" | "json";
  readonly dialect: Dialect;
}

/** The object afterwards, or why it cannot be patched so. */
export type Patched = { readonly object: Json } | { readonly refused: string };

/** What a composition root gives to commands beside a terminal. */
export interface Parts {
  readonly offlineServer?: (dialect: Dialect) => Promise<OfflineServer>;
  /** Undefined for a strategic merge of a custom kind, which has none. */
  readonly patchObject?: (patch: LocalPatch) => Promise<Patched | undefined>;
}
