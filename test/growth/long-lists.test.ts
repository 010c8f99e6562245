// Lists that are judged in steps: what is found wrong with a long list is what is found with its parts, and no step takes in
// all of it.

import { describe, expect, it } from "vitest";
import { type Steps, whole } from "../../src/base/steps.ts";
import { endpoints } from "../../src/kinds/core/endpoints.ts";
import { limitRange } from "../../src/kinds/core/limit-range.ts";
import { service } from "../../src/kinds/core/service.ts";
import type { Findings, Kind } from "../../src/kinds/define-kind.ts";
import { endpointSlice } from "../../src/kinds/discovery/endpoint-slice.ts";
import { ingress } from "../../src/kinds/networking/ingress.ts";
import { networkPolicy } from "../../src/kinds/networking/network-policy.ts";
import { clusterRole } from "../../src/kinds/rbac/cluster-role.ts";
import { role } from "../../src/kinds/rbac/role.ts";
import { type FieldError, fieldErrorText } from "../../src/meta/field-error.ts";
import { namesFor } from "../../src/meta/names.ts";
import type { ObjectMeta } from "../../src/meta/object.ts";
import { validateMetadata, validateMetadataUpdate } from "../../src/registry/metadata.ts";

const names = namesFor("kubernetes");
const context = { names, gateEnabled: () => true, nowMs: 0, userName: "alice", allowPrivileged: true };
const LENGTH = 13_000;
/** Longer than any step, so that parts of it are judged in one. */
const WRONG = [0, 1, 1_999, 2_000, 4_000, 8_001, LENGTH - 1];

/** A long list in which some entries are wrong. */
const long = <T>(entry: (index: number, right: boolean) => T): T[] =>
  Array.from({ length: LENGTH }, (_, index) => entry(index, !WRONG.includes(index)));

const address = (index: number): string => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;

const SERVICE = {
  metadata: {},
  spec: {
    type: "LoadBalancer",
    ports: [{ port: 80, protocol: "TCP", targetPort: 80, nodePort: 30_000 }],
    sessionAffinity: "None",
    allocateLoadBalancerNodePorts: true,
    clusterIP: "10.0.0.1",
    clusterIPs: ["10.0.0.1"],
    ipFamilies: ["IPv4"],
    ipFamilyPolicy: "SingleStack",
    externalTrafficPolicy: "Cluster",
    internalTrafficPolicy: "Cluster",
  },
};

/** All findings, with the number of steps that it took to find them. */
function judged<F>(findings: Findings<F>): { readonly found: F[]; readonly steps: number } {
  const judging: Steps<F[]> = whole(findings);
  for (let steps = 1; ; steps += 1) {
    const step = judging.next();
    if (step.done === true) return { found: step.value, steps };
  }
}

const texts = (errors: readonly FieldError[]): string[] => errors.map(fieldErrorText);

describe.each<[string, Kind, (list: unknown[]) => object, (index: number, right: boolean) => unknown, string]>([
  [
    "addresses of Endpoints",
    endpoints as unknown as Kind,
    (addresses) => ({ subsets: [{ addresses, ports: [] }] }),
    (index, right) => ({ ip: right ? address(index) : "127.0.0.1" }),
    "subsets[0].addresses",
  ],
  [
    "peers of a NetworkPolicy",
    networkPolicy as unknown as Kind,
    (from) => ({ spec: { podSelector: {}, ingress: [{ from }], policyTypes: [] } }),
    (index, right) => ({ ipBlock: { cidr: right ? `${address(index)}/32` : "10.0.0.0/33" } }),
    "spec.ingress[0].from",
  ],
  [
    "external addresses of a Service",
    service as unknown as Kind,
    (externalIPs) => ({ ...SERVICE, spec: { ...SERVICE.spec, externalIPs } }),
    (index, right) => (right ? address(index) : "127.0.0.1"),
    "spec.externalIPs",
  ],
  [
    "source ranges of a Service",
    service as unknown as Kind,
    (loadBalancerSourceRanges) => ({ ...SERVICE, spec: { ...SERVICE.spec, loadBalancerSourceRanges } }),
    (index, right) => (right ? `${address(index)}/32` : "10.0.0.0/33"),
    "spec.LoadBalancerSourceRanges",
  ],
  ...[role, clusterRole].map(
    (kind): [string, Kind, (list: unknown[]) => object, (index: number, right: boolean) => unknown, string] => [
      `rules of a ${kind.kind}`,
      kind as unknown as Kind,
      (rules) => ({ rules }),
      (index, right) => ({ verbs: right ? ["get"] : [], apiGroups: [""], resources: [`r${index}`] }),
      "rules",
    ],
  ),
])("%s", (_what, kind, object, entry, path) => {
  const { validate, validateUpdate, warn } = kind.hooks!;
  const whole = object(long(entry)) as never;
  /** The same entries one at a time, with their place in the long list. */
  const single = WRONG.flatMap((index) =>
    texts(judged(validate!(object([entry(index, false)]) as never, context)).found).map((text) =>
      text.replace(`${path}[0]`, `${path}[${index}]`),
    ),
  );

  it("are judged as each by itself, in steps", () => {
    const { found, steps } = judged(validate!(whole, context));
    expect([texts(found), steps > 4]).toEqual([single, true]);
  });

  it("are judged so when they change, too", () => {
    const { found, steps } = judged(validateUpdate!(whole, object([entry(3, true)]) as never, context));
    expect([new Set(texts(found)), steps > 4]).toEqual([new Set(single), true]);
  });

  it("are warned about in steps, where there is anything to warn about", () => {
    const { found, steps } = judged(warn?.(whole, undefined, context) ?? []);
    expect([found, steps > 4]).toEqual([[], warn !== undefined]);
  });
});

describe("an EndpointSlice", () => {
  const { validate, validateUpdate, warn } = (endpointSlice as unknown as Kind).hooks!;
  const slice = (of: number) => {
    const addresses = (start: number) => Array.from({ length: 90 }, (_, index) => address(start + index));
    const endpoints = Array.from({ length: of }, (_, index) => ({ addresses: addresses(90 * index) }));
    return { metadata: {}, addressType: "IPv4", endpoints } as never;
  };

  it.each([
    ["judged", () => validate!(slice(140), context)],
    ["judged when they change", () => validateUpdate!(slice(140), slice(1), context)],
    ["warned about", () => warn!(slice(140), undefined, context)],
  ])("of many addresses is %s in steps", (_how, findings) => {
    const { found, steps } = judged<unknown>(findings());
    expect([found, steps > 4]).toEqual([[], true]);
  });
});

describe.each([
  ["a Service", service as unknown as Kind, SERVICE],
  ["an Ingress", ingress as unknown as Kind, { metadata: {}, spec: {} }],
])("the status of %s", (_what, kind, object) => {
  const points = long((index, right) => ({ ip: right ? address(index) : "nope", ipMode: "VIP" }));
  const filled = { ...object, status: { loadBalancer: { ingress: points } } } as never;
  const empty = { ...object, status: { loadBalancer: {} } } as never;
  const { status } = kind.subresources!;
  if (status?.type !== "object") throw new Error("no status");

  it("of many addresses is judged and warned about in steps", () => {
    const { found, steps } = judged(status.validateUpdate!(filled, empty, context));
    expect([found.length, steps > 4]).toEqual([WRONG.length, true]);
    const warned = judged(status.warn!(filled, empty, context));
    expect([warned.found, warned.steps > 4]).toEqual([[], true]);
  });
});

it("limits of very many resources are judged in steps", () => {
  const max = Object.fromEntries(long((index, right) => [`a.b/r${index}`, right ? "2" : "1"]));
  const limits = {
    spec: {
      limits: [{ type: "Container", max, min: Object.fromEntries(Object.keys(max).map((name) => [name, "2"])) }],
    },
  };
  const { validate, validateUpdate } = (limitRange as unknown as Kind).hooks!;
  for (const findings of [
    validate!(limits as never, context),
    validateUpdate!(limits as never, limits as never, context),
  ]) {
    const { found, steps } = judged(findings);
    expect([found.length, steps > 150]).toEqual([WRONG.length, true]);
  }
});

describe("metadata", () => {
  const rules = { kind: { scope: "Namespaced" as const }, names };
  const meta: ObjectMeta = { name: "a", namespace: "b", uid: "u", resourceVersion: "1" } as ObjectMeta;
  const keyed = (keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, "v"]));

  it.each<[string, Partial<ObjectMeta>, number, number]>([
    ["finalizers", { finalizers: long((index, right) => (right ? `a.b/f${index}` : `f ${index}`)) }, 2, 50],
    ["labels", { labels: keyed(long((index, right) => (right ? `k${index}` : `k ${index}`))) }, 1, 26],
    ["annotations", { annotations: keyed(long((index, right) => (right ? `k${index}` : `k ${index}`))) }, 1, 26],
  ])("with many %s is judged in steps, when new and when it changes", (_what, part, findings, turns) => {
    const metadata = { ...meta, ...part };
    const created = judged(validateMetadata(metadata, rules));
    const updated = judged(validateMetadataUpdate(metadata, meta, rules));
    expect(created.found).toHaveLength(WRONG.length * findings);
    expect(texts(updated.found)).toEqual(texts(created.found));
    expect([created.steps, updated.steps]).toEqual([turns + 1, turns + 1]);
  });
});
