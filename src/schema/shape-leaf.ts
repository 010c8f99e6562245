// Shapers of the leaves: scalars in their canonical form, and values of any shape.

import { BoundedCache } from "../base/bounded-cache.ts";
import { setKey } from "../base/json.ts";
import { keysInStep } from "../base/json-in-steps.ts";
import type { Steps } from "../base/steps.ts";
import { settleKeys } from "../base/wide-keys.ts";
import { formatDuration, parseDuration } from "../meta/duration.ts";
import { formatQuantity, parseQuantity, quantityProblem } from "../meta/quantity.ts";
import { canonicalTime, type TimePrecision } from "../meta/time.ts";
import { badBase64At, isBase64, withoutLineEnds } from "./base64.ts";
import type { AnySchema, ScalarSchema, Schema } from "./schema.ts";
import type { Shaper, Walk } from "./walk.ts";

export function scalarShaper(schema: ScalarSchema): Shaper {
  switch (schema.scalar) {
    case "string":
      return stringShaper(schema);
    case "boolean":
      return booleanShaper(schema);
    case "int32":
      return integerShaper(schema, isInt32);
    case "int64":
      return integerShaper(schema, isInt64);
    case "double":
      return doubleShaper(schema);
    case "bytes":
      return bytesShaper(schema);
    case "quantity":
      return { shape: shapeQuantity, zero: () => "0" };
    case "intOrString":
      return intOrStringShaper(schema);
    case "time":
      return timeShaper(schema, "seconds", SECONDS_TEXT);
    case "microTime":
      return timeShaper(schema, "micros", MICROS_TEXT);
    case "duration":
      return durationShaper(schema);
  }
}

/** Any JSON value, copied; the unions of custom resource schemas shape the members they know. */
export function anyShaper(schema: AnySchema, shaperOf: (schema: Schema) => Shaper): Shaper {
  const zero = () => null;
  const member = schema.member;
  if (member === undefined) {
    const shape: Shaper["shape"] = (value, walk) => {
      if (walk.inSteps && typeof value === "object") return takenLater(value as object, walk);
      return (walk.reuse ? bounded : cloneBounded)(value, walk);
    };
    return { shape, zero };
  }
  // Upstream reads these with a decoder of their own, which does not look for unknown fields.
  const shapeMember = (value: unknown, walk: Walk): unknown => {
    walk.silent++;
    const shaped = shaperOf(member()).shape(value, walk);
    walk.silent--;
    return shaped;
  };
  return {
    shape(value, walk) {
      if (typeof value === "object" && !Array.isArray(value)) return shapeMember(value, walk);
      if (schema.wire === "propsOrBool") {
        if (typeof value === "boolean") return value;
        throw walk.unreadable("boolean or JSON schema expected");
      }
      if (!Array.isArray(value)) return null;
      if (schema.wire === "propsOrArray") {
        return value.map((item) => (item === null ? shaperOf(member()).zero() : shapeMember(item, walk)));
      }
      return value.map((item: unknown) => shapeString(item, walk));
    },
    zero,
  };
}

/** A copy that refuses to nest deeper than the walk's bound. */
export function cloneBounded(value: unknown, walk: Walk): unknown {
  if (typeof value !== "object" || value === null) return value;
  const depth = walk.depth;
  walk.enter();
  let copy: unknown;
  if (Array.isArray(value)) {
    copy = value.map((item) => cloneBounded(item, walk));
  } else {
    const source = value as Record<string, unknown>;
    const target: Record<string, unknown> = {};
    for (const key in source) {
      walk.keys++;
      setKey(target, key, cloneBounded(source[key], walk));
    }
    copy = target;
  }
  walk.depth = depth;
  return copy;
}

/** The value itself, once it is known not to nest deeper than the walk's bound. */
function bounded(value: unknown, walk: Walk): unknown {
  if (typeof value !== "object" || value === null) return value;
  const depth = walk.depth;
  walk.enter();
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) bounded(value[index], walk);
  } else {
    const members = value as Record<string, unknown>;
    let keys = 0;
    for (const key in members) {
      keys++;
      const member = members[key];
      if (typeof member === "object") bounded(member, walk);
    }
    walk.keys += keys;
  }
  walk.depth = depth;
  return value;
}

/** The value itself or its copy, whose members are gone through later: how many there are takes long to find out. */
function takenLater(value: object, walk: Walk): object {
  const taken = emptyFor(value, walk);
  walk.enter();
  walk.putOff(() => takeMembers(value, taken, walk));
  walk.depth -= 1;
  return taken;
}

/** In steps what `bounded` does for a value that is reused, `cloneBounded` for another. */
function* takeMembers(source: object, taken: object, walk: Walk): Steps<void> {
  if (Array.isArray(source)) {
    for (const item of source) {
      if (walk.isDue()) yield;
      walk.items++;
      const kept = typeof item === "object" && item !== null ? yield* takeValue(item, walk) : item;
      if (taken !== source) (taken as unknown[]).push(kept);
    }
    return;
  }
  const keys = yield* keysInStep(source);
  for (const key of keys) {
    if (walk.isDue()) yield;
    walk.keys++;
    const member = (source as Record<string, unknown>)[key];
    const kept = typeof member === "object" && member !== null ? yield* takeValue(member, walk) : member;
    if (taken !== source) setKey(taken as Record<string, unknown>, key, kept);
  }
  if (taken !== source) settleKeys(taken, keys);
}

function* takeValue(value: object, walk: Walk): Steps<object> {
  const taken = emptyFor(value, walk);
  walk.enter();
  yield* takeMembers(value, taken, walk);
  walk.depth -= 1;
  return taken;
}

/** Where the members of a value go: they stay where they are in one that is reused. */
function emptyFor(value: object, { reuse }: Walk): object {
  if (reuse) return value;
  return Array.isArray(value) ? [] : {};
}

const PLAIN_STRING: ScalarSchema = { type: "scalar", scalar: "string" };

function shapeString(value: unknown, walk: Walk): string {
  if (typeof value !== "string") throw walk.mismatch(value, PLAIN_STRING);
  return value;
}

function stringShaper(schema: ScalarSchema): Shaper {
  return {
    shape(value, walk) {
      if (typeof value !== "string") throw walk.mismatch(value, schema);
      return value;
    },
    zero: () => "",
    isEmpty: (shaped) => shaped === "",
  };
}

function booleanShaper(schema: ScalarSchema): Shaper {
  return {
    shape(value, walk) {
      if (typeof value !== "boolean") throw walk.mismatch(value, schema);
      return value;
    },
    zero: () => false,
    isEmpty: (shaped) => shaped === false,
  };
}

function integerShaper(schema: ScalarSchema, fits: (value: unknown) => boolean): Shaper {
  return {
    shape(value, walk) {
      if (!fits(value)) throw walk.mismatch(value, schema);
      return value;
    },
    zero: () => 0,
    isEmpty: (shaped) => shaped === 0,
  };
}

function isInt32(value: unknown): boolean {
  return typeof value === "number" && (value | 0) === value;
}

function isInt64(value: unknown): boolean {
  if (typeof value === "number") return Number.isSafeInteger(value);
  return typeof value === "bigint" && BigInt.asIntN(64, value) === value;
}

function doubleShaper(schema: ScalarSchema): Shaper {
  return {
    shape(value, walk) {
      if (typeof value === "bigint") return Number(value);
      if (typeof value !== "number") throw walk.mismatch(value, schema);
      return value;
    },
    zero: () => 0,
    isEmpty: (shaped) => shaped === 0,
  };
}

function intOrStringShaper(schema: ScalarSchema): Shaper {
  return {
    shape(value, walk) {
      if (typeof value !== "string" && !isInt32(value)) throw walk.mismatch(value, schema);
      return value;
    },
    zero: () => 0,
  };
}

const SECONDS_TEXT =
  /^(?!0000|0001-01-01T00:00:00)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;
const MICROS_TEXT =
  /^(?!0000|0001-01-01T00:00:00)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z$/;

/** `canonical` matches most texts that need no change. */
function timeShaper(schema: ScalarSchema, precision: TimePrecision, canonical: RegExp): Shaper {
  return {
    shape(value, walk) {
      if (typeof value !== "string") throw walk.mismatch(value, schema);
      if (canonical.test(value)) return value;
      const read = canonicalTime(value, precision);
      if ("problem" in read) throw walk.unreadable(read.problem);
      return read.text;
    },
    zero: () => null,
  };
}

function durationShaper(schema: ScalarSchema): Shaper {
  return {
    shape(value, walk) {
      if (typeof value !== "string") throw walk.mismatch(value, schema);
      const nanos = parseDuration(value);
      if (typeof nanos === "string") throw walk.unreadable(nanos);
      return formatDuration(nanos);
    },
    zero: () => "0s",
  };
}

const MAX_CACHED_QUANTITIES = 2048;
const MAX_CACHED_QUANTITY_LENGTH = 24;
const CANONICAL_QUANTITIES = new BoundedCache<string, string>({
  maxEntries: MAX_CACHED_QUANTITIES,
  eviction: "segmented",
});

function shapeQuantity(value: unknown, walk: Walk): string {
  const text = quantityText(value);
  const cached = CANONICAL_QUANTITIES.get(text);
  if (cached !== undefined) return cached;
  const quantity = parseQuantity(text);
  if (quantity === undefined) throw walk.unreadable(quantityProblem(text) ?? "");
  const canonical = formatQuantity(quantity);
  if (text.length <= MAX_CACHED_QUANTITY_LENGTH) CANONICAL_QUANTITIES.set(text, canonical);
  return canonical;
}

/** Quantities may be written as numbers; what is neither text nor number is text that is no quantity. */
function quantityText(value: unknown): string {
  if (typeof value === "string") return value.trim();
  return typeof value === "number" || typeof value === "bigint" ? String(value) : "{}";
}

function bytesShaper(schema: ScalarSchema): Shaper {
  return {
    shape(value, walk) {
      if (typeof value !== "string") throw walk.mismatch(value, schema);
      const text = withoutLineEnds(value);
      if (!isBase64(text)) throw walk.unreadable(`illegal base64 data at input byte ${badBase64At(value)}`);
      // Bits beyond the last byte are not kept.
      return text.endsWith("=") ? Buffer.from(text, "base64").toString("base64") : text;
    },
    zero: () => null,
    isEmpty: (shaped) => shaped === "",
  };
}
