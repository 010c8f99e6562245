// Documents that say which test holds what: each of these tests is there.

import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

it.each(["SECURITY.md", "test/conformance/README.md"])("%s names tests that exist", (document) => {
  const rows = readFileSync(document, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("|"));
  const named = rows.flatMap((row) => [...row.matchAll(/`((?:src|test)\/[^`]+)`/g)].map(([, path]) => path!));
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !existsSync(path))).toEqual([]);
});
