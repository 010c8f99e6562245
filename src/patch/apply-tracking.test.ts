// What applies track and refuse where the rules of the document are silent: as upstream does.

import { describe, expect, it } from "vitest";
import { cloneJson } from "../base/json.ts";
import { applyIntent } from "./apply.ts";
import { story, thing } from "./apply-story.testing.ts";

const items = (...list: { name: string; [field: string]: string }[]) => ({ spec: { items: list } });

describe("what is tracked", () => {
  it("never tracks what identifies the object and what the server keeps", () => {
    const metadata = { name: "thing", namespace: "n", uid: "u", resourceVersion: "1", labels: { a: "1" } };
    expect(story(thing).apply("a", { metadata }).owners()).toEqual({ a: ".metadata.labels.a" });
    expect(story(thing).update("u", { metadata }).owners()).toEqual({
      "u Update": ".metadata.labels .metadata.labels.a",
    });
  });

  it("does not track what the endpoint resets", () => {
    const options = { resetFields: [["status"]] };
    expect(
      story(thing, options)
        .apply("a", { data: { x: "1" }, status: { name: "n" } })
        .owners(),
    ).toEqual({ a: ".data.x" });
    expect(
      story(thing, options)
        .update("u", { data: { x: "1" }, status: { name: "n" } })
        .owners(),
    ).toEqual({
      "u Update": ".data .data.x",
    });
  });

  it("keeps an entry of its own for a sub-resource", () => {
    const both = story(thing)
      .apply("a", { data: { x: "1" } })
      .apply("a", { status: { name: "n" } }, { subresource: "status", resetFields: [["data"]] });
    expect(both.owners()).toEqual({ a: ".data.x", "a status": ".status.name" });
  });

  it("gives what was there before the first apply to a manager of its own", () => {
    const untracked = story(thing);
    untracked.object = { apiVersion: "v1", kind: "Thing", metadata: { name: "thing" }, data: { x: "1" } };
    expect(untracked.apply("a", { data: { x: "2" } }).conflict).toBe(
      'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.x',
    );
    expect(untracked.apply("a", { data: { y: "2" } }).owners()).toEqual({
      a: ".data.y",
      "before-first-apply Update": ".data .data.x",
    });
  });

  it("starts to track an untracked object only with an apply", () => {
    const untracked = story(thing);
    untracked.object = { apiVersion: "v1", kind: "Thing", metadata: { name: "thing" } };
    expect(untracked.update("u", { data: { x: "1" } }).entries()).toEqual([]);
  });

  it("sets the time when something changes and keeps it when nothing does", () => {
    const applied = story(thing).apply("a", { data: { x: "1" } });
    const [{ time }] = applied.entries() as [{ time: string }];
    expect(applied.apply("a", { data: { x: "1" } }).entries()[0]!.time).toBe(time);
    expect(applied.apply("a", { data: { x: "2" } }).entries()[0]!.time).not.toBe(time);
  });

  it("keeps entries of versions that are no more", () => {
    const moved = story(thing).apply("a", { data: { x: "1" } }, { apiVersion: "v1" });
    moved.object!.metadata.managedFields![0]!.apiVersion = "v0";
    expect(moved.apply("b", { data: { x: "2" } }).owners()).toEqual({ a: ".data.x", b: ".data.x" });
  });

  it("reads entries of other versions through conversion", () => {
    const moved = story(thing, {
      convert: function* (object) {
        yield;
        return { object, schema: thing };
      },
    }).apply("a", {
      data: { x: "1", y: "1" },
    });
    moved.object!.metadata.managedFields![0]!.apiVersion = "v0";
    expect(moved.apply("b", { data: { x: "2" } }).conflict).toContain('conflict with "a": .data.x');
    expect(moved.apply("a", { data: { y: "1" } }).body()).toMatchObject({ data: { y: "1" } });
  });
});

describe("clients that applied on their side before", () => {
  const annotation = "example.com/last-applied";
  const options = { lastAppliedAnnotation: annotation };
  const last = (data: Record<string, string>) =>
    JSON.stringify({ apiVersion: "v1", kind: "Thing", metadata: { name: "thing" }, data });
  const clientSide = (data: Record<string, string>, applied: Record<string, string>) =>
    story(thing, options).update("kubectl-client-side-apply", {
      data,
      metadata: { annotations: { [annotation]: last(applied) } },
    });

  it("take what they applied without conflict, and keep the annotation up to date", () => {
    const moved = clientSide({ x: "1" }, { x: "1" }).apply("kubectl", { data: { x: "2" } });
    expect(moved.conflict).toBeUndefined();
    expect(moved.object!.metadata.annotations![annotation]).toBe(
      '{"apiVersion":"v1","data":{"x":"2"},"kind":"Thing","metadata":{"name":"thing"}}\n',
    );
  });

  it("conflict where the value is no longer theirs", () => {
    const moved = clientSide({ x: "changed", y: "1" }, { x: "1", y: "1" }).apply("kubectl", {
      data: { x: "2", y: "2" },
    });
    expect(moved.conflict).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: .data.x',
    );
  });

  it("conflict under any other name", () => {
    expect(clientSide({ x: "1" }, { x: "1" }).apply("other", { data: { x: "2" } }).conflict).toContain("1 conflict");
  });
});

describe("an intent that cannot be applied", () => {
  it.each<[why: string, body: object, message: string]>([
    [
      "an unknown field",
      { bogus: 1 },
      "failed to create typed patch object (/thing; /v1, Kind=Thing): .bogus: field not declared in schema",
    ],
    [
      "a wrong type",
      { data: [] },
      "failed to create typed patch object (/thing; /v1, Kind=Thing): .data: expected map, got &{[]}",
    ],
    [
      "repeated keys",
      items({ name: "a" }, { name: "a" }),
      'failed to create typed patch object (/thing; /v1, Kind=Thing): .spec.items: duplicate entries for key [name="a"]',
    ],
    [
      "repeated values of a set",
      { metadata: { name: "thing", finalizers: ["x", "x"] } },
      'failed to create typed patch object (/thing; /v1, Kind=Thing): .metadata.finalizers: duplicate entries for key [="x"]',
    ],
    [
      "managedFields, even empty",
      { metadata: { name: "thing", managedFields: [] } },
      "metadata.managedFields must be nil",
    ],
    [
      "managedFields",
      { metadata: { name: "thing", managedFields: [{ manager: "x" }] } },
      "metadata.managedFields must be nil",
    ],
    ["another kind", { kind: "Other" }, "invalid object type: /v1, Kind=Other"],
    ["no version", { apiVersion: undefined }, "invalid object type: /, Kind=Thing"],
  ])("is refused for %s", (_why, body, message) => {
    expect(() => story(thing).apply("a", body as never)).toThrow(expect.objectContaining({ code: 400, message }));
  });

  it("is refused when it nests too deeply", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 50_000; level++) deep = { a: deep };
    expect(() => story(thing).apply("a", { spec: { raw: deep } } as never)).toThrow("nest");
  });

  it("takes keys that are special to JavaScript for ordinary ones", () => {
    const hostile = story(thing).apply("a", JSON.parse('{"data":{"__proto__":"1","constructor":"2"}}'));
    expect(hostile.owners()).toEqual({ a: ".data.__proto__ .data.constructor" });
    expect(Object.hasOwn(hostile.body()["data"] as object, "__proto__")).toBe(true);
    expect(hostile.apply("a", { data: { constructor: "2" } } as never).owners()).toEqual({ a: ".data.constructor" });
  });

  it("never changes what it was given", () => {
    const live = story(thing).apply("a", { data: { x: "1" }, ...items({ name: "one" }) }).object!;
    const intent = { apiVersion: "v1", kind: "Thing", metadata: { name: "thing" }, ...items({ name: "two" }) } as never;
    const before = cloneJson([live, intent]);
    applyIntent({ live, intent, manager: "a", force: true, schema: thing, apiVersion: "v1", kind: "Thing", now: "t" });
    expect([live, intent]).toEqual(before);
  });
});
