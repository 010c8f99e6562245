import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { atOnce } from "../base/steps.ts";
import { conform, conformInSteps, ShapeError } from "./conform.ts";
import type {
  AnySchema,
  Field,
  ListSchema,
  MapSchema,
  ScalarSchema,
  ScalarType,
  Schema,
  StructSchema,
} from "./schema.ts";

const scalar = (type: ScalarType): ScalarSchema => ({ type: "scalar", scalar: type });
const list = (items: Schema): ListSchema => ({ type: "list", items });
const map = (values: Schema): MapSchema => ({ type: "map", values });

function field(name: string, schema: Schema, extra: Partial<Field> = {}): Field {
  return { name, schema, required: false, ...extra };
}

function struct(name: string, members: Field[]): StructSchema {
  return { type: "struct", name, members, fields: new Map(members.map((member) => [member.name, member])) };
}

const optional = { omitEmpty: true };

const port = struct("core.v1.Port", [
  field("name", scalar("string"), optional),
  field("number", scalar("int32")),
  field("target", scalar("intOrString"), optional),
]);
const spec = struct("core.v1.ThingSpec", [
  field("replicas", scalar("int32"), { ...optional, pointer: true }),
  field("ports", list(port), optional),
  field("args", list(scalar("string"))),
  field("limits", map(scalar("quantity")), optional),
  field("timeout", scalar("duration"), { ...optional, pointer: true }),
  field("size", scalar("int64"), optional),
  field("policy", { ...scalar("string"), alias: "RestartPolicy" }, optional),
  field("gated", scalar("string"), { ...optional, gate: "NewThing" }),
]);
const thing = struct("core.v1.Thing", [
  field("kind", scalar("string"), optional),
  field(
    "metadata",
    struct("meta.v1.ObjectMeta", [
      field("name", scalar("string"), optional),
      field("creationTimestamp", scalar("time"), { omitEmpty: true, omitZero: true }),
      field("labels", map(scalar("string")), optional),
    ]),
    optional,
  ),
  field("spec", spec, optional),
  field("data", map(scalar("bytes")), optional),
  field("seen", scalar("microTime"), optional),
  field("extra", { type: "any", wire: "rawExtension" }, { ...optional, pointer: true }),
  field("status", struct("core.v1.ThingStatus", [field("phase", scalar("string"), optional)]), optional),
]);

const EMPTY = { metadata: {}, spec: { args: null }, seen: null, status: {} };

const shape = (value: unknown) => conform(value, thing, { unknownFields: "collect" });

describe("conform", () => {
  it("writes the values that are always there", () => {
    expect(shape({}).value).toEqual(EMPTY);
  });

  it("writes members in the schema's order and maps in the order of their keys", () => {
    const { value } = shape({
      status: { phase: "x" },
      metadata: { labels: { b: "1", a: "2" }, name: "n" },
      kind: "Thing",
    });
    expect(JSON.stringify(value)).toBe(
      '{"kind":"Thing","metadata":{"name":"n","labels":{"a":"2","b":"1"}},"spec":{"args":null},"seen":null,"status":{"phase":"x"}}',
    );
  });

  const SPECS: [what: string, given: unknown, expected: unknown][] = [
    ["drops empty optional values", { ports: [], size: 0, limits: {}, policy: "" }, { args: null }],
    ["keeps a zero behind a pointer", { replicas: 0 }, { replicas: 0, args: null }],
    ["takes null for absent", { replicas: null, ports: null, args: null, policy: null }, { args: null }],
    ["keeps an empty list that is always written", { args: [] }, { args: [] }],
    [
      "fills null elements with zero values",
      { ports: [null], args: [null] },
      { ports: [{ number: 0, target: 0 }], args: [""] },
    ],
    ["fills null values of maps", { limits: { cpu: null } }, { args: null, limits: { cpu: "0" } }],
    [
      "canonicalises quantities",
      { limits: { a: "1000m", b: 0.5, c: "1024Ki" } },
      { args: null, limits: { a: "1", b: "500m", c: "1Mi" } },
    ],
    ["canonicalises durations", { timeout: "90s" }, { args: null, timeout: "1m30s" }],
    [
      "keeps integers or strings apart",
      { ports: [{ number: 1, target: "80" }] },
      { ports: [{ number: 1, target: "80" }], args: null },
    ],
    ["keeps 64-bit integers exact", { size: 9007199254740993n }, { args: null, size: 9007199254740993n }],
  ];
  it.each(SPECS)("%s", (_what, given, expected) => {
    expect(shape({ spec: given }).value).toEqual({ ...EMPTY, spec: expected });
  });

  it("canonicalises times and bytes", () => {
    const { value } = shape({
      metadata: { creationTimestamp: "2024-05-06T07:08:09.5+02:00" },
      seen: "2024-05-06T07:08:09.123456Z",
      data: { a: "YQ==", b: "Y\nR==", c: null },
    });
    expect(value).toMatchObject({
      metadata: { creationTimestamp: "2024-05-06T05:08:09Z" },
      seen: "2024-05-06T07:08:09.123456Z",
      data: { a: "YQ==", b: "YQ==", c: null },
    });
    expect(shape({ metadata: { creationTimestamp: "0001-01-01T00:00:00Z" } }).value).toEqual(EMPTY);
  });

  it("drops a pointer to the zero time, which would be written as null", () => {
    const clock = struct("core.v1.Clock", [field("at", scalar("time"), { ...optional, pointer: true })]);
    expect(conform({ at: "0001-01-01T00:00:00Z" }, clock, { unknownFields: "collect" }).value).toEqual({});
  });

  it("reports unknown fields with their paths, in the order of the text, and drops them", () => {
    const { value, unknown } = shape({
      Spec: {},
      spec: { ports: [{ number: 1, x: 1 }], bogus: {} },
      metadata: { labels: { l: "1" } },
    });
    expect(unknown).toEqual(['unknown field "Spec"', 'unknown field "spec.ports[0].x"', 'unknown field "spec.bogus"']);
    expect(value).toEqual({
      ...EMPTY,
      spec: { ports: [{ number: 1, target: 0 }], args: null },
      metadata: { labels: { l: "1" } },
    });
  });

  it("shows the beginning of long paths", () => {
    const { unknown } = shape({ ["x".repeat(100_000)]: 1, spec: { ["y".repeat(100_000)]: 1 } });
    expect(unknown).toEqual([`unknown field "${"x".repeat(256)}..."`, `unknown field "spec.${"y".repeat(251)}..."`]);
  });

  it("keeps unknown fields where asked to, and is silent where asked to", () => {
    const kept = conform({ more: { a: [1] } }, thing, { unknownFields: "keep" });
    expect(kept).toEqual({ value: { ...EMPTY, more: { a: [1] } }, unknown: [], keys: 2 });
    expect(conform({ more: 1 }, thing, { unknownFields: "drop" })).toEqual({ value: EMPTY, unknown: [], keys: 1 });
  });

  it("refuses an object of very many unknown fields", () => {
    const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`x${index}`, 1]));
    expect(() => shape({ spec: many })).toThrow("the object has more than 10000 unknown fields");
  });

  it("stops reporting after a hundred unknown fields", () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`f${i}`, 1]));
    expect(shape(many).unknown).toHaveLength(100);
  });

  it("keeps and checks fields behind a gate that is off", () => {
    const gate = (name: string) => name !== "NewThing";
    const options = { unknownFields: "collect", gate } as const;
    const value = { ...EMPTY, spec: { args: null, gated: "x" } };
    expect(conform({ spec: { gated: "x" } }, thing, options)).toEqual({ value, unknown: [], keys: 2 });
    expect(() => conform({ spec: { gated: 1 } }, thing, options)).toThrow(ShapeError);
  });

  const ERRORS: [value: unknown, message: string, path: string][] = [
    ["text", "json: cannot unmarshal string into Go value of type v1.Thing", ""],
    [{ kind: 1 }, "json: cannot unmarshal number into Go struct field Thing.kind of type string", "kind"],
    [{ spec: [] }, "json: cannot unmarshal array into Go struct field Thing.spec of type v1.ThingSpec", "spec"],
    [
      { metadata: { labels: { a: true } } },
      "json: cannot unmarshal bool into Go struct field ObjectMeta.metadata.labels of type string",
      "metadata.labels.a",
    ],
    [
      { metadata: { labels: [] } },
      "json: cannot unmarshal array into Go struct field ObjectMeta.metadata.labels of type map[string]string",
      "metadata.labels",
    ],
    [
      { spec: { ports: {} } },
      "json: cannot unmarshal object into Go struct field ThingSpec.spec.ports of type []v1.Port",
      "spec.ports",
    ],
    [
      { spec: { ports: [{ number: 2147483648 }] } },
      "json: cannot unmarshal number 2147483648 into Go struct field Port.spec.ports.number of type int32",
      "spec.ports[0].number",
    ],
    [
      { spec: { replicas: 1.5 } },
      "json: cannot unmarshal number 1.5 into Go struct field ThingSpec.spec.replicas of type int32",
      "spec.replicas",
    ],
    [
      { spec: { size: 2n ** 63n } },
      "json: cannot unmarshal number 9223372036854775808 into Go struct field ThingSpec.spec.size of type int64",
      "spec.size",
    ],
    [
      { spec: { policy: 3 } },
      "json: cannot unmarshal number into Go struct field ThingSpec.spec.policy of type v1.RestartPolicy",
      "spec.policy",
    ],
    [
      { spec: { ports: [{ target: true }] } },
      "json: cannot unmarshal bool into Go struct field Port.spec.ports.target of type int32",
      "spec.ports[0].target",
    ],
    [{ data: "x" }, "json: cannot unmarshal string into Go struct field Thing.data of type map[string][]uint8", "data"],
    [{ data: { a: "a!" } }, "illegal base64 data at input byte 1", "data.a"],
    [{ data: { a: "abc" } }, "illegal base64 data at input byte 0", "data.a"],
    [{ spec: { timeout: "1x" } }, 'time: unknown unit "x" in duration "1x"', "spec.timeout"],
    [
      { spec: { limits: { cpu: {} } } },
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
      "spec.limits.cpu",
    ],
  ];
  it.each(ERRORS)("refuses %o in upstream's words", (value, message, path) => {
    let caught: unknown;
    try {
      shape(value);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(ShapeError);
    expect({ message: (caught as ShapeError).message, path: (caught as ShapeError).path }).toEqual({ message, path });
  });

  it("reports the first error of the text", () => {
    expect(() => shape({ status: 1, kind: 1 })).toThrow("Thing.status");
  });

  it("shapes the value-or-list types and does not look for unknown fields in them", () => {
    const props: StructSchema = struct("apiextensions.v1.JSONSchemaProps", [field("type", scalar("string"), optional)]);
    const union = (wire: AnySchema["wire"]): AnySchema => ({ type: "any", wire, member: () => props });
    const holder = struct("v1.H", [
      field("additional", union("propsOrBool"), { ...optional, pointer: true }),
      field("items", union("propsOrArray"), { ...optional, pointer: true }),
      field("depends", map(union("propsOrStringArray")), optional),
    ]);
    const options = { unknownFields: "collect" } as const;
    const given = { additional: { type: "", x: 1 }, items: [{ type: "a" }], depends: { a: ["b"], c: {} } };
    expect(conform(given, holder, options)).toEqual({
      value: { additional: {}, items: [{ type: "a" }], depends: { a: ["b"], c: {} } },
      unknown: [],
      keys: 8,
    });
    expect(conform({ additional: false }, holder, options).value).toEqual({ additional: false });
    expect(() => conform({ additional: 1 }, holder, options)).toThrow("boolean or JSON schema expected");
  });

  it("leaves its input alone and shares nothing with it", () => {
    const input = { extra: { deep: [{}] }, spec: { args: ["a"] }, metadata: { labels: { a: "b" } } };
    const before = structuredClone(input);
    const value = shape(input).value as unknown as typeof input;
    value.extra.deep.push({});
    value.spec.args.push("b");
    value.metadata.labels.a = "c";
    expect(input).toEqual(before);
  });

  it("with reuse gives back what was in shape already, and the same values otherwise", () => {
    const inShape = { kind: "Thing", metadata: {}, spec: { args: ["a"] }, seen: null, status: { phase: "p" } };
    expect(conform(inShape, thing, { unknownFields: "collect", reuse: true }).value["spec"]).toBe(inShape.spec);
    fc.assert(
      fc.property(anyThing(), (value) => {
        const expected = shape(value).value;
        expect(conform(structuredClone(value), thing, { unknownFields: "collect", reuse: true }).value).toEqual(
          expected,
        );
      }),
    );
  });

  it("counts the keys of its input, with and without reuse, those within unknown fields left out", () => {
    const count = (value: unknown): number =>
      typeof value !== "object" || value === null
        ? 0
        : (Array.isArray(value) ? 0 : Object.keys(value).length) +
          Object.values(value).reduce((sum: number, each) => sum + count(each), 0);
    fc.assert(
      fc.property(anyThing(), fc.boolean(), (value, reuse) => {
        const conformed = conform(structuredClone(value), thing, { unknownFields: "collect", reuse });
        if (conformed.unknown.length === 0) expect(conformed.keys).toBe(count(value));
        else expect(conformed.keys).toBeLessThanOrEqual(count(value));
      }),
    );
    const nested = { metadata: { labels: { b: "1", a: "2" } }, extra: { a: [{ b: { c: null } }] }, bogus: { d: 1 } };
    expect(conform(nested, thing, { unknownFields: "collect" }).keys).toBe(count(nested) - 1);
  });

  it("with reuse takes maps in any order", () => {
    const value = { metadata: { labels: { b: "1", a: "2" } } };
    const { value: shaped } = conform(value, thing, { unknownFields: "collect", reuse: true });
    expect(JSON.stringify((shaped["metadata"] as { labels: object }).labels)).toBe('{"a":"2","b":"1"}');
  });

  it("is idempotent", () => {
    fc.assert(
      fc.property(anyThing(), (value) => {
        const once = shape(value).value;
        const twice = shape(once);
        expect(inspect(twice.value, { depth: 9 })).toBe(inspect(once, { depth: 9 }));
        expect(twice.unknown).toEqual([]);
      }),
    );
  });

  it("treats keys like __proto__ and constructor as data", () => {
    const { value } = shape(
      JSON.parse('{"metadata":{"labels":{"__proto__":"a","constructor":"b"}},"extra":{"__proto__":{"x":1}}}'),
    );
    expect(JSON.stringify(value)).toContain('"labels":{"__proto__":"a","constructor":"b"}');
    expect(JSON.stringify(value)).toContain('"extra":{"__proto__":{"x":1}}');
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
    expect(shape(JSON.parse('{"__proto__":{"x":1},"constructor":1}')).unknown).toEqual([
      'unknown field "__proto__"',
      'unknown field "constructor"',
    ]);
  });

  it("refuses to nest without end", () => {
    let deep: unknown = {};
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(() => shape({ extra: deep })).toThrow("exceeded max depth");
  });

  it("refuses more entries than an object can mean, in one list or in many", () => {
    const message = "the object has more than 250000 entries in its lists and maps";
    expect(() => shape({ spec: { args: new Array(250_001).fill("") } })).toThrow(message);
    const limits = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, "1"]));
    expect(() => shape({ spec: { args: new Array(200_000).fill(""), limits } })).toThrow(message);
    expect(() => shape({ spec: { args: new Array(100_000).fill(""), limits } })).not.toThrow();
  });
});

describe("conformInSteps", () => {
  const tree: StructSchema = struct("core.v1.Tree", []);
  const members = [
    field("count", scalar("int32"), optional),
    field("list", list(tree), optional),
    field("map", map(tree), optional),
    field("words", list(scalar("string"))),
    field("whatever", { type: "any", wire: "rawExtension" }, optional),
  ];
  const withMembers = { ...tree, members, fields: new Map(members.map((member) => [member.name, member])) };
  Object.assign(tree, withMembers);

  /** With what is wrong in it now and then: a count that is none, a field that nobody knows. */
  const anyTree = fc.letrec<{ tree: Record<string, unknown> }>((tie) => ({
    tree: fc.record(
      {
        map: fc.dictionary(fc.constantFrom("b", "a", "c", "é", "z"), fc.option(tie("tree")), { maxKeys: 4 }),
        count: fc.oneof({ weight: 20, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: fc.constant("three") }),
        unknown: fc.constant(1),
        list: fc.array(fc.option(tie("tree")), { maxLength: 4 }),
        words: fc.array(fc.constantFrom("", "a"), { maxLength: 3 }),
        further: fc.constant({}),
        whatever: fc.jsonValue(),
      },
      { requiredKeys: [] },
    ),
  })).tree;

  const outcome = (work: () => ReturnType<typeof conform>) => {
    try {
      const { value, unknown, keys } = work();
      return { text: JSON.stringify(value), unknown, keys };
    } catch (error) {
      return error instanceof ShapeError ? { message: error.message, path: error.path } : { error };
    }
  };

  it("comes to the same as conform, mistakes and unknown fields in the same order", () => {
    fc.assert(
      fc.property(anyTree, fc.integer({ min: 1, max: 12 }), fc.boolean(), (value, visits, reuse) => {
        const options = { unknownFields: "collect", reuse } as const;
        const expected = outcome(() => conform(structuredClone(value), tree, options));
        expect(outcome(() => atOnce(conformInSteps(structuredClone(value), tree, options, visits)))).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ["a long list", { words: Array.from({ length: 100 }, () => "a") }],
    ["a long map", { map: Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, {}])) }],
    [
      "many short lists",
      { list: Array.from({ length: 10 }, () => ({ words: Array.from({ length: 10 }, () => "a") })) },
    ],
    ["a value of any shape", { whatever: { much: Array.from({ length: 100 }, () => ({})) } }],
  ])("takes a step for every so many keys and items: %s", (_what, value) => {
    let steps = 1;
    for (const work = conformInSteps(value, tree, { unknownFields: "collect" }, 10); work.next().done !== true; )
      steps++;
    expect(steps).toBeGreaterThan(8);
    expect(steps).toBeLessThan(40);
  });
});

function anyThing(): fc.Arbitrary<Record<string, unknown>> {
  const text = fc.constantFrom("", "a", "b");
  const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
  const anyPort = fc.record(
    { number: some(fc.nat(9)), name: some(text), target: fc.oneof(fc.nat(3), text) },
    { requiredKeys: [] },
  );
  return fc.record(
    {
      kind: some(text),
      metadata: some(fc.record({ labels: some(fc.dictionary(text, text)), name: text }, { requiredKeys: [] })),
      spec: some(
        fc.record(
          {
            size: fc.constantFrom(0, 1, 2n ** 60n),
            ports: some(fc.array(some(anyPort), { maxLength: 3 })),
            args: some(fc.array(text, { maxLength: 3 })),
            limits: some(fc.dictionary(text, fc.constantFrom("1000m", "1Gi", "0.5", "2", "1e3"))),
            timeout: fc.constantFrom("90s", "1h", null),
          },
          { requiredKeys: [] },
        ),
      ),
      extra: fc.jsonValue(),
      status: some(fc.record({ phase: text }, { requiredKeys: [] })),
    },
    { requiredKeys: [] },
  );
}
