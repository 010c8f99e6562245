// The public conformance suite of the language. Values, errors, deduced types and, where the reference gives it, the
// checked tree: type and overload of every node.

import { describe, expect, it } from "vitest";
import { runCase } from "./run-case.testing.ts";
import { SKIPPED, TREE_DIFFERS } from "./skipped.testing.ts";
import { type ConformanceCase, conformanceCases } from "./suite.testing.ts";

const cases = conformanceCases();

describe("the conformance suite", () => {
  it.each([...new Set(cases.map((test) => test.suite))])("passes in its section %s", (suite) => {
    const failures = cases
      .filter((test) => test.suite === suite && !SKIPPED.has(test.title))
      .map((test) => ({ title: test.title, expr: test.original.expr, problem: runCase(test) }))
      .filter((outcome) => outcome.problem !== undefined);
    expect(failures).toEqual([]);
  });

  it.each([...SKIPPED])("skips %s, and only because of this: %s", (title) => {
    expect(runCase(found(title)), "this case passes: take it off the list").toBeDefined();
  });

  it.each([...TREE_DIFFERS])("does not compare the tree of %s, and only because of this: %s", (title) => {
    const test = found(title);
    expect(runCase(test, false)).toBeUndefined();
    expect(runCase(test, true), "this tree is equal: take it off the list").toContain("checked tree");
  });

  it("runs at least 99 of 100 cases, those apart that want enums to be types of their own", () => {
    const meant = cases.filter((test) => !test.title.startsWith("enums/strong_"));
    const skipped = meant.filter((test) => SKIPPED.has(test.title));
    expect(meant.length).toBeGreaterThan(2_200);
    expect(skipped.length / meant.length).toBeLessThan(0.01);
  });
});

function found(title: string): ConformanceCase {
  const [test, ...more] = cases.filter((candidate) => candidate.title === title);
  if (test === undefined) throw new Error(`there is no case ${title}: take it off the list`);
  if (more.length > 0) throw new Error(`several cases are called ${title}: a list would hide the others`);
  return test;
}
