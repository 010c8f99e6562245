// Patches of wide maps hand on the keys of what they make.

import { expect, it } from "vitest";
import type { JsonObject } from "../base/json.ts";
import { atOnce, type Steps } from "../base/steps.ts";
import { FEW_KEYS, isSettled, keysOf } from "../base/wide-keys.ts";
import { opt, s } from "../schema/builder.ts";
import { applyJsonPatchInSteps, decodeJsonPatch } from "./json-patch.ts";
import { applyMergePatch } from "./merge-patch.ts";
import { applyStrategicMergePatch } from "./strategic-merge.ts";
import { DEDUCED } from "./typed/atom.ts";
import { mergeTypedInSteps } from "./typed/merge.ts";

const schema = s.struct("test.v1.Thing", () => ({ labels: opt.map("string", 1) }));

const labels = Object.fromEntries(Array.from({ length: FEW_KEYS + 10 }, (_, index) => [`k${index}`, "v"]));
const { k3: _, ...others } = labels;
const operations = [
  { op: "add", path: "/labels/more", value: "v" },
  { op: "remove", path: "/labels/k3" },
  { op: "replace", path: "/labels/k1", value: "w" },
];
const patch = { labels: { more: "v", k3: null, k1: "w" } };

it.each<[string, (object: JsonObject) => Steps<unknown>, JsonObject]>([
  ["JSON patch", (object) => applyJsonPatchInSteps(object, decodeJsonPatch(operations).operations), others],
  ["merge patch", (object) => applyMergePatch(object, patch), others],
  ["strategic merge patch", (object) => applyStrategicMergePatch(object, patch, schema), others],
  ["apply", (object) => mergeTypedInSteps(object, { labels: { more: "v", k1: "w" } }, DEDUCED), labels],
])("%s", (_, apply, kept) => {
  const patched = atOnce(apply({ labels })) as { labels: JsonObject };
  expect(patched.labels).toEqual({ ...kept, k1: "w", more: "v" });
  expect(isSettled(patched.labels)).toBe(true);
  expect(keysOf(patched.labels)).toEqual(Object.keys(patched.labels));
  expect(Object.isExtensible(patched)).toBe(true);
});
