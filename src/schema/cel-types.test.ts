import { describe, expect, it } from "vitest";
import { counted } from "../base/steps.testing.ts";
import { atOnce } from "../base/steps.ts";
import { type CelSchema, declareSchema } from "../cel/schema-types.ts";
import { formatType } from "../cel/types.ts";
import { celSchemaOf } from "./cel-types.ts";
import type { Props } from "./crd-props.ts";
import { schemaFromCrd, schemaOfProps } from "./from-crd.ts";
import { declareSelf } from "./rule-programs.ts";
import type { Field, Schema, StructSchema } from "./schema.ts";

const declared = (schema: Schema, options: { root?: boolean } = {}) =>
  atOnce(declareSchema(atOnce(celSchemaOf(schema, options)), "self"));

describe("what expressions know of a schema", () => {
  const ROWS: [props: Props, described: CelSchema][] = [
    [
      { type: "string", maxLength: 5 },
      { type: "string", maxLength: 5 },
    ],
    [
      { type: "string", format: "date-time" },
      { type: "string", format: "date-time" },
    ],
    [
      { type: "string", enum: ["a"] },
      { type: "string", enum: ["a"] },
    ],
    [{ type: "integer" }, { type: "integer" }],
    [{ type: "number" }, { type: "number" }],
    [{ "x-kubernetes-int-or-string": true }, { intOrString: true }],
    [{ "x-kubernetes-preserve-unknown-fields": true }, {}],
    [
      { type: "array", items: { type: "string" }, maxItems: 3, "x-kubernetes-list-type": "set" },
      { type: "array", items: { type: "string" }, maxItems: 3, listType: "set" },
    ],
    [
      { type: "object", additionalProperties: { type: "boolean" }, maxProperties: 2 },
      { type: "object", additionalProperties: { type: "boolean" }, maxProperties: 2 },
    ],
    [{ type: "object", additionalProperties: true }, { type: "object" }],
    [
      { type: "object", required: ["a"], properties: { a: { type: "integer", default: 1 } } },
      { type: "object", required: ["a"], properties: new Map([["a", { type: "integer", hasDefault: true }]]) },
    ],
    [
      { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
      { type: "object", embeddedResource: true, properties: new Map() },
    ],
  ];
  it.each(ROWS)("%j", (props, described) => {
    expect(atOnce(celSchemaOf(atOnce(schemaOfProps(props))))).toEqual(described);
  });

  it("the root of a custom resource has the names of its metadata", () => {
    const root = schemaFromCrd({
      type: "object",
      properties: { spec: { type: "object", properties: { n: { type: "integer" } } } },
    });
    const declaration = declared(root, { root: true });
    const fields = declaration?.structs.find((struct) => struct.type.name === "self.metadata");
    expect([...(fields?.fieldNames() ?? [])].sort()).toEqual(["generateName", "name"]);
  });

  it("scalars of built-in kinds have their types", () => {
    const typeOf = (schema: Schema) => formatType(declared(schema)!.type);
    expect(typeOf({ type: "scalar", scalar: "time" })).toBe("timestamp");
    expect(typeOf({ type: "scalar", scalar: "bytes" })).toBe("bytes");
    expect(typeOf({ type: "scalar", scalar: "duration" })).toBe("string");
    expect(typeOf({ type: "scalar", scalar: "quantity" })).toBe("dyn");
    expect(typeOf({ type: "any", wire: "rawExtension" })).toBe("dyn");
  });

  it("is found out in steps where there is much of it", () => {
    const properties = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, index) => [`p${index}`, { type: "string" }]),
    );
    const root = schemaFromCrd({ type: "object", properties: { spec: { type: "object", properties } } } as Props);
    const described = counted(celSchemaOf(root, { root: true }));
    const made = counted(declareSchema(described.result, "self"));
    expect(described.steps).toBeGreaterThanOrEqual(5);
    expect(made.steps).toBeGreaterThanOrEqual(10);
    expect(counted(declareSelf(root, { root: true })).steps).toBeGreaterThanOrEqual(described.steps + made.steps);
  });

  it("a struct inside itself is left open", () => {
    const fields = new Map<string, Field>();
    const node: StructSchema = { type: "struct", name: "core.v1.Node", members: [], fields };
    fields.set("next", { name: "next", schema: node, required: false });
    expect(atOnce(celSchemaOf(node))).toEqual({ type: "object", properties: new Map([["next", { dynamic: true }]]) });
  });
});
