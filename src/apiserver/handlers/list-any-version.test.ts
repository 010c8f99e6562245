// A list at version 0: whole where upstream answers it from its cache, in chunks elsewhere.

import { expect, it } from "vitest";
import type { Dialect } from "../../meta/names.ts";
import { serverInProcess } from "../server.testing.ts";

it.each<[Dialect, string[], boolean]>([
  ["kubernetes", [], true],
  ["kubernetes", ["--watch-cache=false"], false],
  ["platform", [], false],
])("in the dialect %s with %j is whole: %s", async (dialect, flags, whole) => {
  const server = await serverInProcess({ dialect, flags });
  const { items } = (await server.call("GET", "/api/v1/namespaces?limit=1&resourceVersion=0")).json;
  expect(items.length > 1).toBe(whole);
  await server.close();
});
