import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cloneJson, type JsonObject } from "../base/json.ts";
import { atOnce } from "../base/steps.ts";
import type { ApiObject } from "../meta/object.ts";
import { story, thing } from "./apply-story.testing.ts";
import { fieldSet } from "./field-set.ts";
import { encodeFieldSet } from "./fields-v1.ts";
import { fieldPath } from "./path-element.ts";
import { keepTimesWhenUnchanged, trackUpdate, trackUpdateInSteps } from "./track-update.ts";

describe("a create", () => {
  it("gives its manager every field that it sets, with the maps that hold them", () => {
    expect(
      story(thing)
        .update("u", { data: { x: "1" }, spec: { replicas: 1, items: [{ name: "a" }] } })
        .owners(),
    ).toEqual({
      "u Update": '.data .data.x .spec.items .spec.replicas .spec.items[name="a"] .spec.items[name="a"].name',
    });
  });

  it("names a manager that nothing is known of", () => {
    expect(
      Object.keys(
        story(thing)
          .update("", { data: { x: "1" } })
          .owners(),
      ),
    ).toEqual(["unknown Update"]);
  });

  it("leaves no entry when there is nothing to own", () => {
    expect(story(thing).update("u", {}).entries()).toEqual([]);
  });

  it.each([false, true])("leaves nothing to those who owned the object elsewhere, in steps: %s", (large) => {
    const elsewhere = story(thing)
      .update("old", { data: { x: "1" }, spec: { items: [{ name: "a" }] } })
      .entries();
    const metadata = { name: "thing", managedFields: [...elsewhere] };
    const body = { data: { x: "1" }, spec: { items: [{ name: "a" }] } };
    const updated = { apiVersion: "v1", kind: "Thing", metadata, ...body } as unknown as ApiObject;
    const context = { schema: thing, apiVersion: "v1", kind: "Thing", now: "2026-01-02T00:00:00Z" };
    const input = { ...context, live: undefined, updated, manager: "u", resetRule: "document" } as const;
    const tracked = atOnce(trackUpdateInSteps(input, large));
    expect(tracked?.map(({ manager }) => manager)).toEqual(["u"]);
    expect(tracked?.[0]?.fieldsV1).toEqual(elsewhere[0]?.fieldsV1);
  });
});

describe("an update", () => {
  it("adds to the entry that its manager has in the same version", () => {
    const twice = story(thing)
      .update("u", { data: { x: "1" } })
      .update("u", { data: { x: "1", y: "2" } });
    expect(twice.owners()).toEqual({ "u Update": ".data .data.x .data.y" });
    expect(twice.entries().map(({ time }) => time)).toEqual(["2026-01-01T00:02:00Z"]);
  });

  it("leaves the owner of a map its owner when the content changes hands", () => {
    const replaced = story(thing)
      .update("a", { data: { x: "1" } })
      .update("b", { data: { y: "1" } });
    expect(replaced.owners()).toEqual({ "a Update": ".data", "b Update": ".data.y" });
  });

  it("leaves everybody what they have when a manager changes values of its own", () => {
    const own = story(thing)
      .apply("a", { spec: { replicas: 1 } })
      .update("u", { data: { x: "1" }, spec: { replicas: 1 } })
      .update("u", { data: { x: "2" }, spec: { replicas: 1 } });
    expect(own.owners()).toEqual({ a: ".spec.replicas", "u Update": ".data .data.x" });
    expect(own.entries().map(({ time }) => time)).toEqual(["2026-01-01T00:01:00Z", "2026-01-01T00:03:00Z"]);
  });

  it("takes a value that its manager owns from others who own it too", () => {
    const shared = story(thing)
      .update("u", { data: { x: "1" } })
      .apply("a", { data: { x: "1" } })
      .update("u", { data: { x: "2" } });
    expect(shared.owners()).toEqual({ "u Update": ".data .data.x" });
  });

  it("gives its manager a value that nobody owned", () => {
    const managedFields = story(thing)
      .update("u", { data: { x: "1" } })
      .entries();
    const metadata = { name: "thing", managedFields: [...managedFields] };
    const live = { apiVersion: "v1", kind: "Thing", metadata, data: { x: "1", y: "1" } } as ApiObject;
    const updated = { ...live, data: { x: "1", y: "2" } } as ApiObject;
    const context = { schema: thing, apiVersion: "v1", kind: "Thing", now: "2026-01-01T00:00:00Z" };
    const tracked = trackUpdate({ ...context, live, updated, manager: "u", resetRule: "document" });
    expect(tracked?.map(({ fieldsV1 }) => fieldsV1)).toEqual([{ "f:data": { ".": {}, "f:x": {}, "f:y": {} } }]);
  });

  // The steps of large objects know no shortcuts.
  it("leaves the same, whatever changes, at once and in steps", () => {
    const value = fc.option(fc.constantFrom("1", "2"), { nil: undefined });
    const body = fc.record({ data: fc.record({ x: value, y: value }), spec: fc.record({ replicas: fc.nat(1) }) });
    const write = fc.record({ manager: fc.constantFrom("u", "v"), apply: fc.boolean(), body });
    fc.assert(
      fc.property(fc.array(write, { minLength: 1, maxLength: 4 }), write, (writes, last) => {
        const before = story(thing);
        for (const { manager, apply, body: sent } of writes) {
          const plain = cloneJson(sent) as JsonObject;
          if (apply) before.force(manager, plain);
          else before.update(manager, plain);
        }
        const live = before.object!;
        const { managedFields } = live.metadata;
        const updated = {
          ...live,
          ...cloneJson(last.body),
          metadata: { ...live.metadata, managedFields },
        } as ApiObject;
        const context = { schema: thing, apiVersion: "v1", kind: "Thing", now: "2026-01-02T00:00:00Z" };
        const input = { ...context, live, updated, manager: last.manager, resetRule: "document" as const };
        expect(trackUpdate(input)).toEqual(atOnce(trackUpdateInSteps(input, true)));
      }),
    );
  });

  it("ends ownership when the object cannot be read by its schema", () => {
    const tracked = story(thing).apply("a", { metadata: { finalizers: ["x"] } });
    expect(tracked.update("u", { metadata: { finalizers: [null] } } as never).entries()).toEqual([]);
  });

  it("ends ownership when an element is told apart by a text full of escapes", () => {
    const tracked = story(thing).apply("a", { data: { x: "1" } });
    const item = { name: "<".repeat(1_000) };
    expect(tracked.update("u", { spec: { items: [item] } }).entries()).toEqual([]);
  });

  it("survives managedFields in the store that cannot be read", () => {
    const live = {
      apiVersion: "v1",
      kind: "Thing",
      metadata: { name: "t", managedFields: [{ manager: "x" }] },
    } as ApiObject;
    const updated = { ...live, data: { x: "1" } } as ApiObject;
    const context = { schema: thing, apiVersion: "v1", kind: "Thing", now: "2026-01-01T00:00:00Z" };
    expect(trackUpdate({ ...context, live, updated, manager: "u", resetRule: "document" })).toBeUndefined();
  });
});

describe("a write that changes nothing but times", () => {
  const entry = (time: string, name = "x") => ({
    manager: "a",
    operation: "Update" as const,
    apiVersion: "v1",
    time,
    fieldsType: "FieldsV1",
    fieldsV1: encodeFieldSet(fieldSet(fieldPath("data", name))),
  });
  const object = (time: string, x = "1", name = "x"): ApiObject => ({
    metadata: { name: "t", managedFields: [entry(time, name)] },
    data: { x },
  });

  it("keeps the times", () => {
    expect(atOnce(keepTimesWhenUnchanged(object("then"), object("now")))).toEqual([entry("then")]);
  });

  it.each([
    ["a value changes", object("now", "2")],
    ["ownership changes", object("now", "1", "y")],
  ])("has new ones when %s", (_why, updated) => {
    expect(atOnce(keepTimesWhenUnchanged(object("then"), updated))).toBe(updated.metadata.managedFields);
  });
});
