// Every kind of patch over long lists and maps, and who owns what afterwards: time grows with the input, and an answer about
// conflicts stays small.

import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../src/base/json.ts";
import { atOnce } from "../../src/base/steps.ts";
import { ALL_KINDS } from "../../src/kinds/all-kinds.ts";
import type { ApiObject } from "../../src/meta/object.ts";
import { StatusError } from "../../src/meta/status-error.ts";
import { type ApplyInput, applyIntent } from "../../src/patch/apply.ts";
import { applyConflictError } from "../../src/patch/apply-conflict.ts";
import { applyJsonPatch, decodeJsonPatch, MAX_JSON_PATCH_OPERATIONS } from "../../src/patch/json-patch.ts";
import { applyMergePatch as applyMergePatchInSteps } from "../../src/patch/merge-patch.ts";
import { applyStrategicMergePatch as applyStrategicMergePatchInSteps } from "../../src/patch/strategic-merge.ts";
import { trackUpdate } from "../../src/patch/track-update.ts";
import { growthProblem, type Work } from "./growth.testing.ts";

const applyStrategicMergePatch = (...input: Parameters<typeof applyStrategicMergePatchInSteps>) =>
  atOnce(applyStrategicMergePatchInSteps(...input));

const applyMergePatch = (...input: Parameters<typeof applyMergePatchInSteps>) =>
  atOnce(applyMergePatchInSteps(...input));

const SIZE = 3_000;

const schemaOf = (name: string) => ALL_KINDS.find(({ kind }) => kind === name)!.schema;
const configMap = schemaOf("ConfigMap");
const pod = schemaOf("Pod");

const list = (size: number, item: (index: number) => Json): Json[] =>
  Array.from({ length: size }, (_, index) => item(index));
const keys = (size: number, value = "v"): JsonObject =>
  Object.fromEntries(Array.from({ length: size }, (_, index) => [`k${index}`, value]));
const containers = (size: number, image: string): Json[] => list(size, (index) => ({ name: `c${index}`, image }));
const podOf = (size: number, image = "i"): JsonObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a" },
  spec: { containers: containers(size, image) },
});
const configMapOf = (data: JsonObject): JsonObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a" },
  data,
});

/** A refusal is an outcome too. */
const attempt = (run: () => unknown) => () => {
  try {
    return run();
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
};
const strategic =
  (original: (size: number) => JsonObject, patch: (size: number) => JsonObject, schema = pod): Work =>
  (size) => {
    const [before, change] = [original(size), patch(size)];
    return attempt(() => applyStrategicMergePatch(before, change, schema));
  };
const operations =
  (make: (index: number) => JsonObject, most = MAX_JSON_PATCH_OPERATIONS): Work =>
  (size) => {
    const { operations: all } = decodeJsonPatch(list(Math.min(size, most), make));
    const document = { a: list(size, (index) => index) };
    return attempt(() => applyJsonPatch(document, all));
  };

const input = (intent: JsonObject, schema = configMap): ApplyInput => ({
  schema,
  apiVersion: "v1",
  kind: String(intent["kind"]),
  now: "2030-01-01T00:00:00Z",
  live: undefined,
  intent: intent as unknown as ApiObject,
  manager: "one",
  force: false,
});
const applied = (given: ApplyInput): ApiObject => {
  const result = applyIntent(given);
  if (result.conflicts !== undefined) throw applyConflictError(result.conflicts);
  return result.object;
};
/** One manager applies, another one takes half of it away by force, the first gives up the rest. */
const applying =
  (intent: (size: number, value: string) => JsonObject, schema = configMap): Work =>
  (size) => {
    const [all, half, none] = [intent(size, "v"), intent(size / 2, "w"), intent(1, "w")];
    return () => {
      const first = applied(input(all, schema));
      const second = applied({ ...input(half, schema), live: first, manager: "two", force: true });
      return applied({ ...input(none, schema), live: second });
    };
  };
const conflicting =
  (intent: (size: number, value: string) => JsonObject, schema = configMap): Work =>
  (size) => {
    const live = applied(input(intent(size, "v"), schema));
    const other = { ...input(intent(size, "w"), schema), live, manager: "two" };
    return attempt(() => applied(other));
  };
const dataOf = (size: number, value: string) => configMapOf(keys(size, value));

const rows: [string, Work][] = [
  ["a strategic merge of lists", strategic(podOf, (size) => ({ spec: { containers: containers(size, "j") } }))],
  [
    "a strategic merge of lists the other way round",
    strategic(podOf, (size) => ({ spec: { containers: containers(size, "j").reverse() } })),
  ],
  [
    "a strategic merge that deletes",
    strategic(podOf, (size) => ({
      spec: { containers: list(size, (index) => ({ name: `c${index}`, $patch: "delete" })) },
    })),
  ],
  [
    "a strategic merge with an order",
    strategic(podOf, (size) => ({
      spec: {
        containers: containers(size, "j"),
        "$setElementOrder/containers": list(size, (index) => ({ name: `c${index}` })),
      },
    })),
  ],
  [
    "a strategic merge with a wrong order",
    strategic(podOf, (size) => ({
      spec: {
        containers: containers(size, "j"),
        "$setElementOrder/containers": list(size, (index) => ({ name: `d${index}` })),
      },
    })),
  ],
  [
    "a strategic merge of texts",
    strategic(
      (size) => ({ metadata: { finalizers: list(size, (index) => `a${index}`) } }),
      (size) => ({
        metadata: {
          finalizers: list(size, (index) => `b${index}`),
          "$deleteFromPrimitiveList/finalizers": list(size, (index) => `a${index * 2}`),
        },
      }),
    ),
  ],
  [
    "a strategic merge of maps",
    strategic(
      (size) => configMapOf(keys(size)),
      (size) => ({ data: keys(size * 2) }),
      configMap,
    ),
  ],
  [
    "a merge patch",
    (size) => {
      const [before, change] = [configMapOf(keys(size)), { data: keys(size * 2, "w") }];
      return () => applyMergePatch(before, change);
    },
  ],
  // Each moves the whole list: a patch takes as long as its operations, of which there are only so many, times the list.
  ["a JSON patch that adds in front", operations(() => ({ op: "add", path: "/a/0", value: 1 }), 500)],
  ["a JSON patch that moves", operations(() => ({ op: "move", from: "/a/0", path: "/a/-" }))],
  ["a JSON patch that tests", operations((index) => ({ op: "test", path: `/a/${index}`, value: index }))],
  ["a JSON patch that copies", operations((index) => ({ op: "copy", from: "/a", path: `/b${index}` }))],
  ["applies of maps", applying(dataOf)],
  ["applies of lists", applying(podOf, pod)],
  ["conflicts about maps", conflicting(dataOf)],
  ["conflicts about lists", conflicting(podOf, pod)],
  [
    "the managers after an update",
    (size) => {
      const live = applied(input(dataOf(size, "v")));
      const updated = { ...live, ...dataOf(size * 2, "w") } as unknown as ApiObject;
      return () =>
        trackUpdate({ ...input({ kind: "ConfigMap" }), live, updated, manager: "two", resetRule: "document" });
    },
  ],
];

describe("the cost of a patch", () => {
  it.each(rows)("grows with the input: %s", (_name, work) => {
    expect(growthProblem(work, SIZE)).toBeUndefined();
  });

  it("is not an answer as long as the object", () => {
    for (const work of [conflicting(dataOf), conflicting(podOf, pod)]) {
      const error = work(SIZE)() as StatusError;
      expect(error.code).toBe(409);
      expect(error.message).toMatch(/^Apply failed with \d+ conflicts: /);
      expect(JSON.stringify(error.toBody()).length).toBeLessThan(64 * 1024);
    }
  });
});
