// Requirements: document 3, "Service", "Endpoints".

import { describe, expect, it } from "vitest";
import type { Stored } from "../../client/informer.ts";
import type { Endpoints } from "../../kinds/core/endpoints.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { Service } from "../../kinds/core/service.ts";
import { namesFor } from "../../meta/names.ts";
import { endpointsToWrite, MAX_ADDRESSES, truncate } from "./desired-endpoints.ts";

const names = namesFor("platform");
const meta = (name: string) => ({
  name,
  namespace: "shop",
  uid: `uid-${name}`,
  resourceVersion: "1",
  creationTimestamp: "2030-01-01T00:00:00Z",
});
const pod = (name: string, ip: string, ready = true, more: object = {}) =>
  ({
    metadata: { ...meta(name), ...more },
    spec: { nodeName: "n1", containers: [] },
    status: {
      phase: "Running",
      podIP: ip,
      podIPs: [{ ip }],
      conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
    },
  }) as unknown as Stored<Pod>;
const service = (spec: object = {}, labels: Record<string, string> = {}) =>
  ({
    metadata: { ...meta("web"), labels },
    spec: {
      clusterIP: "10.96.0.1",
      ipFamilies: ["IPv4"],
      selector: { app: "web" },
      ports: [{ port: 80, protocol: "TCP", targetPort: 8080 }],
      ...spec,
    },
  }) as unknown as Stored<Service>;
const write = (given: Stored<Service>, pods: Stored<Pod>[], current?: Stored<Endpoints>) =>
  endpointsToWrite({ service: given, pods, current, triggerTime: "2030-01-01T00:00:09Z", names });

describe("the Endpoints of a Service", () => {
  it("name pods, nodes and ports, with the labels of the Service", () => {
    expect(write(service({}, { tier: "front" }), [pod("a", "10.0.0.1")])).toEqual({
      metadata: {
        name: "web",
        namespace: "shop",
        labels: { tier: "front", "endpoints.platform.io/managed-by": "endpoint-controller" },
        annotations: { "endpoints.platform.io/last-change-trigger-time": "2030-01-01T00:00:09Z" },
      },
      subsets: [
        {
          addresses: [
            { ip: "10.0.0.1", nodeName: "n1", targetRef: { kind: "Pod", namespace: "shop", name: "a", uid: "uid-a" } },
          ],
          ports: [{ port: 8080, protocol: "TCP" }],
        },
      ],
    });
  });

  it("say when the Service has no address, and may then do without ports", () => {
    const written = write(service({ clusterIP: "None", ports: [] }), [pod("a", "10.0.0.1")]);
    expect(written?.metadata?.labels).toHaveProperty([names.headlessServiceLabel], "");
    expect(written?.subsets).toMatchObject([{ addresses: [{ ip: "10.0.0.1" }] }]);
    expect(written?.subsets?.[0]).not.toHaveProperty("ports");
  });

  const ending = { deletionTimestamp: "2030-01-01T00:00:00Z" };
  const lists: [string, Stored<Pod>, publish: boolean, addresses: number, notReady: number][] = [
    ["a ready pod", pod("a", "10.0.0.1"), false, 1, 0],
    ["a pod that is not ready", pod("a", "10.0.0.1", false), false, 0, 1],
    ["a pod that ends", pod("a", "10.0.0.1", true, ending), false, 0, 0],
    ["a pod that is not ready, where all are published", pod("a", "10.0.0.1", false), true, 1, 0],
    ["a pod that ends, where all are published", pod("a", "10.0.0.1", true, ending), true, 1, 0],
    ["a pod of the other family", pod("a", "fd00::1"), false, 0, 0],
  ];
  it.each(lists)("%s", (_what, given, publishNotReadyAddresses, addresses, notReady) => {
    const [subset] = write(service({ publishNotReadyAddresses }), [given])?.subsets ?? [];
    expect([subset?.addresses?.length ?? 0, subset?.notReadyAddresses?.length ?? 0]).toEqual([addresses, notReady]);
  });

  it("are not written when they are right, whatever their order and the versions of pods", () => {
    const pods = [pod("a", "10.0.0.1"), pod("b", "10.0.0.2", false)];
    const draft = write(service(), pods)!;
    const current = { ...draft, metadata: { ...draft.metadata, ...meta("web") } } as unknown as Stored<Endpoints>;
    current.subsets![0]!.addresses![0]!.targetRef!.resourceVersion = "77";
    expect(write(service(), [...pods].reverse(), current)).toBeUndefined();
    expect(write(service({}, { tier: "front" }), pods, current)).toMatchObject({ metadata: { resourceVersion: "1" } });
    expect(write(service(), pods.slice(1), current)).toBeDefined();
  });
});

describe("more addresses than fit", () => {
  const addresses = (count: number, from = 0) =>
    Array.from({ length: count }, (_, at) => ({ ip: `10.0.${(from + at) >> 8}.${(from + at) & 255}` }));
  const sizes = (given: Parameters<typeof truncate>[0]) => {
    const { subsets, truncated } = truncate(given);
    return [
      truncated,
      ...subsets.map(({ addresses, notReadyAddresses }) => [addresses?.length ?? 0, notReadyAddresses?.length ?? 0]),
    ];
  };
  it.each([
    ["what fits stays", [[1_000, 0]], [false, [1_000, 0]]],
    ["those that are not ready go first", [[900, 200]], [true, [900, 100]]],
    ["ready ones only when they alone are too many", [[1_200, 9]], [true, [1_000, 0]]],
    [
      "subsets are cut in proportion",
      [
        [900, 0],
        [300, 5],
      ],
      [true, [750, 0], [250, 0]],
    ],
  ] as const)("%s", (_what, given, expected) => {
    const subsets = given.map(([ready, notReady]) => ({
      addresses: addresses(ready),
      notReadyAddresses: addresses(notReady, ready),
    }));
    expect(sizes(subsets)).toEqual(expected);
    expect(MAX_ADDRESSES).toBe(1_000);
  });

  it("are told by an annotation, which goes when they fit again", () => {
    const many = Array.from({ length: 1_001 }, (_, at) => pod(`p${at}`, `10.0.${at >> 8}.${at & 255}`));
    const key = names.endpointsOverCapacityAnnotation;
    const draft = write(service(), many)!;
    expect(draft.metadata?.annotations?.[key]).toBe("truncated");
    const current = { ...draft, metadata: { ...draft.metadata, ...meta("web") } } as unknown as Stored<Endpoints>;
    expect(write(service(), many, current), "not again and again").toBeUndefined();
    expect(write(service(), many.slice(1), current)?.metadata?.annotations).not.toHaveProperty([key]);
  });
});
