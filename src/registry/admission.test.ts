// The chain itself: order, the second round, and what it reports.

import { describe, expect, it } from "vitest";
import { badRequest } from "../meta/status-error.ts";
import { AdmissionChain, type AdmissionPlugin, type AdmissionRequest } from "./admission.ts";

const request = { operation: "CREATE", resource: { group: "", version: "v1", resource: "pods" } } as AdmissionRequest;

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
    expect(() => chain.validate(request)).toThrow("no");
    expect(seen).toEqual(["no validate true", "validate true"]);
  });

  it("reports a refusal that comes late, and asks nobody after it", async () => {
    const seen: string[] = [];
    const refuses: AdmissionPlugin = {
      name: "no",
      handles: () => true,
      validate: () => Promise.reject(badRequest("no")),
    };
    const never: AdmissionPlugin = { name: "never", handles: () => true, validate: () => void seen.push("called") };
    const chain = new AdmissionChain([refuses, never], {
      plugin: (name, type, _operation, rejected) => seen.push(`${name} ${type} ${rejected}`),
      step: (type, _operation, rejected) => seen.push(`${type} ${rejected}`),
    });
    await expect(chain.validate(request)).rejects.toThrow("no");
    expect(seen).toEqual(["no validate true", "validate true"]);
  });

  it("asks plug-ins that name their resources about no others, and keeps their order", async () => {
    const calls: string[] = [];
    const plugin = (name: string, resources?: readonly string[]): AdmissionPlugin => ({
      name,
      ...(resources === undefined ? {} : { resources }),
      handles: () => true,
      mutate: (_, round) => void (round?.again !== true && calls.push(name)),
    });
    const chain = new AdmissionChain([plugin("a", ["pods"]), plugin("b"), plugin("c", ["nodes", "pods"])]);
    const about = (resource: string) => ({ ...request, resource: { ...request.resource, resource } });
    for (const resource of ["pods", "nodes", "secrets"]) {
      calls.push(resource);
      await chain.mutate(about(resource));
    }
    expect(calls).toEqual(["pods", "a", "b", "c", "nodes", "b", "c", "secrets", "b"]);
  });
});
