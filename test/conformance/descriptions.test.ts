// Every struct and every field says what it is, as `kubectl explain` shows it: in the declarations of the kinds, and in
// the document that clients read. The specification is silent here; upstream describes every field.

import assert from "node:assert/strict";
import { describe, expect, it } from "vitest";
import { serverInProcess } from "../../src/apiserver/server.testing.ts";
import { ALL_KINDS } from "../../src/kinds/all-kinds.ts";
import { listSchemaOf } from "../../src/kinds/meta/object-schema.ts";
import { OPTIONAL_KINDS } from "../../src/kinds/optional-kinds.ts";
import type { Schema, StructSchema } from "../../src/schema/schema.ts";
import { type Body, inBothDialects } from "./conformance.testing.ts";

const MAX_LENGTH = 300;

const KINDS = [...ALL_KINDS, ...OPTIONAL_KINDS];

describe("descriptions", () => {
  const described = descriptionsOf(KINDS.flatMap((kind) => [kind.schema, listSchemaOf(kind)]));

  it("are there for every struct and field of every kind", () => {
    expect(where(described, (text) => text === "")).toEqual([]);
    // The walk has been everywhere: the core group alone has more than a thousand.
    expect(described.size).toBeGreaterThan(2000);
  });

  it("are sentences: they begin with a capital letter or a literal in backquotes and end with a full stop", () => {
    expect(where(described, (text) => text !== "" && !/^(?:[A-Z]|`[^`]+`).*\.$/s.test(text))).toEqual([]);
  });

  it("are short enough to be read in a list of fields", () => {
    expect(where(described, (text) => text.length > MAX_LENGTH)).toEqual([]);
  });

  it("hold for both dialects: they name neither", () => {
    expect(where(described, (text) => /kubernetes|k8s|platform\.io/i.test(text))).toEqual([]);
  });

  it("close every backquote that they open", () => {
    expect(where(described, (text) => text.split("`").length % 2 === 0)).toEqual([]);
  });
});

inBothDialects("published descriptions", (dialect) => {
  it("are there for every definition and property of a kind", async () => {
    // A server of its own: definitions that other tests make on the shared one describe nothing.
    const server = await serverInProcess({ dialect });
    const { status, json } = await server.call("GET", "/openapi/v2").finally(() => server.close());
    assert.equal(status, 200);
    // The answer of /version is no kind: nobody asks to have it explained.
    const definitions = Object.entries<Body>((json as Body).definitions).filter(
      ([name]) => !name.endsWith(".version.Info"),
    );
    const bare = definitions.flatMap(([name, { description, properties = {} }]) => [
      ...(description ? [] : [name]),
      ...Object.keys(properties).flatMap((field) => (properties[field].description ? [] : [`${name}.${field}`])),
    ]);
    assert.deepEqual(bare, []);
    assert.ok(definitions.length > 500, `${definitions.length} definitions`);
  });
});

/** The description of every struct that the schemas reach, and of its fields; empty where there is none. */
function descriptionsOf(schemas: readonly StructSchema[]): ReadonlyMap<string, string> {
  const described = new Map<string, string>();
  const seen = new Set<StructSchema>();
  const visit = (schema: Schema): void => {
    if (schema.type === "list") visit(schema.items);
    else if (schema.type === "map") visit(schema.values);
    else if (schema.type === "any" && schema.member) visit(schema.member());
    if (schema.type !== "struct" || seen.has(schema)) return;
    seen.add(schema);
    const name = schema.name ?? "a struct without a name";
    described.set(name, schema.doc ?? "");
    for (const member of schema.members) {
      if ("inline" in member) {
        visit(member.inline);
        continue;
      }
      described.set(`${name}.${member.name}`, member.doc ?? "");
      visit(member.schema);
    }
  };
  schemas.forEach(visit);
  return described;
}

function where(described: ReadonlyMap<string, string>, isWrong: (text: string) => boolean): string[] {
  return [...described].filter(([, text]) => isWrong(text)).map(([name, text]) => (text ? `${name}: ${text}` : name));
}
