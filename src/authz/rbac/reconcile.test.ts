// Requirements: document 2, "Default roles and bindings".

import { describe, expect, it } from "vitest";
import { atOnce } from "../../base/steps.ts";
import { aggregatedRules } from "../../kinds/rbac/aggregate.ts";
import { namesFor } from "../../meta/names.ts";
import type { ApiObject } from "../../meta/object.ts";
import { defaultRbacObjects } from "./default-roles/default-roles.ts";
import { reconcileBinding, reconcileRole } from "./reconcile.ts";

const names = namesFor("platform");
const get = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };
const list = { verbs: ["list"], apiGroups: [""], resources: ["pods"] };
const role = (
  rules: unknown[],
  annotations: Record<string, string> = { [names.autoupdateAnnotation]: "true" },
): ApiObject => ({
  metadata: { name: "r", labels: { [names.bootstrappingLabel]: "rbac-defaults" }, annotations },
  rules,
});

describe("a stored default role", () => {
  it("that is whole stays as it is", () => expect(reconcileRole(names, role([get]), role([get]))).toBeUndefined());
  it("gets back a permission that was taken away", () =>
    expect(reconcileRole(names, role([]), role([get]))?.["rules"]).toEqual([get]));
  it("keeps permissions that others added", () =>
    expect(reconcileRole(names, role([list]), role([get]))?.["rules"]).toEqual([list, get]));
  it("with more than it needs stays as it is", () =>
    expect(reconcileRole(names, role([{ ...get, verbs: ["*"] }]), role([get]))).toBeUndefined());
  it("gets back its label", () => {
    const stored = { ...role([get]), metadata: { name: "r", annotations: { [names.autoupdateAnnotation]: "true" } } };
    expect(reconcileRole(names, stored, role([get]))?.metadata.labels).toEqual({
      [names.bootstrappingLabel]: "rbac-defaults",
    });
  });
  it("that must not be updated is left alone", () =>
    expect(reconcileRole(names, role([], { [names.autoupdateAnnotation]: "false" }), role([get]))).toBeUndefined());
});

describe("a stored default binding", () => {
  const binding = (
    roleName: string,
    subjects: unknown[],
    annotations = { [names.autoupdateAnnotation]: "true" },
  ): ApiObject => ({
    metadata: { name: "b", labels: { [names.bootstrappingLabel]: "rbac-defaults" }, annotations },
    roleRef: { kind: "ClusterRole", name: roleName },
    subjects,
  });
  const ann = { kind: "User", name: "ann" };
  const bob = { kind: "User", name: "bob" };
  it("gets back a subject and keeps others", () => {
    const change = reconcileBinding(names, binding("r", [bob]), binding("r", [ann]));
    expect([change?.type, change?.object["subjects"]]).toEqual(["update", [bob, ann]]);
  });
  it("to another role is replaced", () =>
    expect(reconcileBinding(names, binding("other", [ann]), binding("r", [ann]))?.type).toBe("replace"));
  it("that must not be updated is left alone", () =>
    expect(
      reconcileBinding(names, binding("other", [], { [names.autoupdateAnnotation]: "false" }), binding("r", [ann])),
    ).toBeUndefined());
});

describe("a role that collects others", () => {
  const collecting: ApiObject = {
    metadata: { name: "all" },
    aggregationRule: {
      clusterRoleSelectors: [
        { matchLabels: { part: "yes" } },
        { matchExpressions: [{ key: "extra", operator: "Exists" }] },
      ],
    },
    rules: [],
  };
  const part = (name: string, labels: Record<string, string>, rules: unknown[]): ApiObject => ({
    metadata: { name, labels },
    rules,
  });
  it("takes the rules of those that match, in the order of their names, each once", () => {
    const all = [
      part("b", { part: "yes" }, [list, get]),
      part("a", { part: "yes" }, [get]),
      part("c", { part: "no" }, [{ verbs: ["*"] }]),
      part("d", { extra: "" }, [{ verbs: ["x"] }]),
    ];
    expect(atOnce(aggregatedRules(collecting, [...all, collecting]))).toEqual([get, list, { verbs: ["x"] }]);
  });
  it("that holds them already stays as it is", () =>
    expect(
      atOnce(aggregatedRules({ ...collecting, rules: [get] }, [part("a", { part: "yes" }, [get])])),
    ).toBeUndefined());
});

describe("the default objects", () => {
  it.each(["platform", "kubernetes"] as const)("are all there in the dialect %s, and speak only it", (dialect) => {
    const objects = defaultRbacObjects(namesFor(dialect), () => false);
    const counts = Object.values(objects).map((list) => list.length);
    expect(counts).toEqual([68, 7, 49, 7]);
    const foreign = dialect === "platform" ? /kubernetes\.io|k8s\.io/ : /platform\.io/;
    expect(JSON.stringify(objects)).not.toMatch(foreign);
  });
});
