import { describe, expect, expectTypeOf, it } from "vitest";
import { type ObjectOf, type Struct, s } from "./builder.ts";
import { conform } from "./conform.ts";

describe("struct", () => {
  it("computes members on the first look and only once", () => {
    let calls = 0;
    const lazy = s.struct("test.v1.Lazy", () => {
      calls++;
      return { a: s.string({ proto: 1 }) };
    });
    expect(calls).toBe(0);
    expect(lazy.members.length + lazy.fields.size).toBe(2);
    expect(calls).toBe(1);
  });

  it("may contain itself", () => {
    interface Tree {
      children?: Tree[];
    }
    const tree: Struct<Tree> = s.struct<Tree>("test.v1.Tree", {}, () => ({
      children: s.list(tree, { proto: 1, optional: true }),
    }));
    expect(tree.fields.get("children")?.schema).toMatchObject({ type: "list", items: tree });
  });

  it("keeps inlined structs as members and flattens their fields in place", () => {
    const inner = s.struct("test.v1.Inner", () => ({ b: s.string({ proto: 1 }), c: s.string({ proto: 2 }) }));
    const outer = s.struct("test.v1.Outer", () => ({
      a: s.string({ proto: 1 }),
      inner: s.inline(inner, { proto: 2, protoName: "inner" }),
      d: s.string({ proto: 3 }),
    }));
    expect([...outer.fields.keys()]).toEqual(["a", "b", "c", "d"]);
    expect(outer.members[1]).toEqual({ inline: inner, proto: 2, protoName: "inner" });
  });
});

describe("fields", () => {
  const inner = s.struct("test.v1.Inner", () => ({}));
  const cases = s.struct("test.v1.Cases", () => ({
    name: s.string({ proto: 1 }),
    optional: s.string({ proto: 2, optional: true }),
    pointer: s.int32({ proto: 3, optional: true, pointer: true }),
    requiredOmitted: s.string({ proto: 4, omitEmpty: true }),
    written: s.int32({ proto: 5, required: false }),
    struct: s.of(inner, { proto: 6, optional: true }),
    structPointer: s.of(inner, { proto: 7, optional: true, pointer: true }),
    granular: s.of(inner, { proto: 8, optional: true, pointer: true, mapType: "granular" }),
    mode: s.enumOf(["A", "B"], { proto: 9, default: "A" }),
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
    const inner = s.struct("test.v1.Inner", () => ({ x: s.int32({ proto: 1, optional: true }) }));
    const outer = s.struct("test.v1.Outer", () => ({
      name: s.string({ proto: 1 }),
      optional: s.boolean({ proto: 2, optional: true }),
      always: s.of(inner, { proto: 3, optional: true }),
      sometimes: s.of(inner, { proto: 4, optional: true, pointer: true }),
      list: s.list(inner, { proto: 5 }),
      map: s.map("quantity", { proto: 6, optional: true }),
      time: s.time({ proto: 7, required: false }),
      mode: s.enumOf(["A", "B"], { proto: 8, optional: true }),
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
      mode: s.enumOf(["A"], { alias: "Mode", proto: 1, optional: true }),
      kinds: s.list("string", { alias: "types.Kind", proto: 2, optional: true }),
      amounts: s.map("quantity", { alias: "Amounts", proto: 3, optional: true }),
    }));
    const shape = (value: object) => conform(value, thing, { unknownFields: "collect" });
    expect(() => shape({ mode: 1 })).toThrow("into Go struct field Thing.mode of type v1.Mode");
    expect(() => shape({ kinds: [1] })).toThrow("into Go struct field Thing.kinds of type types.Kind");
    expect(() => shape({ kinds: 1 })).toThrow("into Go struct field Thing.kinds of type []types.Kind");
    expect(() => shape({ amounts: 1 })).toThrow("into Go struct field Thing.amounts of type v1.Amounts");
  });
});
