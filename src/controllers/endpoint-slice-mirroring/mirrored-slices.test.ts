// The rule of mirroring. Requirements: document 3, "EndpointSlice".

import { describe, expect, it } from "vitest";
import type { Stored } from "../../client/informer.ts";
import type { Endpoints } from "../../kinds/core/endpoints.ts";
import type { Service } from "../../kinds/core/service.ts";
import { namesFor } from "../../meta/names.ts";
import { isMirrored, planMirror } from "./mirrored-slices.ts";

const names = namesFor("platform");
const meta = {
  name: "db",
  namespace: "shop",
  uid: "u1",
  resourceVersion: "1",
  creationTimestamp: "2030-01-01T00:00:00Z",
};
const endpoints = (subsets: Endpoints["subsets"], metadata: object = {}) =>
  ({ metadata: { ...meta, ...metadata }, subsets }) as Stored<Endpoints>;
const service = (selector?: Record<string, string>) =>
  ({ metadata: meta, spec: { selector } }) as unknown as Stored<Service>;

describe("Endpoints are mirrored", () => {
  const plain = endpoints([]);
  const cases: [string, Stored<Endpoints> | undefined, Stored<Service> | undefined, boolean][] = [
    ["of a Service without selector", plain, service(), true],
    ["of one whose selector is empty", plain, service({}), true],
    ["not of a Service with one", plain, service({ app: "db" }), false],
    ["not without a Service", plain, undefined, false],
    ["not when they are gone", undefined, service(), false],
    ["not when they ask for it", endpoints([], { labels: { [names.skipMirrorLabel]: "true" } }), service(), false],
    ["unless they say otherwise", endpoints([], { labels: { [names.skipMirrorLabel]: "false" } }), service(), true],
    [
      "not when leaders are elected with them",
      endpoints([], { annotations: { [names.leaderAnnotation]: "{}" } }),
      service(),
      false,
    ],
  ];
  it.each(cases)("%s", (_what, object, of, expected) => {
    expect(isMirrored(object, of, names)).toBe(expected);
  });
});

describe("mirrored slices", () => {
  const port = { name: "sql", port: 5432, protocol: "TCP" } as const;
  it("are one for each family and set of ports, with what the addresses say", () => {
    const { create } = planMirror(
      endpoints([
        {
          addresses: [{ ip: "192.0.2.1", nodeName: "n1", hostname: "db-0" }, { ip: "FD00:0::1" }],
          notReadyAddresses: [{ ip: "192.0.2.2" }],
          ports: [port],
        },
      ]),
      [],
      1_000,
      names,
    );
    expect(create.map(({ addressType, ports, endpoints }) => ({ addressType, ports, endpoints }))).toEqual([
      {
        addressType: "IPv4",
        ports: [port],
        endpoints: [
          { addresses: ["192.0.2.1"], conditions: { ready: true }, nodeName: "n1", hostname: "db-0" },
          { addresses: ["192.0.2.2"], conditions: { ready: false } },
        ],
      },
      { addressType: "IPv6", ports: [port], endpoints: [{ addresses: ["fd00::1"], conditions: { ready: true } }] },
    ]);
  });

  it("have the labels and annotations of the Endpoints, except those about them alone", () => {
    const given = endpoints([{ addresses: [{ ip: "192.0.2.1" }], ports: [port] }], {
      labels: { team: "data" },
      annotations: { note: "x", [names.endpointsTriggerTimeAnnotation]: "t", [names.lastAppliedAnnotation]: "{}" },
    });
    expect(planMirror(given, [], 1_000, names).create[0]?.metadata).toEqual({
      generateName: "db-",
      labels: { team: "data", [names.serviceNameLabel]: "db", [names.managedByLabel]: names.sliceMirroringController },
      annotations: { note: "x" },
      ownerReferences: [
        { apiVersion: "v1", kind: "Endpoints", name: "db", uid: "u1", controller: true, blockOwnerDeletion: true },
      ],
    });
  });

  it("hold so many of a subset and no more, ready ones first; what is no address is counted", () => {
    const subset = {
      addresses: [{ ip: "nonsense" }, { ip: "192.0.2.1" }],
      notReadyAddresses: [{ ip: "192.0.2.2" }, { ip: "192.0.2.3" }],
      ports: [port],
    };
    const plan = planMirror(endpoints([subset]), [], 2, names);
    expect(plan).toMatchObject({ invalid: 1, skipped: 1 });
    expect(plan.create[0]?.endpoints?.map(({ addresses }) => addresses?.[0])).toEqual(["192.0.2.1", "192.0.2.2"]);
  });

  it("are none for Endpoints without addresses", () => {
    expect(planMirror(endpoints([]), [], 10, names)).toMatchObject({ create: [], update: [], remove: [] });
  });
});
