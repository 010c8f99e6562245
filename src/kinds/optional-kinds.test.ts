import { describe, expect, it } from "vitest";
import { namesFor } from "../meta/names.ts";
import type { ApiObject } from "../meta/object.ts";
import { isInline, type ScalarSchema, type Schema, type StructSchema } from "../schema/schema.ts";
import { ALL_KINDS } from "./all-kinds.ts";
import { completed, names } from "./complete.testing.ts";
import { KindRegistry } from "./kind-registry.ts";
import { OPTIONAL_KINDS } from "./optional-kinds.ts";

const find = (version: string, kind: string) =>
  OPTIONAL_KINDS.find((other) => other.version === version && other.kind === kind)!;

describe("optional kinds", () => {
  it("are all off by default and each there once", () => {
    expect(OPTIONAL_KINDS).toHaveLength(24);
    expect(OPTIONAL_KINDS.every((kind) => kind.offByDefault)).toBe(true);
    expect(new Set(OPTIONAL_KINDS.map((kind) => `${kind.group} ${kind.version} ${kind.kind}`)).size).toBe(24);
  });

  it("name every struct of their group after their own version", () => {
    for (const kind of OPTIONAL_KINDS.filter((other) => other.group === "resource" || other.group === "networking")) {
      const own = kind.schema.name!.slice(0, kind.schema.name!.lastIndexOf("."));
      for (const name of structNames(kind.schema)) {
        if (name.startsWith(`${kind.group}.`)) expect(name.startsWith(`${own}.`), `${kind.kind}: ${name}`).toBe(true);
      }
    }
  });

  it("are stored in the form of a kind that may itself be off", () => {
    const bundle = find("v1alpha1", "ClusterTrustBundle");
    const registry = new KindRegistry(namesFor("platform"), [...ALL_KINDS, bundle], [...ALL_KINDS, ...OPTIONAL_KINDS]);
    expect(registry.storedKind(bundle)).toBe(find("v1beta1", "ClusterTrustBundle"));
  });

  it.each([
    [
      "ResourceClaim",
      {
        devices: {
          requests: [
            { name: "a", deviceClassName: "c", count: 2, allocationMode: "ExactCount" },
            { name: "b", firstAvailable: [{ name: "s", deviceClassName: "c", allocationMode: "All" }] },
          ],
        },
      },
    ],
    ["ResourceClaimTemplate", { spec: { devices: { requests: [{ name: "a", deviceClassName: "c" }] } } }],
    [
      "ResourceSlice",
      { driver: "d", nodeName: "n", devices: [{ name: "x", basic: { attributes: { a: { int: 1 } } } }] },
    ],
  ])("of version v1beta1 lose nothing on the way to v1 and back: %s", (word, spec) => {
    const kind = find("v1beta1", word);
    const object = completed(kind, { metadata: { name: "o" }, spec } as ApiObject);
    const stored = kind.storedAs!.toStored(object, names);
    expect(kind.storedAs!.fromStored(stored, names)).toEqual(object);
    expect(JSON.stringify(stored)).toContain(word === "ResourceSlice" ? '"attributes"' : '"exactly"');
  });

  it("of version v1beta1 have the defaults of v1", () => {
    const claim = completed(find("v1beta1", "ResourceClaim"), {
      spec: { devices: { requests: [{ name: "a", deviceClassName: "c" }] } },
    } as unknown as ApiObject);
    expect(claim).toMatchObject({ spec: { devices: { requests: [{ allocationMode: "ExactCount", count: 1 }] } } });
  });
});

it("a binding of a mutating policy need not say in v1alpha1 what happens without parameters", () => {
  const draft = { spec: { policyName: "p", paramRef: { name: "x" } } } as unknown as ApiObject;
  const binding = (version: string) => completed(find(version, "MutatingAdmissionPolicyBinding"), draft);
  expect(binding("v1alpha1")).toMatchObject({ spec: { paramRef: { name: "x", parameterNotFoundAction: "Deny" } } });
  expect(binding("v1beta1")).not.toHaveProperty("spec.paramRef.parameterNotFoundAction");
});

it.each([
  ["v1beta1", [undefined, undefined, undefined]],
  [
    "v1alpha1",
    [
      ["Equivalent", "Exact"],
      ["Fail", "Ignore"],
      ["Allow", "Deny"],
    ],
  ],
])("mutating policies of %s publish these values of their fields", (version, expected) => {
  const spec = fieldsOf(find(version, "MutatingAdmissionPolicy").schema, "spec");
  const binding = fieldsOf(find(version, "MutatingAdmissionPolicyBinding").schema, "spec");
  const fields = [
    fieldsOf(spec, "matchConstraints").fields.get("matchPolicy"),
    spec.fields.get("failurePolicy"),
    fieldsOf(binding, "paramRef").fields.get("parameterNotFoundAction"),
  ];
  expect(fields.map((field) => (field!.schema as ScalarSchema).enum)).toEqual(expected);
});

const fieldsOf = (schema: StructSchema, field: string) => schema.fields.get(field)!.schema as StructSchema;

it("kinds of admission are found among those that extend the API", () => {
  const ofAdmission = OPTIONAL_KINDS.filter(({ group }) => group === "admissionregistration");
  expect(ofAdmission.map(({ categories }) => categories)).toEqual(Array(4).fill(["api-extensions"]));
});

function structNames(root: Schema): Set<string> {
  const names = new Set<string>();
  const walk = (schema: Schema): void => {
    if (schema.type === "list") walk(schema.items);
    else if (schema.type === "map") walk(schema.values);
    else if (schema.type === "struct" && !names.has(schema.name!)) {
      names.add(schema.name!);
      for (const member of schema.members) walk(isInline(member) ? member.inline : member.schema);
    }
  };
  walk(root);
  return names;
}
