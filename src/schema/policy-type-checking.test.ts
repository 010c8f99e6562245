// The findings of a type check go into the status of the policy: only so many fit there.

import { describe, expect, it } from "vitest";
import { atOnce } from "../base/steps.ts";
import { schemaFromCrd } from "./from-crd.ts";
import { type CheckedKinds, typeWarnings } from "./policy-type-checking.ts";

const size = { type: "integer" };
const schema = schemaFromCrd({ type: "object", properties: { spec: { type: "object", properties: { size } } } });
const kinds: CheckedKinds = {
  ofResource: (group, version, resource) => ({ group, version, kind: `Kind${resource}`, schema }),
  named: () => undefined,
};

function warningsOf(expressions: readonly string[], resources: readonly string[] = ["a"]) {
  const matched = { apiGroups: ["example.com"], apiVersions: ["v1"], resources };
  const validations = expressions.map((expression) => ({ expression }));
  return atOnce(typeWarnings("kubernetes", kinds, { matchConstraints: { resourceRules: [matched] }, validations }));
}

describe("the warnings of a policy", () => {
  it("name each expression that does not fit", () => {
    expect(warningsOf(["object.spec.size > 1", "object.spec.sice > 1"])).toEqual([
      { fieldRef: "spec.validations[1].expression", warning: expect.stringContaining("undefined field 'sice'") },
    ]);
  });

  it("end where a status holds no more, and say so", () => {
    const warnings = warningsOf(Array.from({ length: 5_000 }, (_, index) => `object.spec.sice > ${index}`));
    const length = warnings.reduce((sum, { fieldRef, warning }) => sum + fieldRef.length + warning.length, 0);
    expect(length).toBeLessThan(66_000);
    expect(warnings.length).toBeGreaterThan(100);
    expect(warnings.at(-1)).toEqual({
      fieldRef: "spec.validations",
      warning: expect.stringContaining("more warnings than a status holds"),
    });
  });

  it("are cut one by one, so that the first leaves room for others", () => {
    const long = Array.from({ length: 100 }, (_, index) => `object.spec.wrong${index} == 1`).join(" && ");
    const resources = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
    const warnings = warningsOf([long, "object.spec.sice > 1"], resources);
    expect(warnings.map(({ fieldRef }) => fieldRef)).toEqual([
      "spec.validations[0].expression",
      "spec.validations[1].expression",
    ]);
    expect(warnings[0]?.warning).toHaveLength(16 * 1024 + "...".length);
  });
});
