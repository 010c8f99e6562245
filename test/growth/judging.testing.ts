// How much of an object the hooks of its kind look at between two turns for others, counted instead of timed: what they read
// is read through proxies.

import { cloneJson, countValues, type Json, type JsonObject } from "../../src/base/json.ts";
import { atOnce, type Steps, whole } from "../../src/base/steps.ts";
import type { Findings, Kind } from "../../src/kinds/define-kind.ts";
import { namesFor } from "../../src/meta/names.ts";
import type { ApiObject } from "../../src/meta/object.ts";
import { builtInRules } from "../../src/registry/object-rules.ts";
import { ShapeError } from "../../src/schema/conform.ts";
import { minimalObject } from "../conformance/minimal-objects.testing.ts";
import { type Filling, filledObject, type Place } from "./fill-schema.testing.ts";

const names = namesFor("kubernetes");
const context = { names, gateEnabled: () => true, nowMs: 0, userName: "alice", allowPrivileged: true };

export interface Judged {
  /** Values of the object beside its metadata. */
  readonly values: number;
  /** The most that one hook read between two turns. */
  readonly mostReads: number;
}

/** Has the hooks of the kind judge an object with so many entries at the place, first as a new one, then as a change. */
export function judging(kind: Kind, place: Place, size: number, filling: Filling): Judged {
  const [object, old] = [size, size - 1].map((each) => defaulted(kind, place, each, filling));
  if (object === undefined || old === undefined) return { values: size, mostReads: 0 };
  const reads = new Reads();
  const [watched, before] = [reads.watch(object), reads.watch(old)];
  const { hooks = {}, subresources = {} } = kind;
  reads.during(hooks.validate?.(watched, context));
  reads.during(hooks.warn?.(watched, undefined, context));
  const parts = [hooks, ...Object.values(subresources).filter((part) => part.type === "object")];
  for (const { validateUpdate, warn } of parts) {
    reads.during(validateUpdate?.(watched, before, context));
    reads.during(warn?.(watched, before, context));
  }
  const { metadata: _, ...members } = object;
  return { values: countValues(members as Json, Number.POSITIVE_INFINITY), mostReads: reads.most };
}

/** How many mistakes the rules find in a new object with so many empty entries at the place. */
export function mistakes(kind: Kind, place: Place, size: number): number {
  const object = defaulted(kind, place, size, "empty");
  return object === undefined ? 0 : atOnce(builtInRules(kind, () => true).validate(object, context)).length;
}

/** None where the place cannot be filled so. */
function defaulted(kind: Kind, place: Place, size: number, filling: Filling): ApiObject | undefined {
  const rules = builtInRules(kind, () => true);
  const body = filledObject(minimalObject(kind, names), kind.schema, place, size, filling) as JsonObject;
  try {
    const { object } = rules.shape(cloneJson(body), { reuse: true });
    rules.default(object, context);
    return object;
  } catch (error) {
    if (error instanceof ShapeError) return undefined;
    throw error;
  }
}

/** Far too many for one step: the rest of them would tell nothing more. */
const MAX_READS = 1_000_000;
const ENOUGH_READ = Symbol("enough read");

class Reads {
  most = 0;
  #now = 0;
  readonly #proxies = new WeakMap<object, object>();

  during(findings: Findings<unknown> | undefined): void {
    const judging: Steps<unknown[]> = whole(findings ?? []);
    for (let isOver = false; !isOver; ) {
      try {
        isOver = judging.next().done === true;
      } catch (error) {
        if (error !== ENOUGH_READ) throw error;
        isOver = true;
      }
      this.most = Math.max(this.most, this.#now);
      this.#now = 0;
    }
  }

  #count(reads: number): void {
    this.#now += reads;
    if (this.#now > MAX_READS) throw ENOUGH_READ;
  }

  watch<T>(value: T): T {
    if (typeof value !== "object" || value === null) return value;
    const known = this.#proxies.get(value) ?? this.#proxyOf(value);
    this.#proxies.set(value, known);
    return known as T;
  }

  #proxyOf(value: object): object {
    return new Proxy(value, {
      get: (target, key, receiver) => {
        const found = Reflect.get(target, key, receiver);
        if (typeof found === "function") return found;
        this.#count(1);
        return this.watch(found);
      },
      ownKeys: (target) => {
        const keys = Reflect.ownKeys(target);
        this.#count(keys.length);
        return keys;
      },
    });
  }
}
