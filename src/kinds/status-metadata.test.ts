// Which metadata a write of the status changes, kind by kind: what a row says was seen of upstream.
// Requirements: document 1, "Sub-resources"; where it is silent, upstream's behaviour.

import { expect, it } from "vitest";
import { finish } from "../base/steps.ts";
import type { ObjectMeta } from "../meta/object.ts";
import { ALL_KINDS } from "./all-kinds.ts";
import { completed, context } from "./complete.testing.ts";

/** Kinds that take none, and of the others those that leave some as they were. */
const TAKE_NONE = new Set([
  "APIService",
  "CustomResourceDefinition",
  "FlowSchema",
  "PodCertificateRequest",
  "PriorityLevelConfiguration",
  "ResourceClaim",
  "ServiceCIDR",
  "StorageVersion",
  "StorageVersionMigration",
  "ValidatingAdmissionPolicy",
  "VolumeAttachment",
]);
const LEAVE: Readonly<Record<string, readonly (keyof ObjectMeta)[]>> = { Deployment: ["labels"] };

const OLD = { labels: { a: "old" }, annotations: { a: "old" }, finalizers: ["x.io/old"] } satisfies Partial<ObjectMeta>;
const NEW = { labels: { b: "new" }, annotations: { b: "new" }, finalizers: ["x.io/new"] } satisfies Partial<ObjectMeta>;
const MEMBERS = Object.keys(OLD) as (keyof typeof OLD)[];

const withStatus = ALL_KINDS.filter(({ subresources }) => subresources?.["status"]?.type === "object");

it.each(withStatus.map((kind) => [kind.kind, kind] as const))("of a %s", (name, kind) => {
  const status = kind.subresources!["status"]!;
  if (status.type !== "object") throw new Error("no object");
  const make = (metadata: object) =>
    completed(kind, { metadata: { name: "a", ...metadata } }) as { metadata: ObjectMeta };
  const written = make(NEW);
  finish(status.prepareForUpdate?.(written, make(OLD), context));
  const taken = MEMBERS.filter((member) => JSON.stringify(written.metadata[member]).includes("new"));
  const expected = TAKE_NONE.has(name) ? [] : MEMBERS.filter((member) => !LEAVE[name]?.includes(member));
  expect(taken).toEqual(expected);
});

it("of a DaemonSet leaves the count of its templates as it was", () => {
  const kind = ALL_KINDS.find(({ kind }) => kind === "DaemonSet")!;
  const status = kind.subresources!["status"]!;
  if (status.type !== "object") throw new Error("no object");
  const count = "deprecated.daemonset.template.generation";
  const make = (annotations: object) => completed(kind, { metadata: { annotations } }) as { metadata: ObjectMeta };
  for (const sent of [{ b: "new" }, { b: "new", [count]: "7" }]) {
    const written = make(sent);
    finish(status.prepareForUpdate?.(written, make({ [count]: "3" }), context));
    expect(written.metadata.annotations).toEqual({ b: "new", [count]: "3" });
  }
});
