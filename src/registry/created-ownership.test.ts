// What a create owns is found in one walk; the sets of paths that other writes go through say the same of every kind.

import { describe, expect, it } from "vitest";
import type { JsonObject } from "../base/json.ts";
import { atOnce } from "../base/steps.ts";
import { ALL_KINDS } from "../kinds/all-kinds.ts";
import type { ApiObject } from "../meta/object.ts";
import { emptyObject } from "../patch/empty-object.ts";
import { encodeManagedFields } from "../patch/managed-fields.ts";
import { withoutManagedFields } from "../patch/object-parts.ts";
import type { WriteContext } from "../patch/ownership.ts";
import { takeChanges, trackUpdate } from "../patch/track-update.ts";
import { TypedError } from "../patch/typed/typed-error.ts";
import { conform } from "../schema/conform.ts";
import { randomValue, seeded } from "../schema/random-value.testing.ts";
import type { StructSchema } from "../schema/schema.ts";

const SEEDS = 6;
const RESETS = [[], [["status"]], [["spec"], ["metadata", "labels"]]];

function bySets(context: WriteContext, object: JsonObject) {
  try {
    const before = emptyObject(context.schema);
    return encodeManagedFields(atOnce(takeChanges(new Map(), before, withoutManagedFields(object), "m", context)));
  } catch (error) {
    if (error instanceof TypedError) return "unreadable";
    throw error;
  }
}

function expectSame(schema: StructSchema, object: JsonObject): void {
  for (const resetFields of RESETS) {
    const context: WriteContext = { schema, apiVersion: "v1", kind: "K", resetFields, now: "2030-01-01T00:00:00Z" };
    const updated = { ...object, metadata: { ...(object["metadata"] as JsonObject), managedFields: [] } };
    const found = trackUpdate({
      ...context,
      live: undefined,
      updated: updated as unknown as ApiObject,
      manager: "m",
      resetRule: "document",
    });
    const expected = bySets(context, object);
    // What cannot be read does not matter where nobody owns it.
    if (expected === "unreadable" && resetFields.length > 0) continue;
    expect(JSON.stringify(found)).toBe(JSON.stringify(expected === "unreadable" ? undefined : expected));
  }
}

describe("what a create owns", () => {
  it.each(ALL_KINDS.map((kind) => [`${kind.group}/${kind.version} ${kind.kind}`, kind] as const))(
    "%s",
    (_name, kind) => {
      for (let seed = 1; seed <= SEEDS; seed++) {
        const random = seeded(seed);
        const draft = { metadata: {}, ...(randomValue(kind.schema, random) as JsonObject) };
        delete (draft.metadata as JsonObject)["managedFields"];
        expectSame(kind.schema, conform(draft, kind.schema, { unknownFields: "drop" }).value as JsonObject);
      }
    },
  );

  it("is the same without a schema, for values of any form", () => {
    const free: StructSchema = { type: "struct", fields: new Map(), preserveUnknown: true } as unknown as StructSchema;
    expectSame(free, {
      apiVersion: "v1",
      kind: "K",
      metadata: { name: "a", labels: {} },
      spec: { list: [1], empty: {}, none: null, deep: { a: { b: "c" } } },
      status: { x: 1 },
    });
  });
});
