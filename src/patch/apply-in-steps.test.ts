// Large intents are applied in steps, and come to the same as at once: maps, sets, keyed lists, and lists inside the elements
// of lists.

import { describe, expect, it } from "vitest";
import { cloneJson, type JsonObject } from "../base/json.ts";
import { counted } from "../base/steps.testing.ts";
import { atOnce } from "../base/steps.ts";
import type { ApiObject } from "../meta/object.ts";
import { type ApplyInput, applyIntent, applyIntentInSteps } from "./apply.ts";
import { applyConflictError } from "./apply-conflict.ts";
import { thing } from "./apply-story.testing.ts";
import { trackUpdate, trackUpdateInSteps, type UpdateInput } from "./track-update.ts";
import { atomOf } from "./typed/atom.ts";
import { compareTyped, compareTypedInSteps } from "./typed/compare.ts";
import { extractFieldSet } from "./typed/extract.ts";
import { mergeTyped, mergeTypedInSteps } from "./typed/merge.ts";
import { reconcileFieldSet, reconcileFieldSetInSteps } from "./typed/reconcile.ts";
import { TypedError } from "./typed/typed-error.ts";
import { validateTyped } from "./typed/validate.ts";

const COUNT = 5_000;
const numbers = (from = 0, to = COUNT): number[] => Array.from({ length: to - from }, (_, index) => index + from);

type Part = (indexes: readonly number[], value: string) => JsonObject;

const parts: readonly (readonly [string, Part])[] = [
  ["a map", (indexes, value) => ({ data: Object.fromEntries(indexes.map((index) => [`k${index}`, value])) })],
  ["a set", (indexes, value) => ({ metadata: { finalizers: indexes.map((index) => `f${index}`), labels: { value } } })],
  [
    "a keyed list",
    (indexes, value) => ({ spec: { items: indexes.map((index) => ({ name: `n${index}`, image: value })) } }),
  ],
  [
    "a list in an element of a list",
    (indexes, value) => ({
      spec: { items: [{ name: "one", env: indexes.map((index) => ({ name: `E${index}`, value })) }] },
    }),
  ],
];

const bodyOf = (body: JsonObject): ApiObject =>
  ({ apiVersion: "v1", kind: "Thing", ...body, metadata: { name: "thing", ...(body["metadata"] as object) } }) as never;

const context = { schema: thing, apiVersion: "v1", kind: "Thing", now: "2026-01-01T00:00:00Z" };

/** What an apply in steps gives, which is what it gives at once. */
async function applied(live: ApiObject | undefined, manager: string, body: JsonObject, force = false) {
  const input = (): ApplyInput => ({
    ...context,
    live: live && cloneJson(live),
    intent: bodyOf(cloneJson(body)),
    manager,
    force,
  });
  const { result, steps } = counted(applyIntentInSteps(input()));
  expect(comparable(result)).toEqual(comparable(applyIntent(input())));
  expect(steps).toBeGreaterThan(15);
  return result;
}

/** Every conflict names its manager, with all that it owns: once is enough. */
function comparable(result: ReturnType<typeof applyIntent>) {
  if (result.conflicts === undefined) return result;
  return result.conflicts.map(({ manager: { name, operation, apiVersion }, path }) => ({
    name,
    operation,
    apiVersion,
    path,
  }));
}

async function updated(live: ApiObject | undefined, manager: string, body: JsonObject): Promise<ApiObject> {
  const input = (): UpdateInput => ({
    ...context,
    resetRule: "document",
    live: live && cloneJson(live),
    updated: bodyOf({ ...cloneJson(body), metadata: { ...(body["metadata"] as object), ...managersOf(live) } }),
    manager,
  });
  const managedFields = atOnce(trackUpdateInSteps(input()));
  expect(managedFields).toEqual(trackUpdate(input()));
  const object = bodyOf(body);
  return { ...object, metadata: { ...object.metadata, ...(managedFields && { managedFields }) } };
}

const managersOf = (live: ApiObject | undefined): object =>
  live?.metadata.managedFields === undefined ? {} : { managedFields: live.metadata.managedFields };

describe.each(parts)("%s", (_what, part) => {
  it("is applied first, again, and by one who drops a half", async () => {
    const first = await applied(undefined, "a", part(numbers(), "1"));
    expect(first.conflicts).toBeUndefined();
    if (first.conflicts !== undefined) return;
    const again = await applied(first.object, "a", part(numbers(), "1"));
    expect(again).toMatchObject({ changed: false });
    const half = await applied(first.object, "a", part(numbers(0, COUNT / 2), "1"));
    expect(half).toMatchObject({ changed: true });
  });

  it("is applied over what somebody else wrote, and by force over what another applied", async () => {
    const written = await updated(undefined, "u", part(numbers(0, 3_000), "1"));
    const over = await applied(written, "a", part(numbers(1_000), "1"));
    if (over.conflicts !== undefined) throw new Error("no conflict is expected");
    const forced = await applied(over.object, "b", part(numbers(), "2"), true);
    expect(forced).toMatchObject({ changed: true });
  });

  it("loses what an update takes away, and all of it", async () => {
    const first = await updated(undefined, "u", part(numbers(), "1"));
    const less = await updated(first, "v", part(numbers(0, 100), "2"));
    const none = await updated(less, "w", { data: {} });
    expect(none.metadata.managedFields).toHaveLength(1);
  });
});

it("who drops all of what it had waits for others between all that is done about it", async () => {
  const data = Object.fromEntries(numbers().map((each) => [`k${each}`, "1"]));
  const first = await applied(undefined, "a", { data });
  if (first.conflicts !== undefined) throw new Error("no conflict is expected");
  const input = { ...context, live: first.object, intent: bodyOf({}), manager: "a", force: false };
  const { result, steps } = counted(applyIntentInSteps(input));
  expect(result).toMatchObject({ changed: true });
  expect(steps).toBeGreaterThan(130);
});

it("conflicts that are many are counted, all of them", async () => {
  const first = await applied(undefined, "a", { data: Object.fromEntries(numbers().map((each) => [`k${each}`, "1"])) });
  if (first.conflicts !== undefined) throw new Error("no conflict is expected");
  const other = Object.fromEntries(numbers().map((each) => [`k${each}`, "2"]));
  const { conflicts } = await applied(first.object, "b", { data: other });
  expect(conflicts).toHaveLength(COUNT);
  expect(applyConflictError(conflicts!).message).toMatch(/^Apply failed with 5000 conflicts: /);
});

it("what does not fit is found in the order of the document, behind thousands that do", () => {
  const items = numbers().map((index) => ({ name: `n${index}`, image: index % 2_400 === 0 ? index : "i" }));
  const check = () => validateTyped({ spec: { items, replicas: "x" } }, atomOf(thing));
  expect(check).toThrow(TypedError);
  expect(check).toThrow(/name="n0".*\n?.*name="n2400".*\n?.*name="n4800".*\n?.*replicas/s);
});

describe("a set", () => {
  const atom = atomOf(thing);
  const finalizers = (indexes: readonly number[]) => ({
    metadata: { finalizers: indexes.map((index) => `f${index}`) },
  });

  it.each([
    ["the same", numbers(), 75],
    ["the same in another order", numbers().reverse(), 115],
    ["half of it and more", numbers(COUNT / 2, COUNT * 2), 145],
  ])("is merged in steps with %s", (_what, indexes, least) => {
    const { result, steps } = counted(mergeTypedInSteps(finalizers(numbers()), finalizers(indexes), atom));
    expect(result).toEqual(mergeTyped(finalizers(numbers()), finalizers(indexes), atom));
    expect(steps).toBeGreaterThan(least);
  });

  it("that somebody owns is read under today's markers in steps", () => {
    const set = extractFieldSet({ ...finalizers(numbers()), spec: { list: ["a"], selector: { a: "b" } } }, atom);
    // Both were no units once.
    const below = new Map([["f:x", { member: true, children: undefined }]]);
    const spec = new Map(["f:list", "f:selector"].map((name) => [name, { member: false, children: below }]));
    const before = new Map(set).set("f:spec", { member: false, children: spec });
    const { result, steps } = counted(reconcileFieldSetInSteps(before, atom));
    expect(result).toEqual(set);
    expect(result).toEqual(reconcileFieldSet(before, atom));
    expect(steps).toBeGreaterThan(8);
    expect(atOnce(reconcileFieldSetInSteps(set, atom))).toBe(set);
  });
});

describe("a long list where an empty object has null", () => {
  it("is compared in steps, and is new all through", () => {
    const atom = atomOf(thing);
    const sides = [
      { spec: { items: null } },
      { spec: { items: numbers().map((index) => ({ name: `n${index}`, image: "a" })) } },
    ] as const;
    const { result, steps } = counted(compareTypedInSteps(...sides, atom));
    expect(result).toEqual(compareTyped(...sides, atom));
    expect(steps).toBeGreaterThan(3);
  });
});
