import { expect, it } from "vitest";
import { schemaFromCrd } from "../schema/from-crd.ts";
import { atomicParts } from "./atomic-parts.ts";

const TEXT = { type: "string" };
const SCHEMA = schemaFromCrd({
  type: "object",
  properties: {
    name: TEXT,
    unit: { type: "object", "x-kubernetes-map-type": "atomic", properties: { a: TEXT } },
    list: { type: "array", items: TEXT },
    set: { type: "array", "x-kubernetes-list-type": "set", items: TEXT },
    keyed: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
      items: { type: "object", properties: { k: TEXT, inner: { type: "array", items: TEXT } } },
    },
  },
});

it.each([
  [{ name: "x", set: ["a"] }, []],
  [{ unit: { a: "b" } }, [".unit"]],
  [{ list: ["a"] }, [".list"]],
  [{ keyed: [{ k: "a" }, { k: "b", inner: [] }] }, [".keyed[1].inner"]],
])("of %j the parts %j are units", (configuration, parts) => {
  expect(atomicParts(configuration, SCHEMA)).toEqual(parts);
});
