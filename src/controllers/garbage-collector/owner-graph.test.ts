// The rules of garbage collection without a server: the graph of owners and the judgement of one object.

import { describe, expect, it } from "vitest";
import { type GraphKind, type LooseMetadata, type ObservedObject, observe, type Phase } from "./graph-node.ts";
import { type JudgedObject, judgeObject, type Standing, type Verdict } from "./judge-object.ts";
import { OwnerGraph } from "./owner-graph.ts";

const configMaps: GraphKind = { group: "", version: "v1", resource: "configmaps", kind: "ConfigMap", namespaced: true };
const nodes: GraphKind = { group: "", version: "v1", resource: "nodes", kind: "Node", namespaced: false };

const ref = (uid: string, blocks = false) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  name: uid,
  uid,
  blockOwnerDeletion: blocks,
});

const object = (uid: string, metadata: LooseMetadata = {}): ObservedObject =>
  observe(configMaps, { uid, name: uid, namespace: "n", ...metadata })!;

const ending = (...finalizers: string[]) => ({ deletionTimestamp: "2030-01-01T00:00:00Z", finalizers });

function graph() {
  const looked: string[] = [];
  const owners = new OwnerGraph(({ uid }) => looked.push(uid));
  return { owners, looks: () => looked.splice(0).sort() };
}

describe("what is read of an object", () => {
  const phases: [what: string, metadata: LooseMetadata, phase: Phase][] = [
    ["nothing", {}, "live"],
    ["finalizers alone", { finalizers: ["orphan", "foregroundDeletion"] }, "live"],
    ["an end", ending(), "ending"],
    ["an end that others hold up", ending("example.com/x"), "ending"],
    ["foreground", ending("foregroundDeletion"), "deletingDependents"],
    ["orphan", ending("orphan"), "orphaning"],
    ["both", ending("foregroundDeletion", "orphan"), "orphaning"],
  ];
  it.each(phases)("its phase: %s", (_, metadata, phase) => expect(object("a", metadata).phase).toBe(phase));

  it("is nothing where a server sends nonsense", () => {
    const bad = [{ uid: 1, name: "x" }, { uid: "", name: "x" }, { uid: "a" }, { uid: "a", name: "x", namespace: 7 }];
    for (const metadata of bad) expect(observe(configMaps, metadata)).toBeUndefined();
    const ownerReferences = [null, "x", { uid: "" }, { ...ref("b"), kind: 7 }, ref("b")];
    expect(object("a", { ownerReferences }).owners.map(({ uid }) => uid)).toEqual(["b"]);
    expect(object("a", { ownerReferences: "x", finalizers: {}, deletionTimestamp: null }).phase).toBe("live");
  });
});

describe("the graph of owners", () => {
  it("says nothing of objects whose owners are there, in whichever order they came", () => {
    const { owners, looks } = graph();
    owners.put(object("owner"));
    owners.put(object("a", { ownerReferences: [ref("owner")] }));
    expect(looks()).toEqual([]);
    owners.put(object("b", { ownerReferences: [ref("later")] }));
    expect(looks()).toEqual(["b"]);
    owners.put(object("later"));
    expect(looks()).toEqual([]);
    expect(owners.needsLook(owners.get("b")!)).toBe(false);
  });

  it("has dependents looked at when an owner goes", () => {
    const { owners, looks } = graph();
    owners.put(object("owner"));
    for (const uid of ["a", "b"]) owners.put(object(uid, { ownerReferences: [ref("owner")] }));
    owners.remove("owner");
    expect(looks()).toEqual(["a", "b"]);
    owners.remove("owner");
    expect(looks()).toEqual([]);
  });

  it("has dependents looked at when their owner waits for them, and the owner when none blocks it any more", () => {
    const { owners, looks } = graph();
    owners.put(object("owner"));
    owners.put(object("blocks", { ownerReferences: [ref("owner", true)] }));
    owners.put(object("does-not", { ownerReferences: [ref("owner")] }));
    owners.put(object("owner", ending("foregroundDeletion")));
    expect(looks()).toEqual(["blocks", "does-not", "owner"]);
    expect(owners.blockingCount("owner")).toBe(1);
    owners.put(object("late", { ownerReferences: [ref("owner", true)] }));
    expect(looks()).toEqual(["late"]);
    owners.remove("blocks");
    expect(looks()).toEqual([]);
    owners.put(object("late", { ownerReferences: [ref("owner")] }));
    expect(looks()).toEqual(["late", "owner"]);
  });

  it("counts a dependent once that refers to its owner twice", () => {
    const { owners } = graph();
    owners.put(object("owner"));
    owners.put(object("a", { ownerReferences: [ref("owner"), ref("owner", true)] }));
    expect(owners.blockingCount("owner")).toBe(1);
    owners.remove("a");
    expect(owners.blockingCount("owner")).toBe(0);
    expect(owners.hasDependents("owner")).toBe(false);
  });

  it("looks at the object itself when its owners change to one that is not there", () => {
    const { owners, looks } = graph();
    owners.put(object("a"));
    owners.put(object("a", { ownerReferences: [ref("nobody")] }));
    expect(looks()).toEqual(["a"]);
    owners.put(object("a", { ownerReferences: [ref("nobody")] }));
    expect(looks()).toEqual([]);
    owners.put(object("a", ending("orphan")));
    expect(looks()).toEqual(["a"]);
  });

  it("asks again for owners that were missing when all of their kind have been seen", () => {
    const { owners, looks } = graph();
    owners.put(object("a", { ownerReferences: [ref("nobody")] }));
    owners.put(object("b", { ownerReferences: [{ ...ref("other"), kind: "Secret" }] }));
    expect(looks()).toEqual(["a", "b"]);
    owners.seenAll(configMaps);
    expect(looks()).toEqual(["a"]);
    owners.remove("a");
    owners.seenAll(configMaps);
    expect(looks()).toEqual([]);
  });

  const meant: [what: string, reference: object, standing: string][] = [
    ["as it is", {}, "solid"],
    ["in another version of its group", { apiVersion: "v2" }, "solid"],
    ["of another group", { apiVersion: "apps/v1" }, "unseen"],
    ["of another kind", { kind: "Secret" }, "unseen"],
    ["of another name", { name: "x" }, "unseen"],
    ["of another uid", { uid: "x" }, "unseen"],
  ];
  it.each(meant)("knows an owner that is named %s", (_, reference, standing) => {
    const { owners } = graph();
    owners.put(object("owner"));
    const dependent = object("a", { ownerReferences: [{ ...ref("owner"), ...reference }] });
    expect(owners.standingOf(dependent.owners[0]!, "n")).toBe(standing);
  });

  it("knows owners of the whole cluster from everywhere, and owners in namespaces only from there", () => {
    const { owners } = graph();
    owners.put(observe(nodes, { uid: "node", name: "node" })!);
    owners.put(object("owner"));
    const [toNode, toOwner] = object("a", {
      ownerReferences: [{ ...ref("node"), kind: "Node" }, ref("owner")],
    }).owners;
    expect(["n", "m", ""].map((namespace) => owners.standingOf(toNode!, namespace))).toEqual([
      "solid",
      "solid",
      "solid",
    ]);
    expect(["n", "m", ""].map((namespace) => owners.standingOf(toOwner!, namespace))).toEqual([
      "solid",
      "unseen",
      "unseen",
    ]);
  });

  it("holds nothing once everything has gone", () => {
    const { owners } = graph();
    for (let i = 0; i < 100; i += 1) owners.put(object(`${i}`, { ownerReferences: [ref(`${i + 1}`, true), ref("x")] }));
    for (let i = 0; i < 100; i += 1) owners.remove(`${i}`);
    expect(owners.size).toBe(0);
    expect([...owners.ofKind(configMaps)]).toEqual([]);
    expect(owners.hasDependents("x") || owners.hasDependents("100")).toBe(false);
  });
});

describe("the judgement", () => {
  const links = object("a", { ownerReferences: ["o1", "o2", "o3"].map((uid) => ref(uid)) }).owners;
  const remove = (propagationPolicy: "Orphan" | "Foreground" | "Background", unblockOwners = false): Verdict => ({
    type: "delete",
    propagationPolicy,
    unblockOwners,
  });
  const leave = (...uids: string[]): Verdict => ({
    type: "leave-owners",
    owners: links.filter(({ uid }) => uids.includes(uid)),
  });
  const keep: Verdict = { type: "keep" };
  const cases: [owners: Standing[], more: Partial<JudgedObject>, verdict: Verdict][] = [
    [[], {}, keep],
    [["solid"], {}, keep],
    [["solid", "solid"], { hasDependents: true }, keep],
    [["absent"], {}, remove("Background")],
    [["absent", "absent"], { hasDependents: true }, remove("Background")],
    [["absent"], { finalizers: ["orphan"] }, remove("Orphan")],
    [["absent"], { finalizers: ["foregroundDeletion"] }, remove("Foreground")],
    [["absent"], { finalizers: ["example.com/x"] }, remove("Background")],
    [["waiting"], {}, remove("Background")],
    [["waiting"], { hasDependents: true }, remove("Foreground")],
    [["waiting"], { hasDependents: true, inCircle: true }, remove("Foreground", true)],
    [["absent", "waiting"], { hasDependents: true }, remove("Foreground")],
    [["solid", "absent"], {}, leave("o2")],
    [["waiting", "solid", "absent"], { hasDependents: true }, leave("o1", "o3")],
    [["undecided"], {}, keep],
    [["undecided", "absent"], {}, keep],
    [["solid", "undecided", "absent"], {}, keep],
  ];
  it.each(cases)("owners %j with %j", (standings, more, verdict) => {
    const owners = standings.map((standing, i) => ({ link: links[i]!, standing }));
    const judged = judgeObject({ owners, finalizers: [], hasDependents: false, inCircle: false, ...more });
    if (judged.type === "leave-owners" && verdict.type === "leave-owners")
      expect(new Set(judged.owners)).toEqual(new Set(verdict.owners));
    else expect(judged).toEqual(verdict);
  });
});
