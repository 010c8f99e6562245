// Ranges of users for pods that have users of their own: each pod one, never shared, kept over restarts of the agent.
// Requirements: document 3, "Kernel requirements" (pod user namespaces).

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isObject } from "../../base/json.ts";
import { readSmallFile } from "../../base/read-small-file.ts";
import type { UserRange } from "../containers/namespaces.ts";

/** The first users are the node's own. */
const USERS_PER_POD = 65_536;

export class UserRanges {
  readonly #directoryOf: (uid: string) => string;
  readonly #maxPods: number;
  /** Which block each pod has; block 0 is the node's. */
  readonly #blocks = new Map<string, number>();

  constructor(directoryOf: (uid: string) => string, maxPods: number) {
    this.#directoryOf = directoryOf;
    this.#maxPods = maxPods;
  }

  /** Reads what pods had before a restart. */
  async load(uids: readonly string[]): Promise<void> {
    for (const uid of uids) {
      const text = await readSmallFile(this.#file(uid)).then(String, () => undefined);
      const block = text === undefined ? undefined : blockOf(text);
      if (block !== undefined) this.#blocks.set(uid, block);
    }
  }

  /** The pod's range; the first free one when it has none. Fails when there is none left. */
  async take(uid: string): Promise<UserRange> {
    let block = this.#blocks.get(uid);
    if (block === undefined) {
      const taken = new Set(this.#blocks.values());
      block = 1;
      while (taken.has(block)) block += 1;
      if (block > this.#maxPods) throw new Error("no range of users is left for the pod");
      this.#blocks.set(uid, block);
      const mapping = [{ hostId: block * USERS_PER_POD, containerId: 0, length: USERS_PER_POD }];
      await writeFile(this.#file(uid), JSON.stringify({ uidMappings: mapping, gidMappings: mapping }), { mode: 0o600 });
    }
    return { hostId: block * USERS_PER_POD, length: USERS_PER_POD };
  }

  release(uid: string): void {
    this.#blocks.delete(uid);
  }

  #file(uid: string): string {
    return join(this.#directoryOf(uid), "userns");
  }
}

function blockOf(text: string): number | undefined {
  try {
    const record: unknown = JSON.parse(text);
    const [mapping] = isObject(record) && Array.isArray(record["uidMappings"]) ? record["uidMappings"] : [];
    const hostId = isObject(mapping) ? mapping["hostId"] : undefined;
    return typeof hostId === "number" && hostId > 0 && hostId % USERS_PER_POD === 0
      ? hostId / USERS_PER_POD
      : undefined;
  } catch {
    return undefined;
  }
}
