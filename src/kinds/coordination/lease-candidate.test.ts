// What candidates for leases must say, and what of it never changes.

import { describe, expect, it } from "vitest";
import { createErrors, updateErrors } from "../validation.testing.ts";
import { leaseCandidate } from "./lease-candidate.ts";

const good = {
  leaseName: "l",
  binaryVersion: "1.34.0",
  emulationVersion: "1.33.0",
  strategy: "OldestEmulationVersion",
};
const body = (spec: object) => ({ metadata: { name: "a" }, spec: { ...good, ...spec } });

describe("a lease candidate", () => {
  it.each([
    [{}, []],
    [{ leaseName: "" }, ["spec.leaseName: Required value"]],
    [{ binaryVersion: "" }, ["spec.binaryVersion: Required value"]],
    [
      { binaryVersion: "v1.34" },
      [
        'spec.binaryVersion: Invalid value: "v1.34": must be a valid semantic version',
        'spec.binaryVersion: Invalid value: "v1.34": must be greater than or equal to `emulationVersion`',
      ],
    ],
    [
      { emulationVersion: "x" },
      [
        'spec.emulationVersion: Invalid value: "x": must be a valid semantic version',
        "spec.emulationVersion: Required value: must be specified when `strategy` is 'OldestEmulationVersion'",
      ],
    ],
    [
      { emulationVersion: "1.34.1" },
      ['spec.binaryVersion: Invalid value: "1.34.0": must be greater than or equal to `emulationVersion`'],
    ],
    [{ binaryVersion: "1.34.0", emulationVersion: "1.34.0-rc.1" }, []],
    [{ strategy: "" }, ["spec.strategy: Required value"]],
    [
      { strategy: "Youngest" },
      ['spec.strategy.strategy: Unsupported value: "Youngest": supported values: "OldestEmulationVersion"'],
    ],
    [{ strategy: "example.com/own", emulationVersion: undefined }, []],
  ])("%j", (spec, errors) => {
    expect(createErrors(leaseCandidate, body(spec))).toEqual(errors);
  });

  it("is for one lease for ever", () => {
    expect(updateErrors(leaseCandidate, body({ leaseName: "m" }), body({}))).toEqual([
      'spec.leaseName: Invalid value: "m": field is immutable',
    ]);
  });
});
