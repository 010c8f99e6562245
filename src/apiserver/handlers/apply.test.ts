import { expect, it } from "vitest";
import { isLarge } from "../../registry/write.ts";
import { TestWrites } from "../../registry/writes.testing.ts";
import { readIntent } from "./apply.ts";
import type { HandlerContext } from "./handler-context.ts";
import type { WriteQuery } from "./write-options.ts";

it.each([
  { values: 100, large: false },
  { values: 1_500, large: true },
])("an intent of 20 KiB that holds $values values: is it large? $large", async ({ values, large }) => {
  const writes = new TestWrites();
  const resource = writes.resource("configmaps");
  const value = "v".repeat((20 * 1024) / values - 12);
  const data = Object.fromEntries(Array.from({ length: values }, (_, index) => [`key-${index}`, value]));
  const bytes = Buffer.from(JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data }));
  const write = writes.request(resource);
  const context = { names: writes.deps.names } as HandlerContext;
  await readIntent(context, resource, write, { fieldValidation: "Warn" } as WriteQuery, bytes, "applyYaml");
  expect(isLarge(write, 0)).toBe(large);
  await writes.close();
});
