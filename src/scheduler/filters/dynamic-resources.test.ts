import { describe, expect, it } from "vitest";
import type { Stored } from "../../client/informer.ts";
import type { DeviceClass } from "../../kinds/resource/device-class.ts";
import type { ResourceClaimSpec } from "../../kinds/resource/resource-claim-spec.ts";
import { NodeChooser } from "../choose-node.ts";
import { profileOf, reasonsByNode, testCluster, testPod } from "../scheduler.testing.ts";
import { type SchedulerGate, schedulerGates } from "../scheduler-gates.ts";
import { type DeviceClaim, type DeviceLookup, type Slice, usedBy } from "../state/devices.ts";
import { filterFor } from "./all-filters.ts";
import { claimToFree, devicePlanFor } from "./dynamic-resources.ts";
import type { NodeCheck } from "./filter.ts";

const DRIVER = "gpu.example.com";

type Loose = Readonly<Record<string, unknown>>;

const attribute = (name: string) => `device.attributes["${DRIVER}"].${name}`;
const withCel = (expression: string) => [{ cel: { expression } }];

/** Devices by name with their attributes, of one node unless it is said otherwise. */
function slice(name: string, devices: Readonly<Record<string, Loose>>, spec: Loose = {}): Slice {
  const where = "allNodes" in spec || "nodeSelector" in spec ? {} : { nodeName: name };
  return {
    metadata: { name },
    spec: {
      driver: DRIVER,
      pool: { name, generation: 1, resourceSliceCount: 1 },
      ...where,
      devices: Object.entries(devices).map(([device, { taints, ...attributes }]) => ({
        name: device,
        attributes,
        ...(taints === undefined ? {} : { taints }),
      })),
      ...spec,
    },
  } as unknown as Slice;
}

function claim(name: string, devices: Loose, status: Loose = {}, metadata: Loose = {}): DeviceClaim {
  return {
    metadata: { name, namespace: "default", uid: name, resourceVersion: "1", ...metadata },
    spec: { devices },
    status,
  } as unknown as DeviceClaim;
}

const exactly = (more: Loose = {}, name = "r") => ({ name, exactly: { deviceClassName: "gpu", ...more } });
const asking = (...requests: Loose[]) => ({ requests });
const given = (device: string, nodeName = "n1", more: Loose = {}) => ({
  allocation: {
    devices: { results: [{ request: "r", driver: DRIVER, pool: nodeName, device, ...more }] },
    nodeSelector: {
      nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: [nodeName] }] }],
    },
  },
});

const CLASSES: Readonly<Record<string, Loose>> = {
  gpu: { selectors: withCel(`device.driver == "${DRIVER}"`) },
  set: { config: [{ opaque: { driver: DRIVER, parameters: { a: 1 } } }] },
  broken: { selectors: withCel(attribute("missing")) },
};

/** Two nodes, what drivers offer, and claims of which the pod names all that `uses` says. */
function cluster(
  slices: readonly Slice[],
  claims: readonly DeviceClaim[],
  uses = claims.map((c) => c.metadata.name),
  without: readonly SchedulerGate[] = [],
) {
  const taken = new Set(claims.flatMap((each) => usedBy(each).whole));
  const lookup: Partial<DeviceLookup> = {
    claim: (_namespace, name) => claims.find(({ metadata }) => metadata.name === name),
    deviceClass: (name) =>
      Object.hasOwn(CLASSES, name)
        ? ({ metadata: { name }, spec: CLASSES[name] } as unknown as Stored<DeviceClass>)
        : undefined,
    slicesFor: () => slices,
    isTaken: (device) => taken.has(device),
    dialect: "kubernetes",
    gates: schedulerGates((gate) => !without.includes(gate)),
  };
  const surroundings = testCluster([{ name: "n1" }, { name: "n2", labels: { rack: "b" } }], {}, {}, lookup);
  const pod = testPod({
    spec: { resourceClaims: uses.map((name) => ({ name, resourceClaimName: name })) },
  });
  const plan = (nodeName: string) =>
    devicePlanFor(pod, surroundings.state.node(nodeName)!, surroundings.devices)?.claims.map((each) => each.allocation);
  const devices = (nodeName: string) =>
    plan(nodeName)?.map((each) => (each?.devices?.results ?? []).map(({ request, device }) => `${request}=${device}`));
  return { pod, surroundings, plan, devices, reasons: () => reasonsByNode(pod, surroundings) };
}

const TWO = [slice("n1", { a: {}, b: {} }), slice("n2", { c: {} })];
const NOT_ENOUGH = "cannot allocate all claims";

describe("without a gate", () => {
  const without = (gate: SchedulerGate, spec: Loose, slices = TWO) =>
    cluster(slices, [claim("one", asking(spec))], ["one"], [gate]);

  it("there are no alternatives", () => {
    const first = { name: "r", firstAvailable: [{ name: "s", deviceClassName: "gpu" }] };
    expect(without("DRAPrioritizedList", first).reasons()["n1"]).toBe(
      "resource claim default/one, request r: has subrequests, but the DRAPrioritizedList feature is disabled",
    );
  });

  it("nobody administrates", () => {
    expect(() => without("DRAAdminAccess", exactly({ adminAccess: true })).reasons()).toThrow(
      "claim default/one, request r: admin access is requested, but the feature is disabled",
    );
  });

  it("devices that drivers have to prepare are nobody's", () => {
    const slow = slice("n1", {}, { devices: [{ name: "a", bindingConditions: ["ready"] }] });
    expect(cluster([slow], [claim("one", asking(exactly()))]).devices("n1")).toEqual([["r=a"]]);
    for (const gate of ["DRADeviceBindingConditions", "DRAResourceClaimDeviceStatus"] as const)
      expect(without(gate, exactly(), [slow]).reasons()["n1"]).toBe(NOT_ENOUGH);
  });

  it("parts of devices are not offered, nor devices that say themselves where they are", () => {
    const consumesCounters = [{ counterSet: "card", counters: { memory: { value: "1" } } }];
    const devices = [{ name: "a", consumesCounters }];
    const parts = slice(
      "n1",
      {},
      { sharedCounters: [{ name: "card", counters: { memory: { value: "1" } } }], devices },
    );
    const own = slice(
      "n2",
      {},
      { nodeName: undefined, perDeviceNodeSelection: true, devices: [{ name: "a", nodeName: "n2" }] },
    );
    expect(cluster([parts, own], [claim("one", asking(exactly()))]).reasons()).toEqual({ n1: "", n2: "" });
    expect(without("DRAPartitionableDevices", exactly(), [parts, own]).reasons()).toEqual({
      n1: NOT_ENOUGH,
      n2: NOT_ENOUGH,
    });
  });
});

describe("claims for devices", () => {
  it("keep a pod to the nodes where there are enough devices of the class", () => {
    expect(cluster(TWO, [claim("one", asking(exactly()))]).reasons()).toEqual({ n1: "", n2: "" });
    expect(cluster(TWO, [claim("one", asking(exactly({ count: 2 })))]).reasons()).toEqual({ n1: "", n2: NOT_ENOUGH });
    const both = [claim("one", asking(exactly())), claim("two", asking(exactly()))];
    expect(cluster(TWO, both).reasons()).toEqual({ n1: "", n2: NOT_ENOUGH });
  });

  it("are given what was found, with where it can be used", () => {
    const found = cluster(TWO, [claim("one", asking(exactly({ count: 2 })))]).plan("n1");
    expect(found).toEqual([
      {
        devices: {
          results: [
            { request: "r", driver: DRIVER, pool: "n1", device: "a" },
            { request: "r", driver: DRIVER, pool: "n1", device: "b" },
          ],
        },
        nodeSelector: {
          nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["n1"] }] }],
        },
      },
    ]);
  });

  it("take no device that others have, except for administration", () => {
    const others = claim("other", asking(exactly()), given("a"));
    const wanted = (more: Loose) => cluster(TWO, [others, claim("one", asking(exactly(more)))], ["one"]);
    expect(wanted({ count: 2 }).reasons()).toEqual({ n1: NOT_ENOUGH, n2: NOT_ENOUGH });
    expect(wanted({}).devices("n1")).toEqual([["r=b"]]);
    expect(wanted({ count: 2, adminAccess: true }).devices("n1")).toEqual([["r=a", "r=b"]]);
    expect(wanted({ adminAccess: true }).plan("n1")?.[0]?.devices?.results?.[0]).toMatchObject({ adminAccess: true });
    const administrated = claim("other", asking(exactly()), given("a", "n1", { adminAccess: true }));
    expect(cluster(TWO, [administrated, claim("one", asking(exactly({ count: 2 })))], ["one"]).devices("n1")).toEqual([
      ["r=a", "r=b"],
    ]);
  });

  describe("of devices that are parts of one", () => {
    const parts = (memory: Readonly<Record<string, string>>, more: Loose = {}) =>
      slice(
        "n1",
        {},
        {
          sharedCounters: [{ name: "card", counters: { memory: { value: "40Gi" }, engines: { value: "7" } } }],
          devices: Object.entries(memory).map(([name, value]) => ({
            name,
            consumesCounters: [{ counterSet: "card", counters: { memory: { value } } }],
          })),
          ...more,
        },
      );
    const card = parts({ whole: "40Gi", "half-1": "20Gi", "half-2": "20480Mi", "half-3": "20Gi" });

    it("take no more than there is of what the parts share", () => {
      const count = (wanted: number) => cluster([card], [claim("one", asking(exactly({ count: wanted })))]);
      expect(count(1).devices("n1")).toEqual([["r=whole"]]);
      // The whole leaves nothing for others: the search goes back.
      expect(count(2).devices("n1")).toEqual([["r=half-1", "r=half-2"]]);
      expect(count(3).reasons()).toMatchObject({ n1: NOT_ENOUGH });
      const two = [claim("one", asking(exactly())), claim("two", asking(exactly()))];
      expect(cluster([card], two).devices("n1")).toEqual([["r=half-1"], ["r=half-2"]]);
    });

    it("count what others have", () => {
      const other = (device: string) => claim("other", asking(exactly()), given(device));
      const wanted = (device: string, count: number) =>
        cluster([card], [other(device), claim("one", asking(exactly({ count })))], ["one"]);
      expect(wanted("half-2", 1).devices("n1")).toEqual([["r=half-1"]]);
      expect(wanted("half-2", 2).reasons()).toMatchObject({ n1: NOT_ENOUGH });
      expect(wanted("whole", 1).reasons()).toMatchObject({ n1: NOT_ENOUGH });
    });

    it("take nothing of a slice that has given more than it has", () => {
      const [over, none] = [parts({ big: "50Gi", small: "1Gi" }), parts({ big: "50Gi", small: "0" })];
      for (const each of [over, none]) {
        const other = claim("other", asking(exactly()), given("big"));
        const { reasons } = cluster([each], [other, claim("one", asking(exactly()))], ["one"]);
        expect(reasons()).toMatchObject({ n1: NOT_ENOUGH });
      }
    });
  });

  it("take devices that say themselves where they can be used, and are kept there", () => {
    const nodeSelector = {
      nodeSelectorTerms: [{ matchExpressions: [{ key: "rack", operator: "In", values: ["b"] }] }],
    };
    const devices = [
      { name: "here", nodeName: "n1" },
      { name: "rack", nodeSelector },
      { name: "all", allNodes: true },
    ];
    const spread = slice("pool", {}, { nodeName: undefined, perDeviceNodeSelection: true, devices });
    const take = (count: number) => cluster([spread], [claim("one", asking(exactly({ count })))]);
    expect([take(2).devices("n1"), take(2).devices("n2")]).toEqual([[["r=here", "r=all"]], [["r=rack", "r=all"]]]);
    expect(take(3).reasons()).toEqual({ n1: NOT_ENOUGH, n2: NOT_ENOUGH });
    expect(take(2).plan("n2")?.[0]?.nodeSelector).toEqual(nodeSelector);
    expect(take(2).plan("n1")?.[0]?.nodeSelector?.nodeSelectorTerms?.[0]?.matchFields).toHaveLength(1);
    const bound = slice(
      "pool",
      {},
      { nodeName: undefined, allNodes: true, devices: [{ name: "x", bindsToNode: true }] },
    );
    const kept = cluster([bound], [claim("one", asking(exactly()))]).plan("n2")?.[0]?.nodeSelector;
    expect(kept?.nodeSelectorTerms?.[0]?.matchFields?.[0]?.values).toEqual(["n2"]);
  });

  it("take all that fit, or none when one of them is in use or nobody knows how many there are", () => {
    const all = claim("one", asking(exactly({ allocationMode: "All" })));
    expect(cluster(TWO, [all]).devices("n1")).toEqual([["r=a", "r=b"]]);
    const others = claim("other", asking(exactly()), given("a"));
    expect(cluster(TWO, [others, all], ["one"]).reasons()).toEqual({ n1: NOT_ENOUGH, n2: "" });
    expect(cluster([], [all]).reasons()).toEqual({ n1: NOT_ENOUGH, n2: NOT_ENOUGH });
    const half = slice("n1", { a: {} }, { pool: { name: "p", generation: 1, resourceSliceCount: 2 } });
    expect(() => cluster([half], [all]).reasons()).toThrow(
      'running "DynamicResources" filter plugin: claim default/one, request r: asks for all devices, but resource pool gpu.example.com/p is currently being updated',
    );
  });

  it("select by expressions of class and request", () => {
    const slices = [
      slice("n1", { a: { cores: { int: 4 } }, b: { cores: { int: 8 } } }),
      slice("n2", { c: { cores: { int: 2 } } }),
    ];
    const many = claim("one", asking(exactly({ selectors: withCel(`${attribute("cores")} >= 8`) })));
    expect(cluster(slices, [many]).reasons()).toEqual({ n1: "", n2: NOT_ENOUGH });
    expect(cluster(slices, [many]).devices("n1")).toEqual([["r=b"]]);
    const wrong = claim("one", asking(exactly({ selectors: withCel(attribute("missing")) })));
    expect(() => cluster(slices, [wrong]).reasons()).toThrow(
      "claim default/one: selector #0: CEL runtime error: no such key: missing",
    );
    const broken = claim("one", asking(exactly({ deviceClassName: "broken" })));
    expect(() => cluster(slices, [broken]).reasons()).toThrow("class broken: selector #0: CEL runtime error");
  });

  it("take the first alternative that there is", () => {
    const first = (...names: [string, Loose][]) => ({
      name: "r",
      firstAvailable: names.map(([name, more]) => ({ name, deviceClassName: "gpu", ...more })),
    });
    const wanted = claim("one", asking(first(["many", { count: 2 }], ["few", { count: 1 }])));
    expect(cluster(TWO, [wanted]).devices("n1")).toEqual([["r/many=a", "r/many=b"]]);
    expect(cluster(TWO, [wanted]).devices("n2")).toEqual([["r/few=c"]]);
    const unknown = claim("one", asking(first(["many", {}], ["none", { deviceClassName: "absent" }])));
    expect(cluster(TWO, [unknown]).reasons().n1).toBe("request r/none: device class absent does not exist");
  });

  it("go back where a choice leads nowhere", () => {
    const slices = [slice("n1", { a: { fast: { bool: true } }, b: { fast: { bool: false } } })];
    const wanted = claim("one", asking(exactly({}, "any"), exactly({ selectors: withCel(attribute("fast")) }, "fast")));
    expect(cluster(slices, [wanted]).devices("n1")).toEqual([["any=b", "fast=a"]]);
  });

  it("have what constraints ask for in common", () => {
    const numa = (value: number) => ({ numa: { int: value } });
    const slices = [
      slice("n1", { a: numa(0), b: numa(1), c: {}, d: numa(1) }),
      slice("n2", { e: numa(0), f: numa(1) }),
    ];
    const constraints = [{ requests: ["r"], matchAttribute: `${DRIVER}/numa` }];
    const two = claim("one", { ...asking(exactly({ count: 2 })), constraints });
    expect(cluster(slices, [two]).devices("n1")).toEqual([["r=b", "r=d"]]);
    expect(cluster(slices, [two]).reasons().n2).toBe(NOT_ENOUGH);
    const all = claim("one", { ...asking(exactly({ allocationMode: "All" })), constraints });
    expect(() => cluster(slices, [all]).reasons()).toThrow("because a claim constraint would not be satisfied");
  });

  it("are shared where they are, and waited for where they are being given devices", () => {
    const shared = claim("one", asking(exactly()), given("a"));
    const seen = cluster(TWO, [shared]);
    expect(seen.reasons()).toEqual({ n1: "", n2: "resourceclaim not available on the node" });
    expect(seen.plan("n1")).toEqual([undefined]);
    const waiting = cluster(TWO, [claim("one", asking(exactly()))]);
    const surroundings = {
      ...waiting.surroundings,
      devices: { ...waiting.surroundings.devices, isBeingAllocated: () => true },
    };
    expect(reasonsByNode(waiting.pod, surroundings).n1).toBe(
      "resource claim default/one is in the process of being allocated",
    );
  });

  it("lose devices that are not where their pod could run, unless others use them", () => {
    const freed = (status: Loose) => {
      const { pod, surroundings } = cluster(TWO, [claim("one", asking(exactly()), status)]);
      const check = filterFor(pod, surroundings) as NodeCheck;
      const refusals = new Map(
        surroundings.state.nodes.flatMap((node) => {
          const refused = check(node);
          return refused === undefined ? [] : [[node, refused] as const];
        }),
      );
      return claimToFree(pod, refusals, surroundings.devices)?.metadata.name;
    };
    const reservedFor = (uid: string) => ({ reservedFor: [{ resource: "pods", name: "p", uid }] });
    expect([freed(given("a")), freed({ ...given("a"), ...reservedFor("default/pod") })]).toEqual(["one", "one"]);
    expect([freed({ ...given("a"), ...reservedFor("another") }), freed({})]).toEqual([undefined, undefined]);
  });

  it("have settings of their classes and of themselves", () => {
    const opaque = { driver: DRIVER, parameters: { b: 2 } };
    const devices = {
      ...asking(exactly({ deviceClassName: "set" }), exactly({}, "s")),
      config: [{ requests: ["r"], opaque }, { opaque }, { requests: ["other"], opaque }],
    };
    expect(cluster(TWO, [claim("one", devices)]).plan("n1")?.[0]?.devices?.config).toEqual([
      { source: "FromClass", opaque: { driver: DRIVER, parameters: { a: 1 } } },
      { source: "FromClaim", requests: ["r"], opaque },
      { source: "FromClaim", opaque },
    ]);
  });

  it("use devices of many nodes, of the newest generation of a pool", () => {
    const rackB = { nodeSelectorTerms: [{ matchExpressions: [{ key: "rack", operator: "In", values: ["b"] }] }] };
    const slices = [
      slice("old", { x: {} }, { allNodes: true, pool: { name: "p", generation: 1, resourceSliceCount: 1 } }),
      slice("new", { y: {} }, { nodeSelector: rackB, pool: { name: "p", generation: 2, resourceSliceCount: 1 } }),
    ];
    const seen = cluster(slices, [claim("one", asking(exactly()))]);
    expect([seen.devices("n1"), seen.devices("n2")]).toEqual([[["r=x"]], [["r=y"]]]);
    expect([seen.plan("n1")?.[0]?.nodeSelector, seen.plan("n2")?.[0]?.nodeSelector]).toEqual([undefined, rackB]);
  });

  it("keep away from tainted devices that they do not tolerate", () => {
    const slices = [slice("n1", { a: { taints: [{ key: "k", effect: "NoSchedule" }] } })];
    expect(cluster(slices, [claim("one", asking(exactly()))]).reasons().n1).toBe(NOT_ENOUGH);
    const tolerant = claim("one", asking(exactly({ tolerations: [{ key: "k", operator: "Exists" }] })));
    expect(cluster(slices, [tolerant]).reasons().n1).toBe("");
  });

  it("are looked into for a bounded time, however many ways there are", () => {
    const devices = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`d${at}`, { numa: { int: at % 15 } }]));
    const constraints = [{ matchAttribute: `${DRIVER}/numa` }];
    const requests = Array.from({ length: 12 }, (_, at) => exactly({ count: 1 }, `r${at}`));
    const free = Array.from({ length: 10 }, (_, at) => exactly({ count: 1 }, `s${at}`));
    const wanted: Partial<ResourceClaimSpec["devices"]> = {
      requests: [...free, ...requests],
      constraints: [{ ...constraints[0]!, requests: requests.map(({ name }) => name) }],
    };
    expect(cluster([slice("n1", devices)], [claim("one", wanted)]).reasons()).toEqual({
      n1: "timed out trying to allocate devices",
      n2: NOT_ENOUGH,
    });
  });

  it("let others have their turn after each node, and nodes that have gone meanwhile do not count", () => {
    const { pod, surroundings } = cluster(TWO, [claim("one", asking(exactly()))]);
    const chooser = new NodeChooser({ surroundings, profileOf: profileOf(), random: () => 0 });
    const search = chooser.chooseInSteps(pod);
    expect([search.next().done, search.next().done]).toEqual([false, false]);
    const { value: choice } = search.next();
    const node = choice?.type === "node" ? choice.node : undefined;
    expect(chooser.stillFits(pod, node!)).toBe(true);
    surroundings.state.removeNode(node!.name);
    expect(chooser.stillFits(pod, node!)).toBe(false);
    expect([...chooser.chooseInSteps(testPod())]).toEqual([]);
  });

  it("must be there, and be the pod's own where they were made for it", () => {
    const missing = cluster(TWO, [], ["one"]);
    expect(missing.reasons().n1).toBe('could not find claim "default/one"');
    const ending = claim("one", asking(exactly()), {}, { deletionTimestamp: "2026-01-01T00:00:00Z" });
    expect(cluster(TWO, [ending]).reasons().n1).toBe('resourceclaim "one" is being deleted');
    const { surroundings } = cluster(TWO, [claim("made", asking(exactly()))]);
    const templated = { spec: { resourceClaims: [{ name: "r", resourceClaimTemplateName: "t" }] } };
    expect(reasonsByNode(testPod(templated), surroundings).n1).toBe('pod "default/pod": ResourceClaim not created yet');
    const status = { resourceClaimStatuses: [{ name: "r", resourceClaimName: "made" }] };
    expect(reasonsByNode(testPod({ ...templated, status }), surroundings).n1).toBe(
      "ResourceClaim default/made was not created for pod default/pod (pod is not owner)",
    );
    expect(
      reasonsByNode(testPod({ ...templated, status: { resourceClaimStatuses: [{ name: "r" }] } }), surroundings).n1,
    ).toBe("");
    const unknown = claim("one", asking(exactly({ deviceClassName: "absent" })));
    expect(cluster(TWO, [unknown]).reasons().n1).toBe("request r: device class absent does not exist");
  });
});
