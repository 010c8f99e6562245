// Very many rules of one user: they are gone through in turns with everybody else.

import { describe, expect, it } from "vitest";
import { asSlowWork, counted } from "../../base/steps.testing.ts";
import { makeRule, type Rule } from "../../meta/access-rule.ts";
import { namesFor } from "../../meta/names.ts";
import { explainAccess, whoCan } from "./explain-access.ts";
import { rbacAuthorizer, rbacRules } from "./rbac-authorizer.ts";
import { RbacIndex } from "./rbac-index.ts";
import { uncoveredInSteps } from "./rule-cover.ts";

const names = namesFor("kubernetes");
const USER = { name: "ann", groups: ["dev"] };
const words = (count: number): string[] => Array.from({ length: count }, (_, index) => `word-${index}`);
const ruleOf = (resources: readonly string[]): Rule => makeRule({ apiGroups: ["apps"], resources, verbs: ["get"] });
const asks = (resource: string) => ({
  user: USER,
  verb: "get",
  resource: { group: "apps", version: "v1", resource, subresource: "", namespace: "a", name: "x" },
});

function indexOf(roles: readonly (readonly Rule[])[]): RbacIndex {
  const index = new RbacIndex();
  roles.forEach((rules, at) => {
    const name = `r${at}`;
    index.setRole({ name, namespace: "", rules }, undefined);
    const subjects = [{ kind: "Group", name: "dev", namespace: "" }];
    index.setBinding({ name, namespace: "", roleRef: { kind: "ClusterRole", name }, subjects }, undefined);
  });
  return index;
}

const MANY: readonly [string, readonly (readonly Rule[])[]][] = [
  ["very many roles", words(20_000).map((word) => [ruleOf([word])])],
  ["very many rules of one role", [words(20_000).map((word) => ruleOf([word]))]],
  ["rules of very many words", words(40).map((word) => [ruleOf([...words(5_000), `own-${word}`])])],
];

describe.each(MANY)("%s", (_, roles) => {
  const index = indexOf(roles);

  it.each([
    ["nobody-has", "no-opinion"],
    [roles.at(-1)!.at(-1)!.resources.at(-1)!, "allow"],
  ])("are asked about %s in turns", async (resource, verdict) => {
    await asSlowWork(6, async () => {
      const decision = rbacAuthorizer(names, index).authorize(asks(resource));
      expect(decision).toBeInstanceOf(Promise);
      expect(await decision).toMatchObject({ verdict });
    });
  });

  it("are compared with others in steps", () => {
    const held = roles.flat();
    const { result, steps } = counted(uncoveredInSteps(held, [ruleOf(["word-7"]), ruleOf(["else"])]));
    expect(result).toEqual([ruleOf(["else"])]);
    expect(steps).toBeGreaterThan(3);
  });

  it("are explained in steps, to who asks why and who asks who else", () => {
    const why = counted(explainAccess(index, asks("nobody-has")));
    expect(why.result.nearest).toHaveLength(10);
    expect(why.result.nearest[0]!.differs).toEqual(["resources"]);
    const who = counted(whoCan(index, asks("nobody-has")));
    expect(who.result).toEqual({ subjects: [], truncated: false });
    // Why: all are gone through twice, for the nearest and for one that would allow it.
    expect(why.steps).toBeGreaterThan(5);
    expect(who.steps).toBeGreaterThan(2);
  });
});

it("very many rules are collected in turns", async () => {
  const index = indexOf(words(200).map((word) => words(100).map((other) => ruleOf([word, other]))));
  await asSlowWork(6, async () => {
    const held = rbacRules(names, index).rulesFor(USER, "a");
    expect(held).toBeInstanceOf(Promise);
    expect((await held).rules).toHaveLength(20_000);
  });
});

it("few rules are asked and collected at once", () => {
  const index = indexOf([words(1_000).map((word) => ruleOf([word]))]);
  expect(rbacAuthorizer(names, index).authorize(asks("nobody-has"))).toEqual({ verdict: "no-opinion", reason: "" });
  expect(rbacRules(names, index).rulesFor(USER, "a")).toMatchObject({ incomplete: false });
});
