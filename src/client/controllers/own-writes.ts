// What a controller has written itself and its cache does not show yet. Without it the next look begins with the state
// before the last one: who writes a time, or counts, would answer its own writes for ever.

import type { Clock } from "../../base/clock.ts";
import { cloneJson, isObject } from "../../base/json.ts";
import { keyOf, keyText } from "../informer.ts";
import { ObjectSharer } from "../informers/share-object.ts";
import { apiVersionOfType, type ResourceType, type Stored } from "../resources/resource-type.ts";

/** A cache that is further behind follows another server, or one whose state was put back: it is believed. */
const MAX_LAG_MS = 60_000;

interface Written {
  readonly object: Stored<object>;
  readonly atMs: number;
}

interface OwnWritesDeps {
  readonly type: ResourceType;
  readonly clock: Pick<Clock, "nowMs">;
  /** What the cache shows. */
  readonly shown: (key: string) => Stored<object> | undefined;
}

export class OwnWrites {
  readonly #deps: OwnWritesDeps;
  readonly #sharer = new ObjectSharer();
  readonly #written = new Map<string, Written>();

  constructor(deps: OwnWritesDeps) {
    this.#deps = deps;
  }

  /** How many are not to be seen yet. */
  get size(): number {
    return this.#written.size;
  }

  /** The answer to a write, of whatever kind. */
  add(answer: unknown): void {
    const { type, clock, shown } = this.#deps;
    if (!isStoredOf(type, answer)) return;
    const key = keyText(keyOf(answer));
    const cached = shown(key);
    if (cached === undefined || !isNewer(answer, cached)) return;
    const before = this.#written.get(key)?.object;
    if (before !== undefined && !isNewer(answer, before)) return;
    // Whoever wrote it may change what it was answered.
    const object = this.#sharer.share(cloneJson(answer), cached);
    this.#written.set(key, { object, atMs: clock.nowMs() });
  }

  /** The cache shows this object now, or that it has gone. */
  seen(object: Stored<object>): void {
    this.newest(keyText(keyOf(object)));
  }

  /** What is known of an object; undefined where the cache shows none. Frozen. */
  newest(key: string): Stored<object> | undefined {
    const cached = this.#deps.shown(key);
    const written = this.#written.get(key);
    if (written === undefined) return cached;
    const isBehind = this.#deps.clock.nowMs() - written.atMs < MAX_LAG_MS;
    if (cached !== undefined && isBehind && isNewer(written.object, cached)) return written.object;
    this.#written.delete(key);
    return cached;
  }
}

/** Of another kind are answers of sub-resources such as scale, and of other controllers' kinds. */
function isStoredOf(type: ResourceType, answer: unknown): answer is Stored<object> {
  if (!isObject(answer) || !isObject(answer["metadata"])) return false;
  const { kind, apiVersion, metadata } = answer;
  if (kind !== type.kind || apiVersion !== apiVersionOfType(type)) return false;
  return typeof metadata["name"] === "string" && typeof metadata["resourceVersion"] === "string";
}

/** Of two states of one object. Versions that are no numbers have no order: then it is not said to be newer. */
function isNewer({ metadata }: Stored<object>, than: Stored<object>): boolean {
  const [version, other] = [metadata.resourceVersion, than.metadata.resourceVersion];
  if (metadata.uid !== than.metadata.uid || !DECIMAL.test(version) || !DECIMAL.test(other)) return false;
  return version.length === other.length ? version > other : version.length > other.length;
}

const DECIMAL = /^[1-9][0-9]*$/;
