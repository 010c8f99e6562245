// The public conformance suite of the language. Values, errors, deduced types and, where the reference gives it, the
// checked tree: type and overload of every node.

import { describe, expect, it } from "vitest";
import { runCase } from "./run-case.testing.ts";
import { bindingsOf, type ConformanceCase, conformanceCases, variablesOf } from "./suite.testing.ts";

/** Suites about protobuf messages: API objects are JSON with schemas, so messages do not exist here. */
const MESSAGE_SUITES = new Map([
  ["proto2", "fields and literals of proto2 messages"],
  ["proto2_ext", "extensions of proto2 messages"],
  ["proto3", "fields and literals of proto3 messages"],
  ["enums", "protobuf enums"],
  ["wrappers", "protobuf wrapper messages"],
  ["dynamic", "protobuf Any, Struct, Value and wrapper messages"],
]);

/** Cases of other suites that name or bind a message; the reason is the same. */
const MESSAGE_NAMES = /TestAllTypes|GlobalEnum|google\.protobuf\.(?!Timestamp\b|Duration\b)|proto\.|\bmsg\b/;

function skipReason(test: ConformanceCase): string | undefined {
  const suite = MESSAGE_SUITES.get(test.suite);
  if (suite !== undefined) return suite;
  const { expr, container } = test.original;
  if (MESSAGE_NAMES.test(expr) || container.includes("conformance.proto")) return "needs a protobuf message";
  if (variablesOf(test) === undefined || bindingsOf(test) === undefined) return "binds a protobuf message";
  return undefined;
}

const cases = conformanceCases();
const skipped = cases.filter((test) => skipReason(test) !== undefined);
const run = cases.filter((test) => skipReason(test) === undefined);

describe("the conformance suite", () => {
  it.each([...new Set(run.map((test) => test.suite))])("passes in its section %s", (suite) => {
    const failures = run
      .filter((test) => test.suite === suite)
      .map((test) => ({ title: test.title, expr: test.original.expr, problem: runCase(test) }))
      .filter((outcome) => outcome.problem !== undefined);
    expect(failures).toEqual([]);
  });

  it("leaves out only what needs protobuf messages", () => {
    const outside = skipped.filter((test) => !MESSAGE_SUITES.has(test.suite));
    const needless = outside.filter((test) => skipReason(test) !== "binds a protobuf message" && passes(test));
    expect(outside.length).toBeLessThan(180);
    expect(run.length).toBeGreaterThan(1_600);
    // Cases that only mention a message name and pass all the same are counted as skipped, never as run.
    expect(needless.length).toBeLessThan(60);
  });
});

function passes(test: ConformanceCase): boolean {
  return runCase(test) === undefined;
}
