import { describe, expect, it } from "vitest";
import type { Node } from "../../kinds/core/node.ts";
import { namesFor } from "../../meta/names.ts";
import { type NodeCondition, nodeConditions } from "./conditions.ts";
import { type MeasuredStatus, statusWrite, withAdvertised } from "./node-status.ts";

const NOW = Date.parse("2030-01-01T00:10:00Z");
const READY = nodeConditions({ pressures: new Set(), problems: [], networkProblem: undefined });

const measured = (more: Partial<MeasuredStatus> = {}): MeasuredStatus => ({
  capacity: { cpu: "2", pods: "110" },
  images: [],
  conditions: READY,
  ...more,
});

/** The status that follows from a measurement, as a server has it. */
const stored = ({ conditions, images, ...rest }: MeasuredStatus): Node["status"] =>
  ({
    ...rest,
    ...(images?.length ? { images } : {}),
    conditions: conditions.map((each) => ({
      ...each,
      lastHeartbeatTime: "2030-01-01T00:00:00Z",
      lastTransitionTime: "2030-01-01T00:00:00Z",
    })),
  }) as Node["status"];

const write = (
  current: Node["status"] | undefined,
  next: Parameters<typeof statusWrite>[1],
  sinceReportMs: number | undefined = 1_000,
) =>
  statusWrite(current, next, {
    nowMs: NOW,
    lastReportMs: sinceReportMs === undefined ? undefined : NOW - sinceReportMs,
    reportFrequencyMs: 300_000,
  });

const withCondition = (condition: NodeCondition) =>
  READY.map((each) => (each.type === condition.type ? condition : each));

describe("the status of a node is written", () => {
  it("not while nothing has changed and the report is not due", () => {
    expect(write(stored(measured()), measured(), 299_999)).toBeUndefined();
  });

  it("when the report is due", () => {
    expect(write(stored(measured()), measured(), 300_000)?.why).toBe("due");
  });

  it("at the first look", () => {
    const first = statusWrite(stored(measured()), measured(), {
      nowMs: NOW,
      lastReportMs: undefined,
      reportFrequencyMs: 300_000,
    });
    expect(first?.why).toBe("due");
  });

  it.each<[string, MeasuredStatus]>([
    ["capacity", measured({ capacity: { cpu: "2", pods: "17" } })],
    ["a new resource", measured({ capacity: { cpu: "2", pods: "110", "example.com/widget": "2" } })],
    [
      "a condition's status",
      measured({
        conditions: withCondition({ type: "Ready", status: "False", reason: "KubeletNotReady", message: "x" }),
      }),
    ],
    [
      "a condition's message",
      measured({ conditions: withCondition({ type: "Ready", status: "True", reason: "KubeletReady", message: "x" }) }),
    ],
    ["images", measured({ images: [{ names: ["a"], sizeBytes: 1 }] })],
  ])("when it has another %s", (_what, next) => {
    expect(write(stored(measured()), next)?.why).toBe("changed");
  });

  it("not for what others have added to it", () => {
    const current = stored(measured({ capacity: { cpu: "2", pods: "110", "example.com/dongle": "4" } }));
    const foreign = { type: "FrequentDockerRestart", status: "False" as const, reason: "r", message: "m" };
    current.conditions = [...current.conditions!, { ...foreign, lastHeartbeatTime: null, lastTransitionTime: null }];
    expect(write(current, measured())).toBeUndefined();
  });
});

describe("what others count on a node", () => {
  const names = namesFor("kubernetes");
  const own = { cpu: "2", pods: "110" };
  const first = measured({ allocatable: { cpu: "1", pods: "110" } });

  it.each<[string, Record<string, string>, Record<string, string>, object | undefined]>([
    ["may be used", { ...own, "example.com/dongle": "4" }, {}, { "example.com/dongle": "4" }],
    [
      "follows its amount",
      { ...own, "example.com/dongle": "4" },
      { "example.com/dongle": "2" },
      { "example.com/dongle": "4" },
    ],
    ["is known", { ...own, "example.com/dongle": "4" }, { "example.com/dongle": "4" }, undefined],
    ["goes with its amount", own, { "example.com/dongle": "4" }, { "example.com/dongle": null }],
    ["is not what the machine has", { ...own, "hugepages-2Mi": "4" }, {}, undefined],
  ])("%s", (_what, capacity, usable, added) => {
    const current = stored({ ...first, capacity, allocatable: { ...first.allocatable, ...usable } });
    const patch = write(current, withAdvertised(current, first, names))?.patch;
    expect(patch).toEqual(added && expect.objectContaining({ allocatable: { ...first.allocatable, ...added } }));
  });
});

describe("what is written", () => {
  const conditionsOf = (patch: object | undefined) =>
    (patch as { conditions: (NodeCondition & Record<string, string>)[] }).conditions;

  it("beats the heart of every condition, and moves the transition of those that changed only", () => {
    const next = measured({
      conditions: withCondition({ type: "MemoryPressure", status: "True", reason: "r", message: "m" }),
    });
    const conditions = conditionsOf(write(stored(measured()), next)?.patch);
    expect(
      conditions.map(({ type, lastHeartbeatTime, lastTransitionTime }) => [
        type,
        lastHeartbeatTime,
        lastTransitionTime,
      ]),
    ).toEqual([
      ["MemoryPressure", "2030-01-01T00:10:00Z", "2030-01-01T00:10:00Z"],
      ["DiskPressure", "2030-01-01T00:10:00Z", "2030-01-01T00:00:00Z"],
      ["PIDPressure", "2030-01-01T00:10:00Z", "2030-01-01T00:00:00Z"],
      ["NetworkUnavailable", "2030-01-01T00:10:00Z", "2030-01-01T00:00:00Z"],
      ["Ready", "2030-01-01T00:10:00Z", "2030-01-01T00:00:00Z"],
    ]);
  });

  it("leaves the network to an add-on that reports it", () => {
    const current = stored(measured());
    const network = current.conditions!.find(({ type }) => type === "NetworkUnavailable")!;
    network.reason = "RouteCreated";
    expect(write(current, measured())).toBeUndefined();
    expect(conditionsOf(write(current, measured(), 300_000)?.patch).map(({ type }) => type)).not.toContain(
      "NetworkUnavailable",
    );
  });

  it("replaces addresses, of which a node may have two of one type", () => {
    const addresses = [
      { type: "InternalIP", address: "10.0.0.1" },
      { type: "InternalIP", address: "fd00::1" },
    ];
    expect(write(undefined, measured({ addresses }))?.patch).toMatchObject({
      addresses: [...addresses, { $patch: "replace" }],
    });
  });
});

describe("the conditions of a node", () => {
  const facts = { pressures: new Set<never>(), problems: [], networkProblem: undefined };
  const statuses = (conditions: readonly NodeCondition[]) =>
    Object.fromEntries(conditions.map(({ type, status }) => [type, status]));

  it("are all of the specification's", () => {
    expect(statuses(READY)).toEqual({
      Ready: "True",
      MemoryPressure: "False",
      DiskPressure: "False",
      PIDPressure: "False",
      NetworkUnavailable: "False",
    });
  });

  it.each([
    ["memory", "MemoryPressure"],
    ["disk", "DiskPressure"],
    ["pid", "PIDPressure"],
  ] as const)("show a lack of %s as %s", (pressure, type) => {
    expect(statuses(nodeConditions({ ...facts, pressures: new Set([pressure]) }))).toMatchObject({
      [type]: "True",
      Ready: "True",
    });
  });

  it("make a node unready with every reason for it", () => {
    const ready = nodeConditions({ ...facts, problems: ["a", "b"], networkProblem: "no network" }).at(-1);
    expect(ready).toMatchObject({
      status: "False",
      reason: "KubeletNotReady",
      message: "[container runtime network not ready: no network, a, b]",
    });
  });
});
