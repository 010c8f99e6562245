import { expect, it } from "vitest";
import { counted } from "../../base/steps.testing.ts";
import { writePair } from "./gnostic-message.ts";
import { V2_PARTS } from "./gnostic-v2.ts";
import { V3_PARTS } from "./gnostic-v3.ts";
import { GnosticWriter } from "./gnostic-writer.ts";

const schemaOf = (count: number) => ({
  type: "object",
  properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { type: "string" }])),
});

it.each([
  ["v2", V2_PARTS.definitions],
  ["v3", V3_PARTS.definitions],
])("writes a wide schema in steps, a narrow one in one: %s", (_, { entry, write }) => {
  const written = (count: number) => {
    const writer = new GnosticWriter();
    const { steps } = counted(writePair(writer, entry, "Wide", schemaOf(count), write));
    return { steps, sizeBytes: writer.take().length };
  };
  expect(written(3).steps).toBe(0);
  const wide = written(20_000);
  expect(wide.steps).toBeGreaterThan(40);
  expect(wide.sizeBytes).toBeGreaterThan(20_000 * 10);
});
