// The index answers what a plain scan of all bindings answers. Requirements: document 2, "RBAC objects".

import { describe, expect, it } from "vitest";
import { makeRule } from "../../meta/access-rule.ts";
import { namesFor } from "../../meta/names.ts";
import { serviceAccountUser } from "../../meta/service-account-user.ts";
import type { Attributes } from "../../registry/authorizer.ts";
import { rbacAuthorizer } from "./rbac-authorizer.ts";
import { type Binding, RbacIndex, type Role } from "./rbac-index.ts";
import { ruleAllows } from "./rule-match.ts";

const names = namesFor("kubernetes");

/** A small generator with a seed, so that a failure can be repeated. */
function randomOf(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

class PlainScan {
  readonly roles = new Map<string, Role>();
  readonly bindings = new Map<string, Binding>();

  allows(attributes: Attributes): boolean {
    const namespace = attributes.resource?.namespace ?? "";
    return [...this.bindings.values()].some((binding) => {
      if (binding.namespace !== "" && binding.namespace !== namespace) return false;
      const concerned = binding.subjects.some(({ kind, name, namespace: where }) => {
        if (kind === "User") return attributes.user.name === name;
        if (kind === "Group") return attributes.user.groups.includes(name);
        return attributes.user.name === serviceAccountUser({ namespace: where || binding.namespace, name });
      });
      const { kind, name } = binding.roleRef;
      const role = this.roles.get(kind === "ClusterRole" ? `/${name}` : `${binding.namespace}/${name}`);
      return concerned && (role?.rules ?? []).some((rule) => ruleAllows(rule, attributes));
    });
  }
}

describe("the index of roles and bindings", () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])("agrees with a plain scan through random changes, seed %i", (seed) => {
    const random = randomOf(seed);
    const pick = <T>(...values: T[]): T => values[random(values.length)]!;
    const index = new RbacIndex();
    const scan = new PlainScan();
    const authorizer = rbacAuthorizer(names, index);
    for (let step = 0; step < 400; step += 1) {
      const namespace = pick("", "a", "b");
      const name = pick("x", "y", "z");
      const key = `${namespace}/${name}`;
      if (random(2) === 0) {
        const now: Role | undefined =
          random(4) === 0
            ? undefined
            : {
                name,
                namespace,
                rules: [
                  makeRule({
                    verbs: [pick("get", "list", "*")],
                    apiGroups: [pick("", "apps", "*")],
                    resources: [pick("pods", "secrets", "*")],
                    resourceNames: random(3) === 0 ? ["one"] : [],
                  }),
                ],
              };
        index.setRole(now, scan.roles.get(key));
        if (now === undefined) scan.roles.delete(key);
        else scan.roles.set(key, now);
      } else {
        const now: Binding | undefined =
          random(4) === 0
            ? undefined
            : {
                name,
                namespace,
                roleRef: {
                  kind: namespace === "" ? "ClusterRole" : pick("Role", "ClusterRole"),
                  name: pick("x", "y", "z"),
                },
                subjects: Array.from({ length: random(3) }, () => ({
                  kind: pick("User", "Group", "ServiceAccount"),
                  name: pick("ann", "bob"),
                  namespace: pick("a", "b"),
                })),
              };
        index.setBinding(now, scan.bindings.get(key));
        if (now === undefined) scan.bindings.delete(key);
        else scan.bindings.set(key, now);
      }
      const attributes: Attributes = {
        user: {
          name: pick("ann", "bob", serviceAccountUser({ namespace: "a", name: "ann" })),
          groups: pick([], ["ann"], ["ann", "bob"]),
        },
        verb: pick("get", "list", "create"),
        resource: {
          group: pick("", "apps"),
          version: "v1",
          resource: pick("pods", "secrets"),
          subresource: "",
          namespace: pick("", "a", "b"),
          name: pick("", "one", "two"),
        },
      };
      const decision = authorizer.authorize(attributes) as { verdict: string };
      expect([step, decision.verdict]).toEqual([step, scan.allows(attributes) ? "allow" : "no-opinion"]);
    }
  });

  it("says which binding allows", () => {
    const index = new RbacIndex();
    index.setRole(
      { name: "r", namespace: "a", rules: [makeRule({ verbs: ["get"], apiGroups: [""], resources: ["pods"] })] },
      undefined,
    );
    index.setBinding(
      {
        name: "b",
        namespace: "a",
        roleRef: { kind: "Role", name: "r" },
        subjects: [{ kind: "ServiceAccount", name: "s", namespace: "" }],
      },
      undefined,
    );
    const resource = { group: "", version: "v1", resource: "pods", subresource: "", namespace: "a", name: "p" };
    const user = { name: serviceAccountUser({ namespace: "a", name: "s" }), groups: [] };
    expect(rbacAuthorizer(names, index).authorize({ user, verb: "get", resource })).toEqual({
      verdict: "allow",
      reason: 'RBAC: allowed by RoleBinding "b/a" of Role "r" to ServiceAccount "s/a"',
    });
  });

  it("names the role that a binding misses", () => {
    const index = new RbacIndex();
    index.setBinding(
      {
        name: "b",
        namespace: "",
        roleRef: { kind: "ClusterRole", name: "gone" },
        subjects: [{ kind: "User", name: "ann", namespace: "" }],
      },
      undefined,
    );
    expect(
      rbacAuthorizer(names, index).authorize({ user: { name: "ann", groups: [] }, verb: "get", path: "/x" }),
    ).toEqual({
      verdict: "no-opinion",
      reason: 'RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found',
    });
  });
});
