import { describe, expect, it } from "vitest";
import { atOnce } from "../base/steps.ts";
import type { ApiObject } from "../meta/object.ts";
import { story, thing } from "./apply-story.testing.ts";
import { fieldSet } from "./field-set.ts";
import { encodeFieldSet } from "./fields-v1.ts";
import { fieldPath } from "./path-element.ts";
import { keepTimesWhenUnchanged, trackUpdate } from "./track-update.ts";

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

  it("keeps ownership as it was when the object cannot be read by its schema", () => {
    const tracked = story(thing).apply("a", { metadata: { finalizers: ["x"] } });
    const before = tracked.entries();
    expect(tracked.update("u", { metadata: { finalizers: [null] } } as never).entries()).toEqual(before);
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
