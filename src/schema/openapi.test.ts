import { describe, expect, it } from "vitest";
import { counted } from "../base/steps.testing.ts";
import { atOnce } from "../base/steps.ts";
import { FEW_KEYS, isSettled, keysOf } from "../base/wide-keys.ts";
import { namesFor } from "../meta/names.ts";
import { copyOf } from "./lazy-struct.ts";
import { customDefinitions } from "./openapi-custom.ts";
import { componentName } from "./openapi-names.ts";
import { definitionsForV2 } from "./openapi-v2.ts";
import { definitionsForV3 } from "./openapi-v3.ts";
import type { Field, Schema, StructSchema } from "./schema.ts";

const publishedOf = (...[props, options]: Parameters<typeof customDefinitions>) =>
  atOnce(customDefinitions(props, options));
const names = namesFor("kubernetes");

function struct(name: string, members: Field[], extra: Partial<StructSchema> = {}): StructSchema {
  return { type: "struct", name, members, fields: new Map(members.map((member) => [member.name, member])), ...extra };
}
const field = (name: string, schema: Schema, extra: Partial<Field> = {}): Field => ({
  name,
  schema,
  required: false,
  ...extra,
});
const text: Schema = { type: "scalar", scalar: "string" };

const part = struct(
  "core.v1.Part",
  [field("n", { type: "scalar", scalar: "int32" }, { required: true, publishedDefault: 0 })],
  {
    mapType: "atomic",
  },
);
const thing: StructSchema = struct("core.v1.Thing", [
  field(
    "parts",
    { type: "list", items: part, listType: "map", mapKeys: ["n"] },
    { patchStrategy: ["merge", "retainKeys"], patchMergeKey: "n", doc: "Its parts." },
  ),
  field("part", part, { publishedDefault: {} }),
  field("bare", part),
  field("labels", { type: "map", values: text, mapType: "atomic" }),
  field("phase", { ...text, enum: ["A", "B"] }, { default: "A" }),
  field("size", { type: "scalar", scalar: "quantity" }),
  field("port", { type: "scalar", scalar: "intOrString" }),
  field("since", { type: "scalar", scalar: "time" }, { doc: "Since when." }),
  field("raw", { type: "any", wire: "rawExtension" }),
]);

const kindsOf = (name: string) => (name === "core.v1.Thing" ? [{ group: "", version: "v1", kind: "Thing" }] : []);
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const PART = "io.k8s.api.core.v1.Part";

describe("OpenAPI v3 definitions", () => {
  const definitions = atOnce(definitionsForV3([thing], { names, kindsOf }));

  it("collects every type that a struct contains, named in the dialect", () => {
    expect(Object.keys(definitions)).toEqual([
      PART,
      "io.k8s.api.core.v1.Thing",
      "io.k8s.apimachinery.pkg.api.resource.Quantity",
      "io.k8s.apimachinery.pkg.apis.meta.v1.Time",
      "io.k8s.apimachinery.pkg.runtime.RawExtension",
      "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
    ]);
    expect(componentName("networking.v1.Ingress", namesFor("platform"))).toBe("io.platform.api.networking.v1.Ingress");
  });

  it("publishes types, markers and defaults", () => {
    expect(definitions["io.k8s.api.core.v1.Thing"]).toEqual({
      type: "object",
      properties: {
        bare: ref(PART),
        labels: {
          type: "object",
          additionalProperties: { type: "string", default: "" },
          "x-kubernetes-map-type": "atomic",
        },
        part: { allOf: [ref(PART)], default: {} },
        parts: {
          description: "Its parts.",
          type: "array",
          items: { allOf: [ref(PART)], default: {} },
          "x-kubernetes-list-map-keys": ["n"],
          "x-kubernetes-list-type": "map",
          "x-kubernetes-patch-merge-key": "n",
          "x-kubernetes-patch-strategy": "merge,retainKeys",
        },
        phase: { type: "string", enum: ["A", "B"], default: "A" },
        port: ref("io.k8s.apimachinery.pkg.util.intstr.IntOrString"),
        raw: ref("io.k8s.apimachinery.pkg.runtime.RawExtension"),
        since: { allOf: [ref("io.k8s.apimachinery.pkg.apis.meta.v1.Time")], description: "Since when." },
        size: ref("io.k8s.apimachinery.pkg.api.resource.Quantity"),
      },
      "x-kubernetes-group-version-kind": [{ group: "", version: "v1", kind: "Thing" }],
    });
    expect(definitions[PART]).toEqual({
      type: "object",
      properties: { n: { type: "integer", format: "int32", default: 0 } },
      required: ["n"],
      "x-kubernetes-map-type": "atomic",
    });
  });

  it("keeps what one field says of its struct beside the reference", () => {
    const own = field("own", copyOf(part, { mapType: "granular" }), { mapType: "granular" });
    const found = atOnce(definitionsForV3([struct("core.v1.Holder", [own])], { names }));
    expect(found["io.k8s.api.core.v1.Holder"]).toMatchObject({
      properties: { own: { allOf: [ref(PART)], "x-kubernetes-map-type": "granular" } },
    });
    expect(found[PART]).toMatchObject({ "x-kubernetes-map-type": "atomic" });
  });

  it("says in the words of the interface which field chooses among others", () => {
    const unions = [{ discriminator: "type", fields: { file: "File" } }];
    const found = atOnce(definitionsForV3([struct("core.v1.Choice", [field("type", text)], { unions })], { names }));
    expect(found["io.k8s.api.core.v1.Choice"]?.["x-kubernetes-unions"]).toEqual([
      { discriminator: "type", "fields-to-discriminateBy": { file: "File" } },
    ]);
  });

  it("come with a turn for others after each struct", () => {
    const other = struct("core.v1.Other", [field("part", part)]);
    expect(counted(definitionsForV3([thing], { names })).steps).toBe(2);
    expect(counted(definitionsForV3([thing, other], { names })).steps).toBe(3);
  });

  it("takes structs that contain themselves", () => {
    const members: Field[] = [];
    const node = struct("core.v1.Node", members);
    const recursive: StructSchema = { ...node, fields: new Map([["next", field("next", node)]]) };
    members.push(field("next", recursive));
    expect(Object.keys(atOnce(definitionsForV3([recursive], { names })))).toEqual(["io.k8s.api.core.v1.Node"]);
  });
});

describe("OpenAPI v2 definitions", () => {
  it("have references with markers beside them and no defaults", () => {
    const definition = atOnce(definitionsForV2([thing], { names }))["io.k8s.api.core.v1.Thing"];
    expect(definition?.["properties"]).toMatchObject({
      part: { $ref: `#/definitions/${PART}` },
      since: { $ref: "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time", description: "Since when." },
      phase: { type: "string", enum: ["A", "B"] },
    });
    expect(JSON.stringify(definition)).not.toContain("default");
  });
});

describe("OpenAPI of custom resources", () => {
  const props = {
    type: "object",
    description: "A thing.",
    required: ["spec"],
    properties: {
      spec: {
        type: "object",
        required: ["a", "b"],
        properties: {
          a: { type: "string", nullable: true, default: "x" },
          b: { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { c: { type: "string" } } },
          p: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
          l: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
        },
      },
    },
  } as const;
  const base = { names, group: "example.com", version: "v1", kind: "Thing", listKind: "ThingList" };

  it("v3 publishes the schema as it is, with the fields of every object", () => {
    const definitions = publishedOf(props, { ...base, openApi: "v3" });
    expect(Object.keys(definitions)).toEqual(["com.example.v1.Thing", "com.example.v1.ThingList"]);
    const thing = definitions["com.example.v1.Thing"];
    expect(thing).toMatchObject({
      description: "A thing.",
      required: ["spec"],
      properties: { spec: props.properties.spec, apiVersion: { type: "string" }, kind: { type: "string" } },
      "x-kubernetes-group-version-kind": [{ group: "example.com", kind: "Thing", version: "v1" }],
    });
  });

  it("v2 publishes less where old clients would refuse good objects", () => {
    const thing = publishedOf(props, { ...base, openApi: "v2" })["com.example.v1.Thing"] as {
      properties: { spec: unknown };
    };
    expect(thing.properties.spec).toEqual({
      type: "object",
      required: ["b"],
      properties: {
        a: { default: "x" },
        b: { "x-kubernetes-preserve-unknown-fields": true },
        p: { "x-kubernetes-int-or-string": true },
        l: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
      },
    });
  });

  it("without a schema, or in v2 with unknown fields at the root, only the type is told", () => {
    const only = {
      type: "object",
      "x-kubernetes-group-version-kind": [{ group: "example.com", kind: "Thing", version: "v1" }],
    };
    expect(publishedOf(undefined, { ...base, openApi: "v3" })["com.example.v1.Thing"]).toEqual(only);
    const open = { ...props, "x-kubernetes-preserve-unknown-fields": true };
    expect(publishedOf(open, { ...base, openApi: "v2" })["com.example.v1.Thing"]).toEqual(only);
  });

  it("embedded resources show the fields of every object, but not to clients of v2 that would refuse others", () => {
    const template = {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
    } as const;
    const of = (openApi: "v2" | "v3") =>
      publishedOf({ type: "object", properties: { template } }, { ...base, openApi })["com.example.v1.Thing"] as {
        properties: { template: { properties?: object; required?: string[] } };
      };
    expect(Object.keys(of("v3").properties.template.properties ?? {})).toEqual(["apiVersion", "kind", "metadata"]);
    expect(of("v3").properties.template.required).toEqual(["kind", "apiVersion"]);
    expect(of("v2").properties.template).toEqual({
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
    });
  });

  it("the names of very many properties are handed on, beside the fields of every object", () => {
    const many = Object.fromEntries(Array.from({ length: FEW_KEYS + 1 }, (_, at) => [`p${at}`, { type: "string" }]));
    const wide = { type: "object", properties: many } as const;
    const embedded = { ...wide, "x-kubernetes-embedded-resource": true } as const;
    const root = { ...wide, properties: { ...many, p0: wide, p1: embedded } } as const;
    const shown = publishedOf(root, { ...base, openApi: "v2" })["com.example.v1.Thing"] as {
      properties: { p0: { properties: object }; p1: { properties: object } };
    };
    const found = [shown.properties, shown.properties.p0.properties, shown.properties.p1.properties];
    expect(found.map((one) => [isSettled(one), keysOf(one).length - FEW_KEYS])).toEqual([
      [true, 4],
      [true, 1],
      [true, 4],
    ]);
  });

  it("selectable fields are published", () => {
    const definitions = publishedOf(props, { ...base, openApi: "v3", selectableFields: [".spec.a"] });
    expect(definitions["com.example.v1.ThingList"]?.["x-kubernetes-selectable-fields"]).toEqual([
      { fieldPath: "spec.a" },
    ]);
  });
});
