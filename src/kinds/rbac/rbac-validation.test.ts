// Requirements: document 2, "RBAC objects".

import { describe, expect, it } from "vitest";
import { counted } from "../../base/steps.testing.ts";
import { atOnce } from "../../base/steps.ts";
import { fieldErrorText } from "../../meta/field-error.ts";
import { namesFor } from "../../meta/names.ts";
import { all } from "../validation.testing.ts";
import { validateClusterRoleBinding, validateRoleBinding, validateSameRole } from "./binding-validation.ts";
import { type ClusterRole, clusterRole, validateClusterRole } from "./cluster-role.ts";
import { clusterRoleBinding } from "./cluster-role-binding.ts";
import { type Role, role, validateRole } from "./role.ts";
import { roleBinding } from "./role-binding.ts";

const group = "rbac.authorization.platform.io";
const context = { names: namesFor("platform"), gateEnabled: () => true, nowMs: 0 };
const rules = (...all: object[]) => ({ metadata: { name: "r" }, rules: all });
const get = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };

describe("a role", () => {
  it.each<[string, object, string[]]>([
    ["with a good rule", rules(get), []],
    ["without rules", rules(), []],
    [
      "with a rule without verbs",
      rules({ ...get, verbs: [] }),
      ["rules[0].verbs: Required value: verbs must contain at least one value"],
    ],
    [
      "with a rule without groups",
      rules({ ...get, apiGroups: [] }),
      ["rules[0].apiGroups: Required value: resource rules must supply at least one api group"],
    ],
    [
      "with a rule without resources",
      rules({ ...get, resources: [] }),
      ["rules[0].resources: Required value: resource rules must supply at least one resource"],
    ],
    [
      "with paths",
      rules({ verbs: ["get"], nonResourceURLs: ["/x"] }),
      ['rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs'],
    ],
  ])("of a namespace %s", (_what, role, texts) =>
    expect(all(validateRole(role as Role)).map(fieldErrorText)).toEqual(texts),
  );

  it.each<[string, object, RegExp[]]>([
    ["with paths", rules({ verbs: ["get"], nonResourceURLs: ["/x"] }), []],
    [
      "with paths and resources in one rule",
      rules({ ...get, nonResourceURLs: ["/x"] }),
      [/rules cannot apply to both/],
    ],
    [
      "that collects without a selector",
      { ...rules(), aggregationRule: { clusterRoleSelectors: [] } },
      [/at least one clusterRoleSelector required/],
    ],
    [
      "that collects by a bad label",
      { ...rules(), aggregationRule: { clusterRoleSelectors: [{ matchLabels: { "bad key": "x" } }] } },
      [
        /matchLabels: Invalid value: "bad key"/,
        /clusterRoleSelectors\[0\]: Invalid value: null: invalid label selector\.$/,
      ],
    ],
    [
      "that collects by an operator nobody knows",
      { ...rules(), aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: "a", operator: "X" }] }] } },
      [/operator: Invalid value: "X": not a valid selector operator/, /invalid label selector/],
    ],
  ])("of the cluster %s", (_what, role, patterns) => {
    const texts = all(validateClusterRole(role as unknown as ClusterRole)).map(fieldErrorText);
    expect(texts).toHaveLength(patterns.length);
    texts.forEach((text, index) => {
      expect(text).toMatch(patterns[index]!);
    });
  });
});

describe("an update", () => {
  it.each([role, clusterRole])("of a role says twice what is wrong, as upstream does", (kind) => {
    const object = rules({ ...get, verbs: [] }) as never;
    const wrong = "rules[0].verbs: Required value: verbs must contain at least one value";
    expect(all(kind.hooks!.validateUpdate!(object, object, context)).map(fieldErrorText)).toEqual([wrong, wrong]);
  });
  it.each([roleBinding, clusterRoleBinding])("of a binding does, and once what changed", (kind) => {
    const bound = (name: string) => ({ roleRef: { apiGroup: group, kind: "ClusterRole", name } }) as never;
    const texts = all(kind.hooks!.validateUpdate!(bound(""), bound("view"), context)).map(fieldErrorText);
    const wrong = "roleRef.name: Required value";
    expect(texts).toEqual([wrong, wrong, expect.stringMatching(/cannot change roleRef$/)]);
  });
});

describe("a binding", () => {
  const roleRef = { apiGroup: group, kind: "ClusterRole", name: "view" };
  const user = { kind: "User", apiGroup: group, name: "ann" };
  const account = { kind: "ServiceAccount", name: "bot" };
  const text = (binding: object, cluster = false) => atOnce(judged(binding, cluster)).map(fieldErrorText);
  const judged = (binding: object, cluster = false) =>
    (cluster ? validateClusterRoleBinding : validateRoleBinding)(
      { roleRef, subjects: [user], ...binding } as never,
      context,
    );
  it.each<[string, object, string[], boolean?]>([
    ["that is good", {}, []],
    ["without subjects", { subjects: undefined }, []],
    ["to a Role", { roleRef: { ...roleRef, kind: "Role" } }, []],
    [
      "of the cluster to a Role",
      { roleRef: { ...roleRef, kind: "Role" } },
      ['roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"'],
      true,
    ],
    [
      "to another group",
      { roleRef: { ...roleRef, apiGroup: "acme.io" } },
      [`roleRef.apiGroup: Unsupported value: "acme.io": supported values: "${group}"`],
    ],
    ["to a role without a name", { roleRef: { ...roleRef, name: "" } }, ["roleRef.name: Required value"]],
    [
      "to a role with a slash",
      { roleRef: { ...roleRef, name: "a/b" } },
      [`roleRef.name: Invalid value: "a/b": may not contain '/'`],
    ],
    ["of a subject without a name", { subjects: [{ ...user, name: "" }] }, ["subjects[0].name: Required value"]],
    [
      "of a user of another group",
      { subjects: [{ ...user, apiGroup: "acme.io" }] },
      [`subjects[0].apiGroup: Unsupported value: "acme.io": supported values: "${group}"`],
    ],
    [
      "of an account with a group",
      { subjects: [{ ...account, apiGroup: group }] },
      [`subjects[0].apiGroup: Unsupported value: "${group}": supported values: ""`],
    ],
    ["of an account without a namespace", { subjects: [account] }, []],
    [
      "of the cluster and an account without a namespace",
      { subjects: [account] },
      ["subjects[0].namespace: Required value"],
      true,
    ],
    [
      "of a robot",
      { subjects: [{ kind: "Robot", name: "r" }] },
      ['subjects[0].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"'],
    ],
  ])("%s", (_what, binding, texts, cluster) => expect(text(binding, cluster)).toEqual(texts));

  it("is judged in steps where it has many subjects", () => {
    const { result, steps } = counted(
      judged({ subjects: Array.from({ length: 1_000 }, () => ({ kind: "", name: "" })) }),
    );
    expect([result.length, steps > 5]).toEqual([2_000, true]);
  });

  it("keeps its role", () => {
    expect(validateSameRole({ roleRef }, { roleRef })).toEqual([]);
    expect(validateSameRole({ roleRef: { ...roleRef, name: "edit" } }, { roleRef }).map(fieldErrorText)).toEqual([
      `roleRef: Invalid value: {"APIGroup":"${group}","Kind":"ClusterRole","Name":"edit"}: cannot change roleRef`,
    ]);
  });
});
