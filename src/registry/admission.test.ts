// The chain itself: order, the second round, and what it reports.

import { describe, expect, it } from "vitest";
import { badRequest } from "../meta/status-error.ts";
import { AdmissionChain, type AdmissionPlugin, type AdmissionRequest } from "./admission.ts";

const request = { operation: "CREATE" } as AdmissionRequest;

describe("the admission chain", () => {
  it("runs every plug-in in order, and the mutating ones once more when one asks for it", async () => {
    const calls: string[] = [];
    const plugin = (name: string, demands = false): AdmissionPlugin => ({
      name,
      handles: () => true,
      mutate(_, round) {
        calls.push(`${name}${round?.again ? " again" : ""}`);
        if (demands) round?.requestReinvocation();
      },
    });
    await new AdmissionChain([plugin("a"), plugin("b", true)]).mutate(request);
    expect(calls).toEqual(["a", "b", "a again", "b again"]);
  });

  it("stops at the first refusal and reports it", async () => {
    const seen: string[] = [];
    const refuses: AdmissionPlugin = {
      name: "no",
      handles: () => true,
      validate() {
        throw badRequest("no");
      },
    };
    const never: AdmissionPlugin = { name: "never", handles: () => true, validate: () => void seen.push("called") };
    const chain = new AdmissionChain([refuses, never], {
      plugin: (name, type, _operation, rejected) => seen.push(`${name} ${type} ${rejected}`),
      step: (type, _operation, rejected) => seen.push(`${type} ${rejected}`),
    });
    await expect(chain.validate(request)).rejects.toThrow("no");
    expect(seen).toEqual(["no validate true", "validate true"]);
  });
});
