import { describe, expect, it } from "vitest";
import { counted } from "../base/steps.testing.ts";
import { atOnce, flatMapInSteps, Pace, type Steps } from "../base/steps.ts";
import { type FieldError, fieldErrorText } from "../meta/field-error.ts";
import { defaultedResourceErrors, dropUnreadableMeta, shapeEmbeddedMeta, validateEmbedded } from "./embedded.ts";
import { schemaFromCrd } from "./from-crd.ts";
import type { Field, StructSchema } from "./schema.ts";
import { ShapeError } from "./walk.ts";

const members: Field[] = [
  { name: "name", schema: { type: "scalar", scalar: "string" }, required: false, omitEmpty: true },
  {
    name: "labels",
    schema: { type: "map", values: { type: "scalar", scalar: "string" } },
    required: false,
    omitEmpty: true,
  },
];
const objectMeta: StructSchema = {
  type: "struct",
  name: "meta.v1.ObjectMeta",
  members,
  fields: new Map(members.map((field) => [field.name, field])),
};
const embedded = {
  type: "object",
  "x-kubernetes-embedded-resource": true,
  "x-kubernetes-preserve-unknown-fields": true,
} as const;
const schema = schemaFromCrd({
  type: "object",
  properties: { spec: { type: "object", properties: { one: embedded, many: { type: "array", items: embedded } } } },
});

const noErrors = (): Steps<FieldError[]> => flatMapInSteps([], new Pace(1), () => []);

describe("embedded resources", () => {
  const ways: [string, (object: Record<string, unknown>) => Steps<unknown>][] = [
    ["shaped", (object) => shapeEmbeddedMeta(object, schema, objectMeta)],
    ["read", (object) => dropUnreadableMeta(object, schema, objectMeta)],
    ["judged", (object) => validateEmbedded(object, schema, noErrors)],
  ];
  it.each(ways)("that are many are %s in steps", (_how, work) => {
    const many = Array.from({ length: 10_000 }, () => ({ apiVersion: "v1", kind: "A", metadata: { name: "n" } }));
    expect(counted(work({ spec: { many } })).steps).toBeGreaterThan(90);
  });

  it("lose what cannot be read of their metadata where they were stored before their schema", () => {
    const one = { metadata: { name: "x", labels: { a: "b", c: 1 }, other: 1, __proto__: null } };
    const many = [
      { metadata: { name: 5, labels: { a: "b" } } },
      { metadata: "text" },
      { metadata: null },
      { metadata: { name: "n", other: 1 } },
      {},
    ];
    const object = { metadata: { name: "own", labels: 5 }, spec: { one, many } };
    atOnce(dropUnreadableMeta(object, schema, objectMeta));
    const seen = [
      { metadata: { labels: { a: "b" } } },
      { metadata: {} },
      { metadata: {} },
      { metadata: { name: "n" } },
      {},
    ];
    expect(object).toEqual({
      metadata: { name: "own", labels: 5 },
      spec: { one: { metadata: { name: "x" } }, many: seen },
    });
  });

  it("have metadata where they say null", () => {
    const object = { spec: { one: { metadata: null }, many: [{}] } };
    atOnce(shapeEmbeddedMeta(object, schema, objectMeta));
    expect(object).toEqual({ spec: { one: { metadata: {} }, many: [{}] } });
  });

  it("their metadata is shaped as that of every object, and what is unknown in it is told", () => {
    const object = {
      metadata: { name: "n", bogus: 1 },
      spec: { one: { metadata: { labels: {} } }, many: [{ metadata: { x: 1, name: "m" } }] },
    };
    expect(atOnce(shapeEmbeddedMeta(object, schema, objectMeta))).toEqual([
      'unknown field "metadata.bogus"',
      'unknown field "spec.many[0].metadata.x"',
    ]);
    expect(object).toEqual({
      metadata: { name: "n" },
      spec: { one: { metadata: {} }, many: [{ metadata: { name: "m" } }] },
    });
  });

  it("metadata of another type is refused with its place", () => {
    const object = { spec: { one: { metadata: { labels: "x" } } } };
    expect(() => atOnce(shapeEmbeddedMeta(object, schema, objectMeta))).toThrow(ShapeError);
    expect(() => atOnce(shapeEmbeddedMeta(object, schema, objectMeta))).toThrow(
      'spec.one.metadata: Invalid value: {"labels":"x"}: json: cannot unmarshal string into Go struct field ObjectMeta.labels of type map[string]string',
    );
    expect(() => atOnce(shapeEmbeddedMeta({ kind: 1 }, schema, objectMeta))).toThrow(
      "kind: Invalid value: 1: must be a string",
    );
  });

  it("need a good apiVersion and kind", () => {
    const object = { spec: { one: {}, many: [{ apiVersion: "a/b/c", kind: "No Kind" }] } };
    const errors = atOnce(validateEmbedded(object, schema, noErrors)).map(fieldErrorText);
    expect(errors.slice(0, 3)).toEqual([
      "spec.one.apiVersion: Required value",
      "spec.one.kind: Required value",
      'spec.many[0].apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
    ]);
    expect(errors[3]).toContain('spec.many[0].kind: Invalid value: "No Kind": may have mixed case');
  });

  it.each([
    [{ name: "a/b" }, `at.one.metadata.name: Invalid value: "a/b": may not contain '/'`],
    [{ name: "ok", labels: { "a b": "c" } }, 'at.one.metadata.labels: Invalid value: "a b": name part must consist of'],
    [{ labels: "x" }, 'at.one.metadata: Invalid value: {"labels":"x"}: json: cannot unmarshal string'],
    [{ name: "ok", labels: { a: "b" } }, undefined],
  ])("in defaults have metadata as every object has it: %j", (metadata, expected) => {
    const { schema: spec } = schema.fields.get("spec")!;
    const value = { one: { apiVersion: "v1", kind: "A", metadata } };
    const [first] = defaultedResourceErrors(value, spec, "at", objectMeta).map(fieldErrorText);
    if (expected === undefined) expect(first).toBeUndefined();
    else expect(first).toContain(expected);
  });
});
