// What a create owns is found in one walk; the sets of paths that other writes go through say the same of every kind.

import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../base/json.ts";
import { counted } from "../base/steps.testing.ts";
import { atOnce } from "../base/steps.ts";
import { ALL_KINDS } from "../kinds/all-kinds.ts";
import type { ApiObject } from "../meta/object.ts";
import { createdFieldsInSteps } from "../patch/created-fields.ts";
import { emptyObject } from "../patch/empty-object.ts";
import { encodeManagedFieldsInSteps } from "../patch/managed-fields.ts";
import { withoutManagedFields } from "../patch/object-parts.ts";
import type { WriteContext } from "../patch/ownership.ts";
import { takeChanges, trackUpdate, trackUpdateInSteps, type UpdateInput } from "../patch/track-update.ts";
import { atomOf } from "../patch/typed/atom.ts";
import { TypedError } from "../patch/typed/typed-error.ts";
import { conform } from "../schema/conform.ts";
import { randomValue, seeded } from "../schema/random-value.testing.ts";
import type { StructSchema } from "../schema/schema.ts";

const SEEDS = 6;
const RESETS = [[], [["status"]], [["spec"], ["metadata", "labels"]]];

function bySets(context: WriteContext, object: JsonObject) {
  try {
    const before = emptyObject(context.schema);
    const managers = atOnce(takeChanges(new Map(), before, withoutManagedFields(object), "m", context, false));
    return atOnce(encodeManagedFieldsInSteps(managers, false));
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

describe("what a create owns of long lists and maps", () => {
  const many = <T>(one: (index: number) => T): T[] => Array.from({ length: 5_000 }, (_, index) => one(index));
  const members = (value: Json) => Object.fromEntries(many((index) => [`k${(index * 7) % 5_000}`, value]));
  const owners = many((index) => ({ apiVersion: "v1", kind: "Node", name: "n", uid: `u${index % 4_000}` }));
  const env = many((index) => ({ name: `A${index}`, value: "x" }));

  it.each<[string, JsonObject]>([
    ["ConfigMap", { data: members("v"), binaryData: {}, metadata: { ownerReferences: owners, labels: members("l") } }],
    [
      "Deployment",
      {
        spec: {
          template: {
            spec: {
              containers: [
                { name: "a", env },
                { name: "b", env },
              ],
            },
          },
        },
      },
    ],
    ["Pod", { spec: { containers: [{ name: "a", args: many(String) }] }, status: { conditions: [{ type: "a" }] } }],
  ])("is found in steps, and is what one walk finds: %s", (kind, object) => {
    const { schema } = ALL_KINDS.find((each) => each.kind === kind)!;
    for (const resetFields of [[], [["metadata", "labels"]], [["spec"], ["data"]]]) {
      const input: UpdateInput = {
        ...{ schema, apiVersion: "v1", kind, resetFields, now: "2030-01-01T00:00:00Z", manager: "m" },
        live: undefined,
        updated: { kind, apiVersion: "v1", metadata: {}, ...object } as unknown as ApiObject,
        resetRule: "document",
      };
      expect(JSON.stringify(atOnce(trackUpdateInSteps(input)))).toBe(JSON.stringify(trackUpdate(input)));
    }
  });

  it("takes more than one step where many parts are of a medium size", () => {
    const { schema } = ALL_KINDS.find((each) => each.kind === "Pod")!;
    const stepsOf = (variables: number, named: number) => {
      const env = Array.from({ length: variables }, (_, index) => ({ name: `E${index}` }));
      const containers = Array.from({ length: named }, (_, index) => ({ name: `c${index}`, env }));
      return counted(createdFieldsInSteps(emptyObject(schema), { spec: { containers } }, atomOf(schema), new Map()))
        .steps;
    };
    // Neither list is long.
    expect(stepsOf(100, 90)).toBeGreaterThan(stepsOf(100, 9) + 20);
  });

  it("takes more than one step", () => {
    const { schema } = ALL_KINDS.find((each) => each.kind === "ConfigMap")!;
    const stepsOf = (created: JsonObject) =>
      counted(createdFieldsInSteps(emptyObject(schema), created, atomOf(schema), new Map())).steps;
    expect(stepsOf({ data: members("v") })).toBeGreaterThan(5);
    const uids = many((index) => ({ uid: `u${index % 4_000}` }));
    const short = stepsOf({ metadata: { ownerReferences: uids } });
    expect(stepsOf({ metadata: { ownerReferences: owners } })).toBeGreaterThan(short + 4);
  });
});
