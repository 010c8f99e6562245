import { describe, expect, it } from "vitest";
import { policyLiterals } from "./policy-literals.ts";

const named = (...texts: string[]) => policyLiterals(texts).map(({ type }) => type.name);

describe("types of the objects that policies build", () => {
  it("are those whose names stand before braces", () => {
    expect(named("Object{spec: Object.spec {a: 1}}", "[Object.spec.b\n{}, Object.metadata]")).toEqual([
      "JSONPatch",
      "Object",
      "Object.spec",
      "Object.spec.b",
    ]);
  });

  it("are not looked for again and again in a name that goes on and on", () => {
    expect(named("Object.".repeat(50_000))).toEqual(["JSONPatch", "Object"]);
  });
});
