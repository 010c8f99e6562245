import { expect, it } from "vitest";
import { ALL_KINDS } from "../kinds/all-kinds.ts";
import { OPTIONAL_KINDS } from "../kinds/optional-kinds.ts";
import type { Schema, StructSchema } from "../schema/schema.ts";
import { serverGates } from "./feature-gate-table.ts";

it("knows every feature gate that a field of a kind stands behind", () => {
  const known = new Set(
    serverGates(new Map(), "platform")
      .all()
      .map(({ name }) => name),
  );
  const named = new Set<string>();
  const seen = new Set<StructSchema>();
  const visit = (schema: Schema): void => {
    if (schema.type === "list") visit(schema.items);
    else if (schema.type === "map") visit(schema.values);
    if (schema.type !== "struct" || seen.has(schema)) return;
    seen.add(schema);
    for (const field of schema.fields.values()) {
      if (field.gate !== undefined) named.add(field.gate);
      visit(field.schema);
    }
  };
  for (const kind of [...ALL_KINDS, ...OPTIONAL_KINDS]) visit(kind.schema);
  expect([...named].filter((gate) => !known.has(gate))).toEqual([]);
});
