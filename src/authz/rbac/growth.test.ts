// Four times as many rules take about four times as long, never sixteen times: what users write must not stop everybody else.

import { describe, expect, it } from "vitest";
import { atOnce } from "../../base/steps.ts";
import { aggregatedRules } from "../../kinds/rbac/aggregate.ts";
import { makeRule, type Rule } from "../../meta/access-rule.ts";
import { namesFor } from "../../meta/names.ts";
import type { ApiObject } from "../../meta/object.ts";
import { escalationText } from "./escalation.ts";
import { explainAccess, whoCan } from "./explain-access.ts";
import { rbacAuthorizer, rbacRules } from "./rbac-authorizer.ts";
import { type Binding, RbacIndex } from "./rbac-index.ts";
import { uncoveredRules } from "./rule-cover.ts";

const names = namesFor("platform");
const USER = { name: "ann", groups: ["dev"] };
const words = (count: number): string[] => Array.from({ length: count }, (_, i) => `word-${i}`);
/** One for each word. */
const rules = (count: number): Rule[] =>
  words(count).map((word) => makeRule({ apiGroups: ["apps"], resources: [word], verbs: ["get", "list"] }));
const roleObject = (name: string, list: readonly Rule[], more: object = {}): ApiObject =>
  ({ metadata: { name, labels: { collect: "yes" } }, rules: list, ...more }) as unknown as ApiObject;
const bindingTo = (role: string, name: string): Binding => ({
  name,
  namespace: "a",
  roleRef: { kind: "ClusterRole", name: role },
  subjects: [{ kind: "Group", name: "dev", namespace: "" }],
});

function indexOf(roles: ReadonlyMap<string, readonly Rule[]>): RbacIndex {
  const index = new RbacIndex();
  for (const [name, list] of roles) {
    index.setRole({ name, namespace: "", rules: list }, undefined);
    index.setBinding(bindingTo(name, name), undefined);
  }
  return index;
}

const oneRole = (count: number) => indexOf(new Map([["r", rules(count)]]));
const manyRoles = (count: number) => indexOf(new Map(words(count).map((word) => [word, rules(1)])));
const missingRoles = (count: number) => {
  const index = new RbacIndex();
  for (const word of words(count)) index.setBinding(bindingTo(word, word), undefined);
  return index;
};
const question = {
  user: USER,
  verb: "delete",
  resource: { group: "apps", version: "v1", resource: "pods", subresource: "", namespace: "a", name: "x" },
};

describe("the time for four times as much is about four times as long", () => {
  it.each<[string, number, (count: number) => () => unknown]>([
    ["a role of many rules, asked", 5_000, (n) => asked(oneRole(n))],
    ["many roles, asked", 5_000, (n) => asked(manyRoles(n))],
    ["bindings to roles that do not exist, asked", 5_000, (n) => asked(missingRoles(n))],
    ["a rule of long lists, asked", 20_000, (n) => asked(indexOf(new Map([["r", [wide(n)]]])))],
    ["a review of rules", 5_000, (n) => reviewed(manyRoles(n))],
    ["an explanation", 5_000, (n) => explained(manyRoles(n))],
    ["the question who can", 5_000, (n) => askedWho(manyRoles(n))],
    ["the same rules, held and wanted", 1_000, (n) => compared(rules(n), rules(n))],
    ["rules that nobody holds", 1_000, (n) => compared([], rules(n))],
    ["rules that are held one verb at a time", 1_000, (n) => compared(byVerb(n), rules(n))],
    ["a wide rule, held by one verb", 5_000, (n) => compared([makeRule({ ...wide(n), verbs: ["get"] })], [wide(n)])],
    ["paths", 5_000, (n) => compared([makeRule({ nonResourceURLs: ["/word*"], verbs: ["get"] })], [paths(n)])],
    ["the text of a refusal", 5_000, (n) => () => escalationText(USER, [wide(n)], [])],
    ["aggregation of one long role", 4_000, (n) => aggregated([roleObject("long", rules(n))])],
    ["aggregation of many roles", 4_000, (n) => aggregated(words(n).map((word) => roleObject(word, rules(1))))],
    ["bindings of one group to one role, taken away", 4_000, bound],
  ])("%s", async (_, count, prepare) => {
    // Processor time of this process, the best of some rounds: what else the machine does must not count.
    const best = { one: Number.POSITIVE_INFINITY, four: Number.POSITIVE_INFINITY };
    const measure = async (n: number): Promise<number> => {
      const work = prepare(n);
      const before = process.cpuUsage();
      await work();
      return process.cpuUsage(before).user / 1000;
    };
    // Little time says nothing: a square would take seconds here.
    const isLinear = () => best.four < 250 || best.four < 9 * best.one;
    for (let round = 0; round < 8 && !(round > 1 && isLinear()); round += 1) {
      best.one = Math.min(best.one, await measure(count));
      best.four = Math.min(best.four, await measure(4 * count));
    }
    expect(isLinear(), `${count}: ${best.one} ms, ${4 * count}: ${best.four} ms`).toBe(true);
  });
});

const wide = (count: number): Rule =>
  makeRule({ apiGroups: words(count), resources: words(count), verbs: ["get", "list"] });
const paths = (count: number): Rule =>
  makeRule({ nonResourceURLs: words(count).map((word) => `/${word}`), verbs: ["get"] });
const byVerb = (count: number): Rule[] =>
  rules(count).flatMap((rule) => rule.verbs.map((verb) => makeRule({ ...rule, verbs: [verb] })));

const asked = (index: RbacIndex) => () => rbacAuthorizer(names, index).authorize(question);
const reviewed = (index: RbacIndex) => () => rbacRules(names, index).rulesFor(USER, "a");
const explained = (index: RbacIndex) => () => atOnce(explainAccess(index, question));
const askedWho = (index: RbacIndex) => () => atOnce(whoCan(index, question));
const compared = (held: readonly Rule[], wanted: readonly Rule[]) => () => uncoveredRules(held, wanted);
const aggregated = (all: readonly ApiObject[]) => () => {
  const selector = { matchLabels: { collect: "yes" } };
  aggregatedRules(roleObject("all", [], { aggregationRule: { clusterRoleSelectors: [selector, selector] } }), all);
};

function bound(count: number): () => void {
  const index = new RbacIndex();
  const bindings = words(count).map((word) => bindingTo("r", word));
  for (const binding of bindings) index.setBinding(binding, undefined);
  return () => {
    for (const binding of bindings) index.setBinding(undefined, binding);
  };
}
