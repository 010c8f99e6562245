// Document 1, "Server-side apply rules", one by one.

import { describe, expect, it } from "vitest";
import type { JsonObject } from "../base/json.ts";
import type { ApiObject } from "../meta/object.ts";
import { opt, s } from "../schema/builder.ts";
import { applyIntent } from "./apply.ts";
import { applyConflictError } from "./apply-conflict.ts";
import { meta, story, thing } from "./apply-story.testing.ts";

const items = (...list: { name: string; [field: string]: string }[]) => ({ spec: { items: list } });

describe("rule 1: a field that several appliers set equal is shared", () => {
  it("gives both the field", () => {
    const shared = story(thing)
      .apply("a", { data: { x: "1" } })
      .apply("b", { data: { x: "1" } });
    expect(shared.owners()).toEqual({ a: ".data.x", b: ".data.x" });
    expect(shared.changed).toBe(false);
  });

  it("gives no time to an applier that changed nothing", () => {
    const { time, ...entry } = story(thing)
      .apply("a", { data: { x: "1" } })
      .apply("b", { data: { x: "1" } })
      .entries()[0]!;
    expect([entry.manager, time]).toEqual(["b", undefined]);
  });
});

describe("rule 2: a different value for what another manager owns is a conflict", () => {
  const owned = () => story(thing).apply("a", { data: { x: "1", y: "1", z: "1" } });

  it("fails and changes nothing", () => {
    const conflicted = owned().apply("b", { data: { x: "2" } });
    expect(conflicted.conflict).toBe('Apply failed with 1 conflict: conflict with "a": .data.x');
    expect(conflicted.body()).toMatchObject({ data: { x: "1", y: "1", z: "1" } });
    expect(conflicted.owners()).toEqual({ a: ".data.x .data.y .data.z" });
  });

  it("names every field by manager", () => {
    const conflicted = owned()
      .update("u", { data: { x: "1", y: "1", z: "5", w: "1" } })
      .apply("b", { data: { x: "2", y: "2", z: "2" } });
    expect(conflicted.conflict).toBe(
      'Apply failed with 3 conflicts: conflicts with "a":\n- .data.x\n- .data.y\nconflicts with "u" using v1:\n- .data.z',
    );
  });

  it("has one cause per field", () => {
    const live = owned().object!;
    const intent = { apiVersion: "v1", kind: "Thing", metadata: { name: "thing" }, data: { x: "2", z: "2" } };
    const result = applyIntent({
      live,
      intent: intent as ApiObject,
      manager: "b",
      force: false,
      schema: thing,
      apiVersion: "v1",
      kind: "Thing",
      now: "2026-01-01T00:00:00Z",
    });
    expect(applyConflictError(result.conflicts!).toBody()).toMatchObject({
      code: 409,
      reason: "Conflict",
      details: {
        causes: [
          { reason: "FieldManagerConflict", message: 'conflict with "a"', field: ".data.x" },
          { reason: "FieldManagerConflict", message: 'conflict with "a"', field: ".data.z" },
        ],
      },
    });
  });

  it("overwrites and moves ownership when forced", () => {
    const forced = owned().force("b", { data: { x: "2" } });
    expect(forced.body()).toMatchObject({ data: { x: "2", y: "1", z: "1" } });
    expect(forced.owners()).toEqual({ a: ".data.y .data.z", b: ".data.x" });
  });

  it("names the sub-resource of the other manager", () => {
    const conflicted = story(thing)
      .apply("a", { status: { name: "x" } }, { subresource: "status" })
      .apply("b", { status: { name: "y" } }, { subresource: "status" });
    expect(conflicted.conflict).toBe(
      'Apply failed with 1 conflict: conflict with "a" with subresource "status": .status.name',
    );
  });
});

describe("rule 3: a conflicting applier may give in", () => {
  const taken = () =>
    story(thing)
      .apply("a", { data: { x: "1", y: "1" } })
      .update("u", { data: { x: "5", y: "1" } });

  it("keeps the value and gives up the field when it drops the field", () => {
    const dropped = taken().apply("a", { data: { y: "1" } });
    expect(dropped.body()).toMatchObject({ data: { x: "5", y: "1" } });
    expect(dropped.owners()).toEqual({ a: ".data.y", "u Update": ".data.x" });
  });

  it("shares the field when it sets the same value", () => {
    expect(
      taken()
        .apply("a", { data: { x: "5", y: "1" } })
        .owners(),
    ).toEqual({ a: ".data.x .data.y", "u Update": ".data.x" });
  });
});

describe("rules 4 and 6: what an applier drops is removed unless somebody else owns it", () => {
  it("removes a field that only the caller owned", () => {
    const dropped = story(thing)
      .apply("a", { data: { x: "1", y: "1" } })
      .apply("a", { data: { x: "1" } });
    expect(dropped.body()).toMatchObject({ data: { x: "1" } });
    expect(dropped.owners()).toEqual({ a: ".data.x" });
  });

  it("removes a map of which nothing is left", () => {
    const dropped = story(thing)
      .apply("a", { data: { x: "1" }, spec: { replicas: 1 } })
      .apply("a", { spec: { replicas: 1 } });
    expect(dropped.body()).toEqual({ spec: { replicas: 1 } });
  });

  it("keeps a field that is shared", () => {
    const dropped = story(thing)
      .apply("a", { data: { x: "1", y: "1" } })
      .apply("b", { data: { x: "1" } })
      .apply("a", { data: { y: "1" } });
    expect(dropped.body()).toMatchObject({ data: { x: "1", y: "1" } });
    expect(dropped.owners()).toEqual({ a: ".data.y", b: ".data.x" });
  });

  it("removes a list element with everything in it that nobody owns", () => {
    const dropped = story(thing)
      .apply("a", items({ name: "one", image: "i" }, { name: "two" }))
      .update("defaults", { spec: { items: [{ name: "one", image: "i" }, { name: "two" }] } })
      .apply("a", items({ name: "one", image: "i" }));
    expect(dropped.body()).toMatchObject(items({ name: "one", image: "i" }));
  });

  it("keeps a list element in which another manager owns a field", () => {
    const kept = story(thing)
      .apply("a", items({ name: "one", image: "i", policy: "p" }))
      .apply("b", items({ name: "one", policy: "p" }))
      .apply("a", {});
    expect(kept.body()).toMatchObject(items({ name: "one", policy: "p" }));
    expect(kept.owners()).toEqual({
      b: '.spec.items[name="one"] .spec.items[name="one"].name .spec.items[name="one"].policy',
    });
  });

  it("keeps what nobody owns in a list element that stays", () => {
    const shared = story(thing)
      .apply("a", items({ name: "one", image: "i" }))
      .apply("b", items({ name: "one" }));
    shared.object = { ...shared.object!, ...items({ name: "one", image: "i", policy: "defaulted" }) };
    expect(shared.apply("a", {}).body()).toMatchObject(items({ name: "one", policy: "defaulted" }));
    expect(shared.body()).not.toMatchObject(items({ name: "one", image: "i", policy: "defaulted" }));
  });

  it("removes from nested lists by their own keys", () => {
    const env = (...names: string[]) => ({
      spec: { items: [{ name: "one", env: names.map((name) => ({ name, value: "v" })) }] },
    });
    expect(story(thing).apply("a", env("A", "B")).apply("a", env("B")).body()).toMatchObject(env("B"));
  });

  it("drops an entry that owns nothing any more", () => {
    expect(
      story(thing)
        .apply("a", { data: { x: "1" } })
        .apply("b", { data: { y: "1" } })
        .apply("a", {})
        .owners(),
    ).toEqual({ b: ".data.y" });
  });
});

describe("rule 5: other writes never fail on ownership and take what they change", () => {
  it("takes a changed value from its owner", () => {
    const taken = story(thing)
      .apply("a", { data: { x: "1" } })
      .update("u", { data: { x: "2" } });
    expect(taken.owners()).toEqual({ "u Update": ".data.x" });
  });

  it("takes nothing for a value that stays", () => {
    const same = story(thing)
      .apply("a", { data: { x: "1" } })
      .update("u", { data: { x: "1", y: "2" } });
    expect(same.owners()).toEqual({ a: ".data.x", "u Update": ".data.y" });
  });

  it("removes the ownership of what it removes", () => {
    const removed = story(thing)
      .apply("a", { data: { x: "1", y: "1" } })
      .update("u", { data: { y: "1" } });
    expect(removed.owners()).toEqual({ a: ".data.y" });
  });

  it("conflicts later with an applier that wants the old value back", () => {
    const conflicted = story(thing)
      .apply("a", { data: { x: "1" } })
      .update("upd", { data: { x: "5" } })
      .apply("a", { data: { x: "1" } });
    expect(conflicted.conflict).toBe('Apply failed with 1 conflict: conflict with "upd" using v1: .data.x');
  });

  it("keeps the entry and its time when it changes nothing", () => {
    const unchanged = story(thing).update("u", { data: { x: "1" } });
    const before = unchanged.entries();
    expect(unchanged.update("u", { data: { x: "1" } }).entries()).toEqual(before);
  });
});

describe("rules 4 and 6: what is empty stays while somebody applies it so", () => {
  const ROWS: [what: string, empty: JsonObject, full: JsonObject][] = [
    ["a map", { data: {} }, { data: { a: "1" } }],
    ["a struct", { spec: {} }, { spec: { replicas: 1 } }],
    ["a set", { metadata: { finalizers: [] } }, { metadata: { finalizers: ["a"] } }],
    ["a keyed list", { spec: { items: [] } }, { spec: { items: [{ name: "a" }] } }],
    ["a keyed list in an element", { spec: { items: [{ name: "a", env: [] }] } }, items({ name: "a", image: "i" })],
  ];
  it.each(ROWS)("%s", (_what, empty, full) => {
    const both = story(thing).apply("one", empty).apply("two", full);
    expect(both.body()).toMatchObject(full);
    const alone = both.apply("two", {});
    expect(alone.body()).toEqual(story(thing).apply("one", empty).body());
    expect(Object.keys(alone.owners())).toEqual(["one"]);
  });
});

describe("rule 8: one empty entry resets, an empty list does not", () => {
  const tracked = () => story(thing).apply("a", { data: { x: "1" } });
  const sending = (managedFields: { manager?: string }[] | null, data = { x: "1" }) =>
    ({ data, metadata: { managedFields } }) as never;

  it("strips managedFields", () => {
    expect(
      tracked()
        .update("u", sending([{}]))
        .entries(),
    ).toEqual([]);
  });

  it("gives the caller what it changes with the same request", () => {
    expect(
      tracked()
        .update("u", sending([{}], { x: "1", y: "2" } as never))
        .owners(),
    ).toEqual({ "u Update": ".data.y" });
  });

  it("leaves no entry after a reset under upstream's rule", () => {
    expect(
      tracked()
        .update("u", sending([{}], { x: "2" }), { resetRule: "upstream" })
        .entries(),
    ).toEqual([]);
  });

  it.each([
    ["an empty list", []],
    ["null", null],
  ])("keeps everything for %s", (_what, sent) => {
    expect(tracked().update("u", sending(sent)).owners()).toEqual({ a: ".data.x" });
  });

  it("resets on an empty list under upstream's rule", () => {
    expect(tracked().update("u", sending([]), { resetRule: "upstream" }).entries()).toEqual([]);
  });

  it("ignores entries that cannot be read", () => {
    expect(
      tracked()
        .update("u", sending([{ manager: "evil" }]))
        .owners(),
    ).toEqual({ a: ".data.x" });
  });

  it("takes entries that a client edits", () => {
    const edited = {
      manager: "b",
      operation: "Apply",
      apiVersion: "v1",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:data": { "f:x": {} } },
    };
    expect(
      tracked()
        .update("u", sending([edited]))
        .owners(),
    ).toEqual({ b: ".data.x" });
  });

  it("leaves managedFields alone on sub-resources", () => {
    expect(
      tracked()
        .update("u", sending([{}]), { subresource: "status" })
        .owners(),
    ).toEqual({ a: ".data.x" });
  });
});

describe("rule 10: markers that change", () => {
  const withList = (listType: "atomic" | "set") =>
    s.struct("test.v1.Thing", () => ({
      apiVersion: opt.string(),
      kind: opt.string(),
      metadata: s.of(meta, 1),
      l: opt.list("string", 2, undefined, { listType }),
    }));

  it("leaves elements without owners when atomic becomes set", () => {
    const opened = story(withList("atomic"))
      .apply("a", { l: ["a"] })
      .schema(withList("set"))
      .apply("b", { l: ["b"] });
    expect(opened.conflict).toBeUndefined();
    expect(opened.body()).toEqual({ l: ["a", "b"] });
  });

  it("gives the owner of an element the whole list when set becomes atomic", () => {
    const closed = story(withList("set"))
      .apply("a", { l: ["a"] })
      .schema(withList("atomic"))
      .apply("b", { l: ["b"] });
    expect(closed.conflict).toBe('Apply failed with 1 conflict: conflict with "a": .l');
  });
});
