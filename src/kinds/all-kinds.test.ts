import { describe, expect, it } from "vitest";
import { DIALECTS, namesFor } from "../meta/names.ts";
import { isInline, type Schema, type StructSchema } from "../schema/schema.ts";
import { ALL_KINDS } from "./all-kinds.ts";
import type { Kind } from "./define-kind.ts";
import { KindRegistry } from "./kind-registry.ts";
import { listSchemaOf } from "./meta/object-schema.ts";

const structs = collectStructs(ALL_KINDS);
const served = ALL_KINDS.filter((kind) => kind.resource !== "");

describe("every struct", () => {
  it("is reached through one declaration per name", () => {
    const names = [...structs].map((struct) => struct.name);
    expect(names.length).toBeGreaterThan(480);
    expect(new Set(names).size).toBe(names.length);
  });

  it("has protobuf numbers that are unique among its members", () => {
    for (const struct of structs) {
      const numbers = struct.members.map((member) => member.proto).filter((proto) => proto !== undefined);
      expect(new Set(numbers).size, struct.name).toBe(numbers.length);
    }
  });

  it("gives every field that is not inlined a protobuf number", () => {
    for (const struct of structs) {
      for (const member of struct.members) {
        if (!isInline(member)) expect(member.proto, `${struct.name}.${member.name}`).toBeGreaterThan(0);
      }
    }
  });

  it("identifies the elements of its map lists by fields that they have", () => {
    for (const struct of structs) {
      for (const field of struct.fields.values()) {
        if (field.schema.type !== "list" || field.schema.listType !== "map") continue;
        const { items, mapKeys } = field.schema;
        for (const key of mapKeys ?? []) {
          expect(items.type === "struct" && items.fields.has(key), `${struct.name}.${field.name} ${key}`).toBe(true);
        }
      }
    }
  });

  it("has a default only in the type of its field", () => {
    for (const struct of structs) {
      for (const { schema, default: value, name } of struct.fields.values()) {
        if (value === undefined || schema.type !== "scalar") continue;
        const type = { string: "string", boolean: "boolean", int32: "number" }[schema.scalar as string];
        expect(typeof value, `${struct.name}.${name}`).toBe(type);
      }
    }
  });
});

describe("every kind", () => {
  it("is one of the 66 resources that are served by default, or the body of a sub-resource", () => {
    expect(served.filter((kind) => !kind.offByDefault)).toHaveLength(66);
    expect(ALL_KINDS.filter((kind) => kind.resource === "").every((kind) => kind.virtual)).toBe(true);
  });

  it("starts with kind, apiVersion and metadata", () => {
    for (const kind of served) {
      expect([...kind.schema.fields.keys()].slice(0, 3), kind.kind).toEqual(["kind", "apiVersion", "metadata"]);
    }
  });

  it("is stored under a prefix of its own, unless it is virtual or another version of a stored kind", () => {
    const prefixes = served.filter((kind) => !kind.virtual && !kind.storedAs).map((kind) => kind.storagePrefix);
    expect(prefixes.every((prefix) => prefix !== undefined)).toBe(true);
    expect(new Set(prefixes).size).toBe(prefixes.length);
  });

  it("has a list schema made from its own", () => {
    const list = listSchemaOf(served[0]!);
    expect(list.name).toBe(`${served[0]!.schema.name}List`);
    expect(list.fields.get("items")?.schema).toMatchObject({ type: "list", items: served[0]!.schema });
    expect(listSchemaOf(served[0]!)).toBe(list);
  });
});

describe.each(DIALECTS)("in the dialect %s", (dialect) => {
  const names = namesFor(dialect);
  const registry = new KindRegistry(names, ALL_KINDS);

  it("every kind is found by resource and by kind, under the whole name of its group", () => {
    for (const kind of served) {
      const group = names.group(kind.group);
      expect(registry.byResource(group, kind.version, kind.resource), kind.kind).toBe(kind);
      expect(registry.byKind(group, kind.version, kind.kind), kind.kind).toBe(kind);
    }
  });

  it("the bodies of sub-resources are found by kind and are no resources", () => {
    expect(registry.byKind("policy", "v1", "Eviction")?.schema.name).toBe("policy.v1.Eviction");
    expect(registry.kindsIn("policy", "v1").map((kind) => kind.kind)).toEqual(["PodDisruptionBudget"]);
  });

  it("every body that a sub-resource names exists", () => {
    for (const kind of served) {
      for (const [name, subresource] of Object.entries(kind.subresources ?? {})) {
        if (subresource.type !== "special" || subresource.body === undefined) continue;
        const { group, version, kind: word } = subresource.body;
        expect(registry.byKind(names.group(group), version, word), `${kind.kind}/${name}`).toBeDefined();
      }
    }
  });

  it("no column, warning or default speaks the other dialect", () => {
    const other = dialect === "platform" ? /k8s\.io|kubernetes\.io/ : /platform\.io/;
    for (const { deprecated } of served) expect(deprecated?.warning(names) ?? "").not.toMatch(other);
  });
});

function collectStructs(kinds: readonly Kind[]): ReadonlySet<StructSchema> {
  const found = new Map<string, StructSchema>();
  const walk = (schema: Schema): void => {
    if (schema.type === "list") walk(schema.items);
    else if (schema.type === "map") walk(schema.values);
    else if (schema.type === "any" && schema.member) walk(schema.member());
    else if (schema.type === "struct" && !seen.has(schema)) {
      seen.add(schema);
      // A field may hold a struct with another map type: the same members under the same name.
      if (found.get(schema.name ?? "")?.members !== schema.members) seenOnce(schema);
      for (const field of schema.fields.values()) walk(field.schema);
    }
  };
  const seen = new Set<StructSchema>();
  const all = new Set<StructSchema>();
  const seenOnce = (schema: StructSchema): void => {
    found.set(schema.name ?? "", schema);
    all.add(schema);
  };
  for (const kind of kinds) walk(kind.schema);
  return all;
}
