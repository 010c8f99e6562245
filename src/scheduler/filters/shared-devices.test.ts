// Devices that several claims use at once, each with its part of the capacity.

import { describe, expect, it } from "vitest";
import type { Stored } from "../../client/informer.ts";
import type { DeviceClass } from "../../kinds/resource/device-class.ts";
import { parseQuantity } from "../../meta/quantity.ts";
import { reasonsByNode, testCluster, testPod } from "../scheduler.testing.ts";
import { type DeviceClaim, deviceKey, type Slice } from "../state/devices.ts";
import { devicePlanFor } from "./dynamic-resources.ts";

const DRIVER = "gpu.example.com";
type Loose = Readonly<Record<string, unknown>>;

const shared = (name: string, memory: string, more: Loose = {}): Loose => ({
  name,
  allowMultipleAllocations: true,
  capacity: { memory: { value: memory } },
  attributes: { card: { string: name } },
  ...more,
});

const asking = (memory: string | undefined, more: Loose = {}, name = "r"): Loose => ({
  name,
  exactly: {
    deviceClassName: "gpu",
    ...(memory === undefined ? {} : { capacity: { requests: { memory } } }),
    ...more,
  },
});

interface Case {
  readonly devices: readonly Loose[];
  readonly requests: readonly Loose[];
  readonly constraints?: readonly Loose[];
  /** Memory by device that others have a share of. */
  readonly used?: Readonly<Record<string, string>>;
  readonly taken?: readonly string[];
  readonly spec?: Loose;
}

function given({ devices, requests, constraints = [], used = {}, taken = [], spec = {} }: Case) {
  const key = (device: string) => deviceKey(DRIVER, "n", device);
  const shares = new Map(
    Object.entries(used).map(([device, memory]) => [key(device), new Map([["memory", parseQuantity(memory)!]])]),
  );
  const claim = {
    metadata: { name: "c", namespace: "default", uid: "c", resourceVersion: "1" },
    spec: { devices: { requests, constraints } },
    status: {},
  } as unknown as DeviceClaim;
  const pool = { name: "n", generation: 1, resourceSliceCount: 1 };
  const slice = { metadata: { name: "n" }, spec: { driver: DRIVER, nodeName: "n", pool, devices, ...spec } };
  let number = 0;
  const surroundings = testCluster(
    [{ name: "n" }],
    {},
    {},
    {
      claim: () => claim,
      deviceClass: (name) => ({ metadata: { name }, spec: {} }) as unknown as Stored<DeviceClass>,
      slicesFor: () => [slice as unknown as Slice],
      isTaken: (device) => taken.some((name) => key(name) === device),
      sharesOf: (device) => shares.get(device),
      newShareId: () => {
        number += 1;
        return `share-${number}`;
      },
    },
  );
  const pod = testPod({ spec: { resourceClaims: [{ name: "c", resourceClaimName: "c" }] } });
  const reason = reasonsByNode(pod, surroundings)["n"];
  if (reason !== "") return reason;
  number = 0;
  const plan = devicePlanFor(pod, surroundings.state.node("n")!, surroundings.devices);
  return plan?.claims[0]?.allocation?.devices.results;
}

const devices = (options: Case) => {
  const results = given(options);
  return typeof results === "string" ? results : results?.map(({ device }) => device);
};

const NOT_ENOUGH = "cannot allocate all claims";

describe("a device that several may use", () => {
  it("is given in shares, each with a name and what it takes", () => {
    expect(given({ devices: [shared("a", "8Gi")], requests: [asking("3Gi")] })).toEqual([
      {
        request: "r",
        driver: DRIVER,
        pool: "n",
        device: "a",
        shareID: "share-1",
        consumedCapacity: { memory: "3Gi" },
      },
    ]);
  });

  it.each<[string, Case, string[] | string]>([
    [
      "is used by others as far as its capacity goes",
      { devices: [shared("a", "8Gi"), shared("b", "8Gi")], requests: [asking("3Gi")], used: { a: "6Gi" } },
      ["b"],
    ],
    [
      "is full when the capacity is used up",
      { devices: [shared("a", "8Gi")], requests: [asking("3Gi")], used: { a: "6Gi" } },
      NOT_ENOUGH,
    ],
    [
      "meets several requests of a claim",
      { devices: [shared("a", "8Gi")], requests: [asking("3Gi"), asking("5Gi", {}, "s")] },
      ["a", "a"],
    ],
    [
      "is not enough for requests that sum up to more",
      { devices: [shared("a", "8Gi")], requests: [asking("4Gi"), asking("5Gi", {}, "s")] },
      NOT_ENOUGH,
    ],
    [
      "counts several times for one request",
      { devices: [shared("a", "8Gi")], requests: [asking("4Gi", { count: 2 })] },
      ["a", "a"],
    ],
    [
      "leaves what does not fit to the next",
      { devices: [shared("a", "8Gi"), shared("b", "8Gi")], requests: [asking("4Gi", { count: 3 })] },
      ["a", "a", "b"],
    ],
    [
      "is taken whole by who does not say how much",
      { devices: [shared("a", "8Gi")], requests: [asking(undefined)], used: { a: "1Gi" } },
      NOT_ENOUGH,
    ],
    [
      "is nobody's who needs it alone, when it is not shared any more",
      { devices: [{ name: "a" }], requests: [asking(undefined)], used: { a: "0" } },
      NOT_ENOUGH,
    ],
    [
      "is not for sharing while somebody has it alone",
      { devices: [shared("a", "8Gi")], requests: [asking("1Gi")], taken: ["a"] },
      NOT_ENOUGH,
    ],
    [
      "is once only among all",
      { devices: [shared("a", "8Gi"), shared("b", "8Gi")], requests: [asking("1Gi", { allocationMode: "All" })] },
      ["a", "b"],
    ],
    [
      "is once only where values have to be distinct",
      {
        devices: [shared("a", "8Gi"), shared("b", "8Gi")],
        requests: [asking("1Gi", { count: 2 })],
        constraints: [{ distinctAttribute: `${DRIVER}/card` }],
      },
      ["a", "b"],
    ],
    [
      "draws from counters once, however often it is shared",
      {
        devices: [
          shared("a", "8Gi", { consumesCounters: [{ counterSet: "card", counters: { parts: { value: "1" } } }] }),
        ],
        requests: [asking("1Gi", { count: 3 })],
        spec: { sharedCounters: [{ name: "card", counters: { parts: { value: "1" } } }] },
      },
      ["a", "a", "a"],
    ],
  ])("%s", (_what, options, expected) => {
    expect(devices(options)).toEqual(expected);
  });

  it("is chosen by its capacity also where it is not shared", () => {
    const whole = (name: string, memory: string) => ({ name, capacity: { memory: { value: memory } } });
    const results = given({ devices: [whole("a", "2Gi"), whole("b", "8Gi")], requests: [asking("3Gi")] });
    expect(results).toEqual([{ request: "r", driver: DRIVER, pool: "n", device: "b" }]);
  });
});
