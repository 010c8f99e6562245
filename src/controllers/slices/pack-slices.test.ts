// Requirements: document 3, "EndpointSlice": at most so many endpoints a slice, few writes.

import { describe, expect, it } from "vitest";
import type { Stored } from "../../client/informer.ts";
import type { Draft } from "../../kinds/define-kind.ts";
import type { EndpointSlice } from "../../kinds/discovery/endpoint-slice.ts";
import { type PackRequest, packSlices, type SlicePlan, type SliceShape } from "./pack-slices.ts";
import type { SliceEndpoint } from "./slice-endpoint.ts";

const shape: SliceShape = {
  addressType: "IPv4",
  generateName: "web-",
  owner: { apiVersion: "v1", kind: "Service", name: "web", uid: "u" },
  labels: { app: "web" },
};
const WEB = [{ name: "", protocol: "TCP", port: 80 }] as const;
const ADMIN = [{ name: "admin", protocol: "TCP", port: 81 }] as const;

const endpoint = (name: string, ready = true): SliceEndpoint => ({
  addresses: [`10.0.0.${name.charCodeAt(0)}`],
  conditions: { ready },
  targetRef: { kind: "Pod", name, namespace: "n" },
});
const endpoints = (letters: string): SliceEndpoint[] =>
  [...letters].map((letter) => endpoint(letter.toLowerCase(), letter === letter.toLowerCase()));
/** A capital is the same endpoint, not ready. */
const slice = (name: string, letters: string, { metadata, ...more }: Draft<EndpointSlice> = {}) =>
  ({
    addressType: "IPv4",
    ports: [...WEB],
    endpoints: endpoints(letters),
    ...more,
    metadata: {
      name,
      uid: name,
      resourceVersion: "1",
      creationTimestamp: "2030-01-01T00:00:00Z",
      labels: { app: "web" },
      ownerReferences: [shape.owner],
      ...metadata,
    },
  }) as Stored<EndpointSlice>;
const group = (letters: string, ports: PackRequest["existing"][number]["ports"] = [...WEB]) => ({
  ports: ports ?? [],
  endpoints: endpoints(letters),
});

const lettersOf = (list: EndpointSlice["endpoints"] | undefined): string =>
  (list ?? [])
    .map(({ targetRef, conditions }) => (conditions?.ready ? targetRef!.name : targetRef!.name!.toUpperCase()))
    .join("");

/** `new:ab` created, `s1=ab` updated, `-s1` removed. */
function writes({ create, update, remove }: SlicePlan): string[] {
  return [
    ...create.map((draft) => `new:${lettersOf(draft.endpoints as EndpointSlice["endpoints"])}`),
    ...update.map(({ metadata, endpoints }) => `${metadata.name}=${lettersOf(endpoints)}`),
    ...remove.map(({ metadata }) => `-${metadata.name}`),
  ].sort();
}

const other = { metadata: { name: "s", ownerReferences: [{ ...shape.owner, uid: "older" }] } };
const cases: [string, existing: Stored<EndpointSlice>[], groups: PackRequest["groups"], writes: string[]][] = [
  ["nothing makes an empty slice", [], [], ["new:"]],
  ["an empty slice stays while there is nothing", [slice("s", "", { ports: [] })], [], []],
  ["a group without endpoints is nothing", [slice("s", "", { ports: [] })], [group("")], []],
  ["the last endpoint leaves an empty slice, in one write", [slice("s", "a")], [], ["s="]],
  ["the first endpoint takes the empty slice, in one write", [slice("s", "", { ports: [] })], [group("a")], ["s=a"]],
  ["what is right is not written", [slice("s", "abc")], [group("cba")], []],
  ["a change of one endpoint writes one slice", [slice("s", "abc"), slice("t", "d")], [group("abcD")], ["t=D"]],
  ["more than a slice holds makes several", [], [group("abcdefg")], ["new:abc", "new:def", "new:g"]],
  [
    "what is missing fills slices that change anyway",
    [slice("s", "abc"), slice("t", "de")],
    [group("abdef")],
    ["s=abf"],
  ],
  ["the fullest of those first", [slice("s", "aX"), slice("t", "bcX")], [group("abcd")], ["s=a", "t=bcd"]],
  ["then the slice that it fits best", [slice("s", "a"), slice("t", "bc")], [group("abcd")], ["t=bcd"]],
  ["a slice that cannot take all stays as it is", [slice("s", "ab")], [group("abcd")], ["new:cd"]],
  ["slices that become empty go", [slice("s", "abc"), slice("t", "d")], [group("abc")], ["-t"]],
  ["an endpoint is kept once", [slice("s", "ab"), slice("t", "bc")], [group("abc")], ["t=c"]],
  ["other ports are other slices", [slice("s", "a")], [group("a"), group("b", [...ADMIN])], ["new:b"]],
  ["ports that nobody has any more give their slice away", [slice("s", "a")], [group("a", [...ADMIN])], ["s=a"]],
  ["slices of an older owner go, and are not taken", [slice("s", "a", other)], [group("a")], ["-s", "new:a"]],
  ["slices with other labels are written", [slice("s", "a", { metadata: { labels: {} } })], [group("a")], ["s=a"]],
  ["slices that hold too many are cut", [slice("s", "abcd")], [group("abcd")], ["new:d", "s=abc"]],
];

describe("slices of at most three endpoints", () => {
  it.each(cases)("%s", (_what, existing, groups, expected) => {
    const plan = packSlices({ existing, groups, shape, maxEndpoints: 3, keepEmpty: true });
    expect(writes(plan)).toEqual([...expected].sort());
  });

  it("new slices have the shape of their owner", () => {
    const { create } = packSlices({ existing: [], groups: [group("a")], shape, maxEndpoints: 3, keepEmpty: true });
    expect(create).toMatchObject([
      {
        metadata: { generateName: "web-", labels: { app: "web" }, ownerReferences: [shape.owner] },
        addressType: "IPv4",
        ports: [...WEB],
      },
    ]);
  });

  it("an empty one is not kept where it says nothing", () => {
    const request = { groups: [], shape, maxEndpoints: 3, keepEmpty: false };
    expect(writes(packSlices({ ...request, existing: [] }))).toEqual([]);
    expect(writes(packSlices({ ...request, existing: [slice("s", "a")] }))).toEqual(["-s"]);
  });

  it("endpoints by the thousand are packed in linear time", () => {
    const many = Array.from({ length: 20_000 }, (_, at) => ({
      addresses: [`10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`],
      conditions: {},
      targetRef: { name: `p${at}` },
    }));
    const plan = packSlices({
      existing: [],
      groups: [{ ports: [...WEB], endpoints: many }],
      shape,
      maxEndpoints: 100,
      keepEmpty: true,
    });
    expect(plan.create).toHaveLength(200);
  });
});
