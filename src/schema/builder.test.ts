import { describe, expect, expectTypeOf, it } from "vitest";
import { type ObjectOf, opt, ptr, type Struct, s, shown } from "./builder.ts";
import { conform } from "./conform.ts";

describe("struct", () => {
  it("computes members on the first look and only once", () => {
    let calls = 0;
    const lazy = s.struct("test.v1.Lazy", () => {
      calls++;
      return { a: s.string(1) };
    });
    expect(calls).toBe(0);
    expect(lazy.members.length + lazy.fields.size).toBe(2);
    expect(calls).toBe(1);
  });

  it("may contain itself", () => {
    interface Tree {
      children?: Tree[];
    }
    const tree: Struct<Tree> = s.struct<Tree>("test.v1.Tree", "Holds others like it.", {}, () => ({
      children: opt.list(tree, 1),
    }));
    expect(tree.fields.get("children")?.schema).toMatchObject({ type: "list", items: tree });
  });

  it("keeps inlined structs as members and flattens their fields in place", () => {
    const inner = s.struct("test.v1.Inner", () => ({ b: s.string(1), c: s.string(2) }));
    const outer = s.struct("test.v1.Outer", () => ({
      a: s.string(1),
      inner: s.inline(inner, 2),
      d: s.string(3),
    }));
    expect([...outer.fields.keys()]).toEqual(["a", "b", "c", "d"]);
    expect(outer.members[1]).toEqual({ inline: inner, proto: 2, protoName: "inner" });
  });
});

describe("fields", () => {
  const inner = s.struct("test.v1.Inner", () => ({}));
  const cases = s.struct("test.v1.Cases", () => ({
    name: s.string(1),
    optional: opt.string(2),
    pointer: ptr.int32(3),
    requiredOmitted: s.string(4, undefined, { omitEmpty: true }),
    written: shown.int32(5),
    struct: opt.of(inner, 6),
    structPointer: ptr.of(inner, 7),
    granular: ptr.of(inner, 8, undefined, { mapType: "granular" }),
    mode: s.enumOf("Mode", ["A", "B"], 9, undefined, { default: "A" }),
  }));

  it.each([
    ["name", { required: true, publishedDefault: "" }],
    ["optional", { required: false, omitEmpty: true }],
    ["pointer", { required: false, omitEmpty: true, pointer: true }],
    ["requiredOmitted", { required: true, omitEmpty: true }],
    ["written", { required: false, publishedDefault: 0 }],
    ["struct", { required: false, omitEmpty: true, publishedDefault: {} }],
    ["structPointer", { required: false, omitEmpty: true, pointer: true }],
    ["mode", { required: true, default: "A" }],
  ])("derives what is required, omitted and published: %s", (name, expected) => {
    const { name: _name, schema: _schema, proto: _proto, ...markers } = cases.fields.get(name)!;
    expect(markers).toEqual(expected);
  });

  it("are taken over with other numbers and other texts", () => {
    const members = () => ({ a: s.string(1, "One."), b: ptr.int32(2, "Two."), inner: s.inline(inner) });
    const copy = s.struct("test.v1.Copy", () => s.retold(s.renumbered(members(), { a: 7 }), { b: "Another." }));
    const original = s.struct("test.v1.Original", members);
    expect(copy.fields.get("a")).toEqual({ ...original.fields.get("a"), proto: 7 });
    expect(copy.fields.get("b")).toEqual({ ...original.fields.get("b"), doc: "Another." });
    expect(copy.members[2]).toEqual(original.members[2]);
    expectTypeOf<ObjectOf<typeof copy>>().toEqualTypeOf<ObjectOf<typeof original>>();
  });

  it("that are lists say how their elements are told apart", () => {
    const lists = s.struct("test.v1.Lists", () => ({
      whole: opt.atomic("string", 1),
      different: opt.set("string", 2),
      ports: opt.listBy(["port", "protocol"], inner, 3),
    }));
    expect(lists.fields.get("whole")?.schema).toMatchObject({ listType: "atomic" });
    expect(lists.fields.get("different")?.schema).toMatchObject({ listType: "set" });
    expect(lists.fields.get("ports")).toMatchObject({
      schema: { listType: "map", mapKeys: ["port", "protocol"] },
      patchStrategy: ["merge"],
      patchMergeKey: "port",
    });
  });

  it("overrides the map type of a struct for one field", () => {
    expect(cases.fields.get("granular")?.schema).toMatchObject({ mapType: "granular", name: "test.v1.Inner" });
    expect(inner.mapType).toBeUndefined();
  });

  it("shares the schema of plain scalars", () => {
    expect(cases.fields.get("name")?.schema).toBe(cases.fields.get("optional")?.schema);
  });
});

describe("the type of a struct", () => {
  it("says what is always there, what may be absent and what may be null", () => {
    const inner = s.struct("test.v1.Inner", () => ({ x: opt.int32(1) }));
    const outer = s.struct("test.v1.Outer", () => ({
      name: s.string(1),
      optional: opt.boolean(2),
      always: opt.of(inner, 3),
      sometimes: ptr.of(inner, 4),
      list: s.list(inner, 5),
      map: opt.map("quantity", 6),
      time: shown.time(7),
      mode: opt.enumOf("Mode", ["A", "B"], 8),
      inlined: s.inline(inner),
    }));
    expectTypeOf<ObjectOf<typeof outer>>().toEqualTypeOf<{
      name: string;
      optional?: boolean;
      always: { x?: number };
      sometimes?: { x?: number };
      list: { x?: number }[] | null;
      map?: Record<string, string>;
      time: string | null;
      mode?: "A" | "B";
      x?: number;
    }>();
  });

  it("names types as messages do: of a list that of its items", () => {
    const thing = s.struct("test.v1.Thing", () => ({
      mode: opt.enumOf("Mode", ["A"], 1),
      kinds: opt.list("string", 2, undefined, { alias: "types.Kind" }),
      amounts: opt.map("quantity", 3, undefined, { alias: "Amounts" }),
    }));
    const shape = (value: object) => conform(value, thing, { unknownFields: "collect" });
    expect(() => shape({ mode: 1 })).toThrow("into Go struct field Thing.mode of type v1.Mode");
    expect(() => shape({ kinds: [1] })).toThrow("into Go struct field Thing.kinds of type types.Kind");
    expect(() => shape({ kinds: 1 })).toThrow("into Go struct field Thing.kinds of type []types.Kind");
    expect(() => shape({ amounts: 1 })).toThrow("into Go struct field Thing.amounts of type v1.Amounts");
  });
});
