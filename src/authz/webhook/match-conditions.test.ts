// Requirements: document 2, "AuthorizationConfiguration file", "Match logic".

import { describe, expect, it } from "vitest";
import { namesFor } from "../../meta/names.ts";
import type { Attributes } from "../../registry/authorizer.ts";
import { MatchConditions } from "./match-conditions.ts";

const names = namesFor("platform");
const user = { name: "ann", uid: "u", groups: ["team"], extra: { scopes: ["a", "b"] } };
const pods: Attributes = {
  user,
  verb: "get",
  resource: { group: "", version: "v1", resource: "pods", subresource: "log", namespace: "ns", name: "p" },
};
const metrics: Attributes = { user: { name: "ann", groups: [] }, verb: "get", path: "/metrics" };

function conditions(...expressions: string[]): MatchConditions {
  const compiled = MatchConditions.compile(names, 34, expressions);
  if (!(compiled instanceof MatchConditions)) throw new Error(compiled.problem);
  return compiled;
}

describe("match conditions", () => {
  it.each<[string[], Attributes, object]>([
    [[], pods, { matches: true }],
    [["has(request.resourceAttributes)", "request.resourceAttributes.namespace == 'ns'"], pods, { matches: true }],
    [["request.resourceAttributes.namespace == 'other'"], pods, { matches: false }],
    [
      ["request.resourceAttributes.group == ''", "request.resourceAttributes.subresource == 'log'"],
      pods,
      { matches: true },
    ],
    [["'team' in request.groups && request.uid == 'u'"], pods, { matches: true }],
    [["request.extra['scopes'] == ['a', 'b']"], pods, { matches: true }],
    [
      ["has(request.nonResourceAttributes) && request.nonResourceAttributes.path.startsWith('/met')"],
      metrics,
      { matches: true },
    ],
    [
      ["request.resourceAttributes.namespace == 'ns'"],
      metrics,
      { error: expect.stringContaining("resourceAttributes") },
    ],
    [["request.resourceAttributes.namespace == 'ns'", "request.user == 'bob'"], metrics, { matches: false }],
    [["request.user == 'ann'", "request.resourceAttributes.namespace == 'ns'"], metrics, { error: expect.any(String) }],
  ])("%j", (expressions, attributes, outcome) => {
    expect(conditions(...expressions).match(attributes)).toEqual(outcome);
  });

  it.each(["request.nothing == 'x'", "request.user", "1 +", "object.user == 'x'"])(
    "refuse %j when they are compiled",
    (expression) => {
      expect(MatchConditions.compile(names, 34, ["true", expression])).toMatchObject({
        index: 1,
        problem: expect.any(String),
      });
    },
  );

  it("cost no more than their budget", () => {
    const loops =
      "request.groups.all(a, request.groups.all(b, request.groups.all(c, request.groups.all(d, a + b + c + d != 'x'))))";
    const many = { ...pods, user: { ...user, groups: Array.from({ length: 200 }, (_, index) => `group-${index}`) } };
    expect(conditions(loops).match(many)).toHaveProperty("error");
  });
});
