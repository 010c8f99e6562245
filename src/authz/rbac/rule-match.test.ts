// Requirements: document 2, "RBAC objects".

import { describe, expect, it } from "vitest";
import { makeRule, type Rule } from "../../meta/access-rule.ts";
import type { Attributes } from "../../registry/authorizer.ts";
import { ruleAllows } from "./rule-match.ts";

const user = { name: "ann", groups: [] };

function ask(verb: string, what: string, name = ""): Attributes {
  if (what.startsWith("/")) return { user, verb, path: what };
  const [qualified = "", subresource = ""] = what.split("/");
  const [resource = "", ...group] = qualified.split(".");
  return {
    user,
    verb,
    resource: { group: group.join("."), version: "v1", resource, subresource, namespace: "ns", name },
  };
}

const on = (groups: string[], resources: string[], verbs: string[], resourceNames: string[] = []): Rule =>
  makeRule({ apiGroups: groups, resources, verbs, resourceNames });
const paths = (urls: string[], verbs: string[]): Rule => makeRule({ nonResourceURLs: urls, verbs });

describe("a rule", () => {
  const pods = on([""], ["pods"], ["get"]);
  const named = on([""], ["configmaps"], ["get", "list", "create", "deletecollection"], ["one"]);
  const tree = paths(["/exact", "/tree/*", "/part*", "/mid/*/end"], ["get"]);
  it.each<[string, Rule, Attributes, boolean]>([
    ["allows its verb on its resource", pods, ask("get", "pods"), true],
    ["allows no other verb", pods, ask("list", "pods"), false],
    ["allows no other resource", pods, ask("get", "secrets"), false],
    ["of the core group allows nothing of another group", pods, ask("get", "pods.acme.io"), false],
    ["for a resource does not reach its sub-resources", pods, ask("get", "pods/log"), false],
    ["for a sub-resource does not reach its resource", on([""], ["pods/log"], ["get"]), ask("get", "pods"), false],
    ["for a sub-resource allows it", on([""], ["pods/log"], ["get"]), ask("get", "pods/log"), true],
    ["with every verb allows verbs nobody knows", on([""], ["pods"], ["*"]), ask("juggle", "pods"), true],
    ["with every resource reaches sub-resources", on([""], ["*"], ["get"]), ask("get", "pods/log"), true],
    ["with every resource stays in its group", on([""], ["*"], ["get"]), ask("get", "deployments.apps"), false],
    ["with every group reaches all", on(["*"], ["deployments"], ["get"]), ask("get", "deployments.apps"), true],
    [
      "with */scale reaches the scale of all",
      on(["*"], ["*/scale"], ["get"]),
      ask("get", "deployments.apps/scale"),
      true,
    ],
    [
      "with */scale reaches nothing else",
      on(["*"], ["*/scale"], ["get"]),
      ask("get", "deployments.apps/status"),
      false,
    ],
    [
      "with */scale does not reach the resource",
      on(["*"], ["*/scale"], ["get"]),
      ask("get", "deployments.apps"),
      false,
    ],
    ["with pods/* reaches no sub-resource", on([""], ["pods/*"], ["get"]), ask("get", "pods/log"), false],
    ["with a name allows that object", named, ask("get", "configmaps", "one"), true],
    ["with a name refuses another object", named, ask("get", "configmaps", "two"), false],
    ["with a name refuses a create", named, ask("create", "configmaps"), false],
    ["with a name refuses a collection delete", named, ask("deletecollection", "configmaps"), false],
    ["with a name refuses a list of all", named, ask("list", "configmaps"), false],
    ["with a name allows a list of that one", named, ask("list", "configmaps", "one"), true],
    ["for a path allows exactly it", tree, ask("get", "/exact"), true],
    ["for a path refuses it with a slash behind", tree, ask("get", "/exact/"), false],
    ["for a path refuses what is below", tree, ask("get", "/exact/x"), false],
    ["with a trailing star allows what is below", tree, ask("get", "/tree/a/b"), true],
    ["with a trailing star after a slash refuses the path itself", tree, ask("get", "/tree"), false],
    ["with a trailing star inside a segment allows what begins so", tree, ask("get", "/party"), true],
    ["with a star in the middle takes it literally", tree, ask("get", "/mid/x/end"), false],
    ["for every path allows every path", paths(["*"], ["get"]), ask("get", "/a/b"), true],
    ["for every path allows no resource", paths(["*"], ["get"]), ask("get", "pods"), false],
    ["for resources allows no path", on(["*"], ["*"], ["*"]), ask("get", "/healthz"), false],
  ])("%s", (_what, rule, attributes, allowed) => {
    expect(ruleAllows(rule, attributes)).toBe(allowed);
  });
});
