// The engine takes long to find the keys of a wide map, and nothing interrupts it: cells of Tables are made with the keys that
// whoever read the object has found.

import { expect, it } from "vitest";
import { isObject, type JsonObject } from "../../src/base/json.ts";
import { FEW_KEYS, settleKeys } from "../../src/base/wide-keys.ts";
import { ALL_KINDS } from "../../src/kinds/all-kinds.ts";
import { namesFor } from "../../src/meta/names.ts";
import { builtInRules } from "../../src/registry/object-rules.ts";
import { minimalObject } from "../conformance/minimal-objects.testing.ts";
import { filledObject, placesOf } from "./fill-schema.testing.ts";

const names = namesFor("kubernetes");
const context = { names, gateEnabled: () => true, nowMs: 0, userName: "alice", allowPrivileged: true };
const WIDE = FEW_KEYS + 1;

it.each(ALL_KINDS.filter(({ columns }) => columns !== undefined))(
  "cells of $kind $version look for no keys anew",
  (kind) => {
    const asked: string[] = [];
    for (const place of placesOf(kind.schema, (path) => /(?:^|\.)(?:metadata|template)\./.test(path))) {
      const body = filledObject(minimalObject(kind, names), kind.schema, place, WIDE, "sparse");
      const { object } = builtInRules(kind, () => true).shape(body as JsonObject, { reuse: true });
      const counted = counting(object, () => asked.push(place.path.join(".")));
      for (const { cell } of kind.columns!) if (typeof cell === "function") cell(counted as never, context);
    }
    expect(asked).toEqual([]);
  },
);

/** The same object, whose wide maps are known and tell when somebody has their keys found. */
function counting(value: unknown, found: () => void): unknown {
  if (Array.isArray(value)) return value.map((item) => counting(item, found));
  if (!isObject(value)) return value;
  const copy: JsonObject = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, counting(inner, found) as never]),
  );
  const keys = Object.keys(copy);
  if (keys.length <= FEW_KEYS) return copy;
  const told = new Proxy(Object.preventExtensions(copy), {
    ownKeys(target) {
      found();
      return Reflect.ownKeys(target);
    },
  });
  settleKeys(told, keys);
  return told;
}
