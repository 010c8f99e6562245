// The rules of metadata. Requirements: document 1, "Object metadata".

import { describe, expect, it } from "vitest";
import { counted } from "../base/steps.testing.ts";
import { atOnce } from "../base/steps.ts";
import type { Kind } from "../kinds/define-kind.ts";
import { namesFor } from "../meta/names.ts";
import type { ApiObject, ObjectMeta, OwnerReference } from "../meta/object.ts";
import {
  dedupOwnerReferences,
  fillSystemFields,
  validateMetadata,
  validateMetadataUpdate,
  wipeSystemFields,
} from "./metadata.ts";

const names = namesFor("kubernetes");
const namespaced = { kind: { scope: "Namespaced" as const }, names };
const cluster = { kind: { scope: "Cluster" as const }, names };
const good: ObjectMeta = { name: "x", namespace: "a" };
const owner = (more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  name: "r",
  uid: "u",
  ...more,
});

const problems = (metadata: ObjectMeta, rules: Parameters<typeof validateMetadata>[1] = namespaced) =>
  atOnce(validateMetadata(metadata, rules)).map(({ field, detail }) => `${field}: ${detail ?? ""}`);

describe("new metadata", () => {
  it("passes", () => {
    expect(problems(good)).toEqual([]);
    expect(problems({ name: "x" }, cluster)).toEqual([]);
    expect(problems({ ...good, finalizers: ["orphan", "example.com/x"], ownerReferences: [owner()] })).toEqual([]);
  });

  it.each<[string, ObjectMeta, RegExp]>([
    ["no name", { namespace: "a" }, /^metadata\.name: name or generateName is required$/],
    ["a name in capitals", { ...good, name: "X" }, /^metadata\.name: .*RFC 1123 subdomain/],
    ["a prefix in capitals", { ...good, generateName: "XX-" }, /^metadata\.generateName: .*RFC 1123 subdomain/],
    ["no namespace", { name: "x" }, /^metadata\.namespace: /],
    ["a namespace with a dot", { name: "x", namespace: "a.b" }, /^metadata\.namespace: must not contain dots$/],
    [
      "a negative generation",
      { ...good, generation: -1 },
      /^metadata\.generation: must be greater than or equal to 0$/,
    ],
    ["a label that is none", { ...good, labels: { "a/b/c": "" } }, /^metadata\.labels: /],
    ["an annotation without a name", { ...good, annotations: { "": "" } }, /^metadata\.annotations: /],
    ["a bare finalizer", { ...good, finalizers: ["mine"] }, /^metadata\.finalizers\[0\]: name is neither a standard/],
    [
      "finalizers that exclude each other",
      { ...good, finalizers: ["orphan", "foregroundDeletion"] },
      /cannot be both set$/,
    ],
    [
      "an owner without a version",
      { ...good, ownerReferences: [owner({ apiVersion: "" })] },
      /version must not be empty/,
    ],
    ["an owner without a uid", { ...good, ownerReferences: [owner({ uid: "" })] }, /ownerReferences\.uid: must not/],
    [
      "an event as owner",
      { ...good, ownerReferences: [owner({ apiVersion: "v1", kind: "Event" })] },
      /disallowed from being an owner/,
    ],
    [
      "two controllers",
      { ...good, ownerReferences: [owner({ controller: true }), owner({ name: "s", controller: true })] },
      /Only one reference can have Controller set to true.*ReplicaSet\/r and ReplicaSet\/s/,
    ],
    [
      "a manager that does something else",
      { ...good, managedFields: [{ operation: "Delete" }] } as unknown as ObjectMeta,
      /managedFields\[0\]\.operation: must be `Apply` or `Update`/,
    ],
    [
      "a manager whose name is too long",
      { ...good, managedFields: [{ operation: "Update", manager: "m".repeat(129) }] } as unknown as ObjectMeta,
      /managedFields\[0\]\.manager: may not be more than 128 bytes/,
    ],
  ])("is refused with %s", (_, metadata, words) => {
    const found = problems(metadata);
    expect(
      found.some((problem) => words.test(problem)),
      found.join("\n"),
    ).toBe(true);
  });

  it("names bare finalizers after everything else", () => {
    const metadata = {
      ...good,
      finalizers: ["x", "a b"],
      managedFields: [{ operation: "Delete" }],
    } as unknown as ObjectMeta;
    expect(problems(metadata).map((problem) => problem.split(":")[0])).toEqual([
      "metadata.finalizers",
      "metadata.managedFields[0].operation",
      "metadata.finalizers[0]",
      "metadata.finalizers[1]",
    ]);
  });

  it("has no namespace where there are none", () => {
    expect(problems(good, cluster)).toEqual(["metadata.namespace: not allowed on this type"]);
  });

  it("says only of itself what clients may say", () => {
    const metadata: ObjectMeta = { ...good, selfLink: "/x", deletionTimestamp: "2030-01-01T00:00:00Z" };
    wipeSystemFields(metadata);
    fillSystemFields(metadata, "u", "2031-01-01T00:00:00Z");
    expect(metadata).toEqual({ ...good, uid: "u", creationTimestamp: "2031-01-01T00:00:00Z" });
  });
});

describe("changed metadata", () => {
  const old: ObjectMeta = { ...good, uid: "u", resourceVersion: "5", generation: 2, creationTimestamp: "t" };
  const changes = (change: Partial<ObjectMeta>, before: Partial<ObjectMeta> = {}) =>
    atOnce(validateMetadataUpdate({ ...old, ...before, ...change }, { ...old, ...before }, namespaced)).map(
      ({ field, detail }) => `${field}: ${detail ?? ""}`,
    );

  it.each<[string, Partial<ObjectMeta>, string]>([
    ["its name", { name: "y" }, "metadata.name: field is immutable"],
    ["its namespace", { namespace: "b" }, "metadata.namespace: field is immutable"],
    ["its uid", { uid: "v" }, "metadata.uid: field is immutable"],
    ["its creation", { creationTimestamp: "s" }, "metadata.creationTimestamp: field is immutable"],
    ["its end", { deletionTimestamp: "s" }, "metadata.deletionTimestamp: field is immutable"],
    ["its generation downwards", { generation: 1 }, "metadata.generation: must not be decremented"],
    ["no version", { resourceVersion: "" }, "metadata.resourceVersion: must be specified for an update"],
  ])("must not change %s", (_, change, expected) => {
    expect(changes(change)).toEqual([expected]);
  });

  it.each<[string, Partial<Kind>, string]>([
    ["and need a domain", {}, "form domain"],
    ["of some kinds need none", { freeFinalizers: true }, "form"],
    ["of kinds whose metadata come last need none", { judgesMetadataLast: true }, "form"],
  ])("has finalizers that are judged %s", (_, kind, expected) => {
    const metadata = { ...old, finalizers: ["a b/c", "bare"] };
    const rules = { names, kind: { ...namespaced.kind, ...kind } };
    const found = atOnce(validateMetadataUpdate(metadata, old, rules));
    expect(found.map(({ field }) => (field.endsWith("]") ? "domain" : "form")).join(" ")).toBe(expected);
  });

  it("may have other labels, managers and finalizers, and keeps a name that would not be given today", () => {
    expect(changes({ labels: { a: "b" }, finalizers: ["example.com/x"] })).toEqual([]);
    expect(atOnce(validateMetadataUpdate({ ...old, name: "X" }, { ...old, name: "X" }, namespaced))).toEqual([]);
  });

  it("may have another prefix, which is judged", () => {
    expect(changes({ generateName: "a-" })).toEqual([]);
    expect(changes({ generateName: "a/" })).toEqual([
      "metadata.generateName: may not contain '/'",
      expect.stringMatching(/^metadata\.generateName: .*RFC 1123 subdomain/),
    ]);
    expect(changes({}, { generateName: "A/" })).toEqual([]);
  });

  it("loses finalizers and gets none while it ends", () => {
    const ending = { deletionTimestamp: "t", finalizers: ["example.com/a", "example.com/b"] };
    expect(changes({ finalizers: ["example.com/b"] }, ending)).toEqual([]);
    const refusal =
      "metadata.finalizers: no new finalizers can be added if the object is being deleted, found new finalizers " +
      '[]string{"example.com/c"}';
    expect(changes({ finalizers: ["example.com/b", "example.com/c"] }, ending)).toEqual([refusal]);
  });
});

describe("owner references", () => {
  const withOwners = (...ownerReferences: OwnerReference[]) => ({ metadata: { ownerReferences } }) as ApiObject;

  it("count once when they are equal, whatever the order of their members", () => {
    const { apiVersion, kind, name, uid } = owner();
    const object = withOwners(owner(), owner({ uid: "w" }), { uid, name, kind, apiVersion });
    expect(atOnce(dedupOwnerReferences(object))).toEqual(["u"]);
    expect(object.metadata.ownerReferences).toEqual([owner(), owner({ uid: "w" })]);
  });

  it("stay as they are when only their uids are equal", () => {
    const object = withOwners(owner(), owner({ name: "other" }));
    expect(atOnce(dedupOwnerReferences(object))).toEqual([]);
    expect(object.metadata.ownerReferences).toHaveLength(2);
  });

  it("and finalizers may be as many as fit into a request", () => {
    const many = Array.from({ length: 100_000 }, (_, i) => owner({ uid: `u${i % 50_000}` }));
    const object = withOwners(...many.slice(0, 1));
    object.metadata.ownerReferences = many;
    const { result, steps } = counted(dedupOwnerReferences(object));
    expect(result).toHaveLength(50_000);
    expect(steps).toBeGreaterThan(100);
    const judged = counted(validateMetadata({ ...good, ownerReferences: many }, namespaced));
    expect(judged.result).toEqual([]);
    expect(judged.steps).toBeGreaterThan(100);
    const finalizers = Array.from({ length: 100_000 }, (_, i) => `example.com/f${i}`);
    const ending = { ...good, uid: "u", resourceVersion: "1", deletionTimestamp: "t", finalizers };
    expect(atOnce(validateMetadataUpdate({ ...ending }, ending, namespaced))).toEqual([]);
  });
});
