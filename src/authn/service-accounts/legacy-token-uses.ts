// The day on which a token in a Secret was last used, as a label of the Secret: what nobody uses can be cleaned up.

import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { ConfigMap } from "../../kinds/core/config-map.ts";
import { dayOf, parseDay, TRACKED_SINCE_KEY, TRACKING_CONFIG_MAP } from "../../meta/legacy-token-days.ts";
import type { Names } from "../../meta/names.ts";
import type { Catalog } from "../../registry/catalog.ts";
import { ensureAsServer, updateAsServer } from "../../registry/server-writes.ts";
import type { WriteDeps } from "../../registry/write.ts";

/** Labels that are being written; uses beyond are noted by a later one. */
const MAX_PENDING = 100;
/** A label that could not be written is tried again after this time. */
const RETRY_MS = 60_000;
const DAY_MS = 24 * 3_600_000;
const MANAGER = "plinth";

export class LegacyTokenUses {
  readonly #names: Names;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #catalog: Catalog;
  readonly #pending = new Set<string>();
  #deps: WriteDeps | undefined;

  constructor(parts: { names: Names; clock: Clock; log: Log; catalog: Catalog }) {
    this.#names = parts.names;
    this.#clock = parts.clock;
    this.#log = parts.log;
    this.#catalog = parts.catalog;
  }

  /** Before, nothing is written. Resolves when it stands written since when uses are noted. */
  async start(deps: WriteDeps): Promise<void> {
    this.#deps = deps;
    const resource = this.#catalog.own("", "v1", "configmaps");
    if (resource === undefined) return;
    const today = dayOf(this.#clock.nowMs());
    const metadata = { name: TRACKING_CONFIG_MAP, namespace: this.#names.systemNamespace };
    const draft = { kind: "ConfigMap", apiVersion: "v1", metadata, data: { [TRACKED_SINCE_KEY]: today } };
    await ensureAsServer(deps, { resource, ...metadata, manager: MANAGER }, draft, (object) => {
      const since = (object as ConfigMap).data?.[TRACKED_SINCE_KEY];
      // What is no day, or one to come, says nothing.
      if (since !== undefined && since <= today && parseDay(since) !== undefined) return false;
      object["data"] = { [TRACKED_SINCE_KEY]: today };
      return true;
    });
  }

  /** `lastUsed`: the day that the Secret names. Writes at most once a day, and never holds the request up. */
  note(namespace: string, name: string, lastUsed: string): void {
    const nowMs = this.#clock.nowMs();
    // Clocks of other servers may be a day ahead.
    if (lastUsed === dayOf(nowMs) || lastUsed === dayOf(nowMs + DAY_MS)) return;
    const key = `${namespace}/${name}`;
    const resource = this.#catalog.own("", "v1", "secrets");
    if (this.#deps === undefined || resource === undefined) return;
    if (this.#pending.has(key) || this.#pending.size >= MAX_PENDING) return;
    this.#pending.add(key);
    const label = this.#names.legacyTokenLastUsedLabel;
    updateAsServer(this.#deps, { resource, namespace, name, manager: MANAGER }, (stored) => ({
      ...stored,
      metadata: { ...stored.metadata, labels: { ...stored.metadata.labels, [label]: dayOf(nowMs) } },
    })).then(
      () => this.#pending.delete(key),
      (error: unknown) => {
        this.#log.warn({ err: error, secret: key }, "the last use of a token could not be noted");
        this.#clock.setTimer(RETRY_MS, () => this.#pending.delete(key));
      },
    );
  }
}
