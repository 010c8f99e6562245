// Requirements: document 2, "Escalation prevention".

import { describe, expect, it } from "vitest";
import { FULL_AUTHORITY, makeRule, type Rule } from "../../registry/access-rule.ts";
import { compactRules, ruleText, uncoveredRules } from "./rule-cover.ts";

const on = (resources: string[], verbs: string[], more: Partial<Rule> = {}): Rule =>
  makeRule({ apiGroups: [""], resources, verbs, ...more });
const path = (url: string, verb = "get"): Rule => makeRule({ nonResourceURLs: [url], verbs: [verb] });

describe("rules that are held cover", () => {
  it.each<[string, Rule[], Rule[], boolean]>([
    ["themselves", [on(["pods"], ["get"])], [on(["pods"], ["get"])], true],
    ["fewer verbs", [on(["pods"], ["get", "list"])], [on(["pods"], ["list"])], true],
    ["no other verb", [on(["pods"], ["get"])], [on(["pods"], ["get", "list"])], false],
    [
      "what several of them grant together",
      [on(["pods"], ["get"]), on(["secrets"], ["get"])],
      [on(["pods", "secrets"], ["get"])],
      true,
    ],
    ["no sub-resource by the resource", [on(["pods"], ["get"])], [on(["pods/log"], ["get"])], false],
    ["sub-resources by a star before them", [on(["*/log"], ["get"])], [on(["pods/log"], ["get"])], true],
    ["a name by no restriction", [on(["pods"], ["get"])], [on(["pods"], ["get"], { resourceNames: ["a"] })], true],
    [
      "no missing restriction by a name",
      [on(["pods"], ["get"], { resourceNames: ["a"] })],
      [on(["pods"], ["get"])],
      false,
    ],
    [
      "names one by one",
      [on(["pods"], ["get"], { resourceNames: ["a"] }), on(["pods"], ["get"], { resourceNames: ["b"] })],
      [on(["pods"], ["get"], { resourceNames: ["a", "b"] })],
      true,
    ],
    ["no star by all that is known", [on(["pods"], ["get", "list", "watch"])], [on(["pods"], ["*"])], false],
    ["no other group", [on(["pods"], ["get"])], [on(["pods"], ["get"], { apiGroups: ["apps"] })], false],
    ["paths below a star", [path("/tree/*")], [path("/tree/a"), path("/tree/b/*")], true],
    ["no path above a star", [path("/tree/*")], [path("/tree")], false],
    ["nothing at all, if nothing is wanted", [], [], true],
    [
      "everything, by full authority",
      [...FULL_AUTHORITY],
      [on(["pods"], ["get"]), path("/x"), ...FULL_AUTHORITY],
      true,
    ],
    ["no path, by all resources", [FULL_AUTHORITY[0]!], [path("/x")], false],
  ])("%s", (_what, held, wanted, covered) => {
    expect(uncoveredRules(held, wanted).length === 0).toBe(covered);
  });
});

describe("missing rules", () => {
  it("are shown with their verbs together, in upstream's form", () => {
    const missing = uncoveredRules([on(["pods"], ["get"])], [on(["pods"], ["get", "list", "watch"]), path("/x")]);
    expect(compactRules(missing).map(ruleText)).toEqual([
      '{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}',
      '{NonResourceURLs:["/x"], Verbs:["get"]}',
    ]);
  });
  it("repeat verbs that are wanted twice, as upstream does", () => {
    const missing = uncoveredRules([], [on(["pods"], ["get"]), on(["pods"], ["get"])]);
    expect(compactRules(missing).map(ruleText)).toEqual(['{APIGroups:[""], Resources:["pods"], Verbs:["get" "get"]}']);
  });
});
