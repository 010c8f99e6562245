// Ranges of users for pods that have users of their own: each pod one, never shared, kept over restarts of the agent.
// Requirements: document 3, "Kernel requirements" (pod user namespaces).

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isObject } from "../../base/json.ts";
import { readSmallFile } from "../../base/read-small-file.ts";
import type { UserRange } from "../containers/namespaces.ts";

interface UserRangesOptions {
  readonly directoryOf: (uid: string) => string;
  readonly maxPods: number;
  /** `userNamespaces.idsPerPod` */
  readonly usersPerPod: number;
}

/** The kernel counts users in 32 bits. */
const MAX_USERS = 2 ** 32;

export class UserRanges {
  readonly #options: UserRangesOptions;
  readonly #ranges = new Map<string, UserRange>();

  constructor(options: UserRangesOptions) {
    this.#options = options;
  }

  /** Reads what pods had before a restart. */
  async load(uids: readonly string[]): Promise<void> {
    for (const uid of uids) {
      const text = await readSmallFile(this.#file(uid)).then(String, () => undefined);
      const range = text === undefined ? undefined : rangeOf(text);
      if (range !== undefined) this.#ranges.set(uid, range);
    }
  }

  /** The pod's range; the first free one when it has none. Fails when there is none left, or it cannot be written down. */
  async take(uid: string): Promise<UserRange> {
    const known = this.#ranges.get(uid);
    if (known !== undefined) return known;
    const range = this.#free();
    this.#ranges.set(uid, range);
    const mapping = [{ ...range, containerId: 0 }];
    try {
      await writeFile(this.#file(uid), JSON.stringify({ uidMappings: mapping, gidMappings: mapping }), { mode: 0o600 });
    } catch (error) {
      // An agent that starts again would give it to another pod as well.
      this.#ranges.delete(uid);
      throw error;
    }
    return range;
  }

  release(uid: string): void {
    this.#ranges.delete(uid);
  }

  /** The first users are the node's own. */
  #free(): UserRange {
    const { maxPods, usersPerPod: length } = this.#options;
    const taken = [...this.#ranges.values()];
    for (let pod = 1; pod <= maxPods && (pod + 1) * length <= MAX_USERS; pod += 1) {
      const hostId = pod * length;
      if (!taken.some((other) => hostId < other.hostId + other.length && other.hostId < hostId + length))
        return { hostId, length };
    }
    throw new Error("no range of users is left for the pod");
  }

  #file(uid: string): string {
    return join(this.#options.directoryOf(uid), "userns");
  }
}

function rangeOf(text: string): UserRange | undefined {
  try {
    const record: unknown = JSON.parse(text);
    const [mapping] = isObject(record) && Array.isArray(record["uidMappings"]) ? record["uidMappings"] : [];
    const { hostId, length } = isObject(mapping) ? mapping : {};
    return isCount(hostId) && isCount(length) ? { hostId, length } : undefined;
  } catch {
    return undefined;
  }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;
