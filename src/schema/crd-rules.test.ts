import { describe, expect, it } from "vitest";
import { atOnce } from "../base/steps.ts";
import { fieldErrorText } from "../meta/field-error.ts";
import type { Props } from "./crd-props.ts";
import { crdSchemaErrors } from "./crd-rules.ts";
import { schemaFromCrd, withObjectMeta } from "./from-crd.ts";

const a = (property: Props): Props => ({ type: "object", properties: { a: property } });

function findings(props: Props, statusEnabled = false): string[] {
  const { errors } = atOnce(crdSchemaErrors(props, { at: "s", statusEnabled, namespace: "kubernetes" }));
  return errors.map(fieldErrorText);
}

describe("schemas of definitions", () => {
  const ROWS: [props: Props, findings: string[]][] = [
    [a({ type: "string" }), []],
    [{}, ["s.type: Required value: must not be empty at the root"]],
    [{ type: "string" }, ['s.type: Invalid value: "string": must be object at the root']],
    [a({}), ["s.properties[a].type: Required value: must not be empty for specified object fields"]],
    // What cannot be read has no structure of which to complain.
    [a({ $ref: "#/x" }), ["s.properties[a].$ref: Forbidden: $ref is not supported"]],
    [
      { type: "object", properties: { a: { allOf: [{ id: "x", type: "string" }] }, b: {} } },
      ["s.properties[a].allOf[0].id: Forbidden: id is not supported"],
    ],
    [a({ $schema: "x" }), ["s: Invalid value: \"\": OpenAPIV3Schema 'schema' is not supported"]],
    [a({ not: { $schema: "x" }, default: 1 }), ["s: Invalid value: \"\": OpenAPIV3Schema 'schema' is not supported"]],
    [a({ type: "array" }), ["s.properties[a].items: Required value: must be specified"]],
    [
      a({ type: "array", items: {} }),
      ["s.properties[a].items.type: Required value: must not be empty for specified array items"],
    ],
    [
      { type: "object", additionalProperties: true },
      ["s.additionalProperties: Forbidden: must not be used at the root"],
    ],
    [
      a({ type: "bogus" }),
      [
        's.properties[a].type: Unsupported value: "bogus": supported values: "array", "boolean", "integer", "number", "object", "string"',
      ],
    ],
    [
      a({ type: "integer", default: "x" }),
      ['s.properties[a].default: Invalid value: "string":  in body must be of type integer: "string"'],
    ],
    [
      a({ type: "object", properties: { b: { type: "string" } }, default: { c: 1 } }),
      ['s.properties[a].default: Invalid value: {"c":1}: must not have unknown fields'],
    ],
    // Defaults are held against the rules, as values that stay and as new ones; those of a map's values never apply.
    [
      a({ type: "integer", default: 1, "x-kubernetes-validations": [{ rule: "self > oldSelf" }] }),
      ['s.properties[a].default: Invalid value: "integer": failed rule: self > oldSelf'],
    ],
    [
      a({
        type: "integer",
        default: 1,
        "x-kubernetes-validations": [{ rule: "oldSelf.hasValue()", optionalOldSelf: true }],
      }),
      ['s.properties[a].default: Invalid value: "integer": failed rule: oldSelf.hasValue()'],
    ],
    // A rule that is missing is missed where it should stand, and judges no value.
    [
      a({ type: "integer", default: 1, "x-kubernetes-validations": [{ rule: " " }, { rule: "self > 1" }] }),
      [
        's.properties[a].default: Invalid value: "integer": failed rule: self > 1',
        "s.properties[a].x-kubernetes-validations[0].rule: Required value: rule is not specified",
      ],
    ],
    [
      a({ type: "integer", default: 1, "x-kubernetes-validations": [{ rule: "self" }] }),
      ['s.properties[a].default: Invalid value: "integer": rule compile error: cel expression must evaluate to a bool'],
    ],
    [
      a({
        default: 1,
        "x-kubernetes-preserve-unknown-fields": true,
        "x-kubernetes-validations": [{ rule: "true" }],
      }),
      [
        's.properties[a].default: Invalid value: "": rule compiler initialization error: failed to convert to declType for CEL validation rules',
      ],
    ],
    [
      a({
        type: "object",
        additionalProperties: { type: "integer", default: 1, "x-kubernetes-validations": [{ rule: "self > 1" }] },
      }),
      [],
    ],
    [
      a({ type: "object", properties: { b: { type: "string" } }, default: { d: 1, c: 1 } }),
      ['s.properties[a].default: Invalid value: {"c":1,"d":1}: must not have unknown fields'],
    ],
    [
      a({ type: "object", properties: { b: { type: "string" } }, additionalProperties: { type: "string" } }),
      ["s.properties[a].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"],
    ],
    [{ type: "object", anyOf: [{ type: "object" }] }, ["s.anyOf[0].type: Forbidden: must be empty to be structural"]],
    [
      { type: "object", anyOf: [{ properties: { b: { minLength: 1 } } }] },
      ["s.properties[b]: Required value: because it is defined in s.anyOf[0].properties[b]"],
    ],
    [a({ "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] }), []],
    [
      a({ type: "string", pattern: "(" }),
      [
        's.properties[a].pattern: Invalid value: "(": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ): `(`',
      ],
    ],
    [
      { type: "object", properties: { metadata: { type: "object", properties: { labels: { type: "object" } } } } },
      [
        "s.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
      ],
    ],
    [
      {
        type: "object",
        properties: { metadata: { type: "object", properties: { name: { type: "string", default: "x" } } } },
      },
      ["s.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata"],
    ],
    [
      a({ type: "object", "x-kubernetes-embedded-resource": true }),
      [
        "s.properties[a].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
      ],
    ],
    [
      a({
        type: "array",
        "x-kubernetes-list-type": "map",
        items: { type: "object", properties: { k: { type: "string" } } },
      }),
      [
        "s.properties[a].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map",
      ],
    ],
    [
      a({
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k", "z"],
        items: { type: "object", properties: { k: { type: "string", nullable: true } } },
      }),
      [
        's.properties[a].x-kubernetes-list-map-keys: Invalid value: ["k","z"]: entries must all be names of item properties',
        "s.properties[a].items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
        "s.properties[a].items.properties[k].nullable: Forbidden: this property is in x-kubernetes-list-map-keys, so it cannot be nullable",
      ],
    ],
    [
      a({ type: "array", "x-kubernetes-list-type": "set", items: { type: "object" } }),
      [
        "s.properties[a].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set",
      ],
    ],
    [
      { type: "object", "x-kubernetes-preserve-unknown-fields": false },
      ["s.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined"],
    ],
    [
      {
        ...a({ type: "string" }),
        "x-kubernetes-validations": [{ rule: " " }, { rule: "true", reason: "X", fieldPath: ".b" }],
      },
      [
        "s.x-kubernetes-validations[0].rule: Required value: rule is not specified",
        's.x-kubernetes-validations[1].reason: Unsupported value: "X": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
        's.x-kubernetes-validations[1].fieldPath: Invalid value: ".b": must be a valid path',
      ],
    ],
    [
      a({
        type: "object",
        definitions: { d: { id: "x" } },
        dependencies: { p: ["q"], s: { uniqueItems: true } },
      }),
      [
        "s.properties[a].definitions: Forbidden: definitions is not supported",
        "s.properties[a].dependencies: Forbidden: dependencies is not supported",
        "s.properties[a].definitions[d].id: Forbidden: id is not supported",
        "s.properties[a].dependencies[s].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
      ],
    ],
    [{ type: "object", nullable: true }, ["s.nullable: Forbidden: nullable cannot be true at the root"]],
    [
      a({ type: "array", items: { type: "string" }, uniqueItems: true }),
      [
        "s.properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
      ],
    ],
  ];
  it.each(ROWS)("%j", (props, expected) => {
    expect(findings(props)).toEqual(expected);
  });

  it("says nothing of expressions where structure or defaults are wrong", () => {
    const ofLevels = (property: Props) =>
      atOnce(crdSchemaErrors(a(property), { at: "s", statusEnabled: true, namespace: "kubernetes" })).ofLevels;
    expect(ofLevels({})).toBeUndefined();
    expect(ofLevels({ type: "integer", default: "x" })).toBeUndefined();
    expect(ofLevels({ type: "string", $schema: "x" })).toBeUndefined();
    expect(ofLevels({ type: "array", items: { type: "string" }, uniqueItems: true })).toHaveLength(1);
  });

  it("with a status sub-resource the root may only say what survives without status", () => {
    expect(findings({ type: "object", anyOf: [{ required: ["a"] }] }, true)[0]).toContain(
      "only [Description Type Format Title",
    );
    expect(
      findings({ type: "object", required: ["spec"], "x-kubernetes-validations": [{ rule: "true" }] }, true),
    ).toEqual([]);
  });

  it("a default of many values is judged in steps", () => {
    const value = Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`k${index}`, "v"]));
    const props = a({ type: "object", additionalProperties: { type: "string" }, default: value });
    const steps = [...crdSchemaErrors(props, { at: "s", statusEnabled: false, namespace: "kubernetes" })];
    expect(steps.length).toBeGreaterThan(20);
  });

  it("many properties are never looked at all at once", () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`p${index}`, { type: "string" }]));
    let reads = 0;
    const properties = new Proxy(many, {
      get(target, name) {
        reads += 1;
        return target[name as string];
      },
    });
    const options = { at: "s", statusEnabled: false, namespace: "kubernetes" } as const;
    const readsInSteps: number[] = [];
    for (const _ of crdSchemaErrors({ type: "object", properties } as Props, options)) {
      readsInSteps.push(reads);
      reads = 0;
    }
    expect(Math.max(...readsInSteps)).toBeLessThan(500);
  });

  it("a schema that nests without end is refused before it is walked", () => {
    let props: Props = { type: "string" };
    for (let i = 0; i < 5000; i++) props = a(props);
    expect(findings(props)).toEqual(['s: Invalid value: "": must not nest deeper than 200 levels']);
  });

  it("hostile property names are data", () => {
    const props = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"integer"}}}',
    ) as Props;
    expect(findings(props)).toEqual([]);
    expect([...schemaFromCrd(props).fields.keys()]).toEqual(["__proto__", "constructor"]);
  });

  it("the schema of whole objects has the metadata of every object", () => {
    const meta = schemaFromCrd({ type: "object" });
    const whole = withObjectMeta(
      schemaFromCrd({ type: "object", properties: { spec: { type: "object" }, kind: { type: "string" } } }),
      meta,
    );
    expect([...whole.fields.keys()]).toEqual(["apiVersion", "kind", "metadata", "spec"]);
    expect(whole.fields.get("metadata")?.schema).toBe(meta);
  });

  it("reads the required keys of a map list once, however many keys it has", () => {
    const keys = Array.from({ length: 1_000 }, (_, index) => `k${index}`);
    let reads = 0;
    const required = new Proxy(keys, {
      get(target, name, receiver) {
        reads += 1;
        return Reflect.get(target, name, receiver);
      },
    });
    const properties = Object.fromEntries(keys.map((key) => [key, { type: "string" }]));
    const list = {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": keys,
      items: { type: "object", required, properties },
    };
    const props = { type: "object", properties: { list } } as Props;
    expect(atOnce(crdSchemaErrors(props, { at: "s", statusEnabled: false, namespace: "kubernetes" })).errors).toEqual(
      [],
    );
    expect(reads).toBeLessThan(10 * keys.length);
  });
});
