// Requirements: document 2, "Command-line form".

import { describe, expect, it } from "vitest";
import { namesFor } from "../../meta/names.ts";
import type { Attributes } from "../../registry/authorizer.ts";
import { parsePolicies, policyAllows } from "./policy.ts";

const names = namesFor("platform");
const line = (spec: object) =>
  JSON.stringify({ apiVersion: "abac.authorization.platform.io/v1beta1", kind: "Policy", spec });
const pods = (verb: string, name: string, groups: string[] = [], namespace = "a"): Attributes => ({
  user: { name, groups },
  verb,
  resource: { group: "", version: "v1", resource: "pods", subresource: "log", namespace, name: "" },
});
const path = (verb: string, name: string, at: string): Attributes => ({ user: { name, groups: [] }, verb, path: at });

describe("a policy", () => {
  const everything = { namespace: "*", resource: "*", apiGroup: "*" };
  it.each<[string, object, Attributes, boolean]>([
    ["allows its user", { user: "ann", namespace: "a", resource: "pods", apiGroup: "" }, pods("delete", "ann"), true],
    ["allows nobody else", { user: "ann", ...everything }, pods("get", "bob"), false],
    [
      "stays in its namespace",
      { user: "ann", namespace: "a", resource: "*", apiGroup: "*" },
      pods("get", "ann", [], "b"),
      false,
    ],
    [
      "of a namespace does not span all",
      { user: "ann", namespace: "a", resource: "*", apiGroup: "*" },
      pods("list", "ann", [], ""),
      false,
    ],
    ["that only reads allows reading", { user: "ann", ...everything, readonly: true }, pods("watch", "ann"), true],
    ["that only reads allows no writing", { user: "ann", ...everything, readonly: true }, pods("create", "ann"), false],
    ["allows a group", { group: "ops", ...everything }, pods("get", "x", ["ops"]), true],
    ["with user and group needs both", { user: "ann", group: "ops", ...everything }, pods("get", "ann"), false],
    [
      "for everyone means everyone who is known",
      { user: "*", ...everything },
      pods("get", "x", ["system:authenticated"]),
      true,
    ],
    [
      "for everyone leaves out the anonymous",
      { user: "*", ...everything },
      pods("get", "x", ["system:unauthenticated"]),
      false,
    ],
    ["without user and group allows nobody", everything, pods("get", "ann"), false],
    ["allows a path", { user: "ann", nonResourcePath: "/metrics" }, path("get", "ann", "/metrics"), true],
    [
      "allows paths by a trailing star",
      { user: "ann", nonResourcePath: "/health*" },
      path("get", "ann", "/healthz"),
      true,
    ],
    ["for resources allows no path", { user: "ann", ...everything }, path("get", "ann", "/metrics"), false],
    ["for paths allows no resource", { user: "ann", nonResourcePath: "*" }, pods("get", "ann"), false],
  ])("%s", (_what, spec, attributes, allowed) => {
    expect(parsePolicies(names, line(spec)).some((policy) => policyAllows(policy, attributes))).toBe(allowed);
  });
});

describe("a file of policies", () => {
  it("may have comments and blank lines", () =>
    expect(parsePolicies(names, `# a\n\n${line({ user: "x" })}\n`)).toHaveLength(1));
  it("may hold lines without a version, whose gaps mean everything", () => {
    const [policy] = parsePolicies(names, '{"user":"ann"}');
    expect([
      policyAllows(policy!, pods("delete", "ann", [], "b")),
      policyAllows(policy!, path("get", "ann", "/x")),
    ]).toEqual([true, true]);
  });
  it.each([
    ['{"user":"ann","readOnly":true}', 'line 1: unknown field "readOnly"'],
    ['{"user":"ann","nonResourcePath":"/x"}', 'line 1: unknown field "nonResourcePath"'],
    ['{"spec":{"user":"ann"}}', 'line 1: unknown field "spec"'],
    [line({ user: "ann", readOnly: true }), 'line 1: unknown field "spec.readOnly"'],
    [JSON.stringify({ ...JSON.parse(line({})), user: "ann" }), 'line 1: unknown field "user"'],
  ])("may not hold fields that nobody reads: %s", (text, problem) => {
    expect(() => parsePolicies(names, text)).toThrow(problem);
  });
  it.each([
    "nonsense",
    "[]",
    '{"apiVersion":"v1","kind":"Pod"}',
    line({ user: 1 }),
    line({ user: "x", readonly: "no" }),
  ])("is refused with the line at fault: %s", (bad) =>
    expect(() => parsePolicies(names, `# first\n${bad}`)).toThrow(/^line 2: /),
  );
});
