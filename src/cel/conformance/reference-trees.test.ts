// The expressions of the reference's own tests of its checker and parser, wherever it gives the checked tree and they
// need no declarations of that test: types and overloads of every node are the same.

import { getCheckingSuite, getParsingSuite } from "@bufbuild/cel-spec/testdata/tests.js";
import { describe, expect, it } from "vitest";
import { Environment } from "../environment.ts";
import { debugTree, normalizeTree } from "./debug-tree.testing.ts";
import { encodersLibrary } from "./extra-libraries.testing.ts";
import { CONFORMANCE_LIBRARIES } from "./libraries.testing.ts";
import { messageTypes } from "./messages.testing.ts";

const environment = new Environment({
  // The reference's test declares another base64.encode.
  libraries: CONFORMANCE_LIBRARIES.filter((library) => library !== encodersLibrary),
  types: messageTypes,
  homogeneousLiterals: false,
  validateLiterals: false,
  escapedIdentifiers: true,
});

describe("the trees of the reference", () => {
  it.each([
    [getCheckingSuite(), 40],
    [getParsingSuite(), 36],
  ])("are ours too: $name", (suite, comparable) => {
    const found: string[] = [];
    const expected: string[] = [];
    for (const { original, checkedAst } of suite.tests) {
      if (checkedAst === undefined) continue;
      const { checked, issues } = environment.check(original.expr);
      // Names that only the reference's test declares.
      if (issues.length > 0 && issues.every((issue) => issue.message.startsWith("undeclared reference"))) continue;
      found.push(checked === undefined ? issues.map((issue) => issue.text).join() : debugTree(checked));
      expected.push(normalizeTree(checkedAst));
    }
    expect(found).toEqual(expected);
    expect(found.length).toBeGreaterThanOrEqual(comparable);
  });
});
