import { describe, expect, it } from "vitest";
import { HERE, slice } from "../objects.testing.ts";
import { backendsOf, type PortOfSlices } from "./backends.ts";

const PORT: PortOfSlices = { name: "", protocol: "TCP", family: 4, ignoresReadiness: false };
const find = (slices: Parameters<typeof backendsOf>[0], port: Partial<PortOfSlices> = {}) =>
  backendsOf(slices, { ...PORT, ...port }, HERE);

describe("the backends of a port", () => {
  it("are those of the slices of its family, with the port of its name and protocol", () => {
    const ports = [
      { name: "http", protocol: "TCP", port: 8080 },
      { name: "dns", protocol: "UDP", port: 5353 },
    ] as const;
    const slices = [
      slice([{ ip: "10.0.0.1" }], { ports: [...ports] }),
      slice([{ ip: "fd00::1" }], { ports: [...ports] }),
      slice([{ ip: "10.0.0.9" }], { ports: [{ name: "http", protocol: "TCP" }] }),
    ];
    const shown = (port: Partial<PortOfSlices>) => find(slices, port).map(({ ip, port }) => `${ip} ${port}`);
    expect(shown({ name: "http" })).toEqual(["10.0.0.1 8080"]);
    expect(shown({ name: "http", family: 6 })).toEqual(["fd00::1 8080"]);
    expect(shown({ name: "dns", protocol: "UDP" })).toEqual(["10.0.0.1 5353"]);
    expect(shown({ name: "dns" })).toEqual([]);
    expect(shown({})).toEqual([]);
  });

  it.each([
    [undefined, true, true, false],
    [{ ready: true, serving: true, terminating: false }, true, true, false],
    [{ ready: false }, false, true, false],
    [{ ready: false, serving: false }, false, false, false],
    [{ ready: false, serving: true, terminating: true }, false, true, true],
  ])(
    "with the conditions %j are ready %s, serving %s, terminating %s",
    (conditions, isReady, isServing, isTerminating) => {
      const [found] = find([slice([{ ip: "10.0.0.1", ...(conditions === undefined ? {} : { conditions }) }])]);
      expect(found).toMatchObject({ isReady, isServing, isTerminating });
    },
  );

  it("are ready whatever they say when readiness does not count", () => {
    const [found] = find([slice([{ ip: "10.0.0.1", conditions: { ready: false } }])], { ignoresReadiness: true });
    expect(found?.isReady).toBe(true);
  });

  it("are here, elsewhere, or perhaps here when nobody says", () => {
    const found = find([
      slice([{ ip: "10.0.0.1", nodeName: "here" }, { ip: "10.0.0.2", nodeName: "x" }, { ip: "10.0.0.3" }]),
    ]);
    expect(found.map(({ isLocal, mayBeHere }) => [isLocal, mayBeHere])).toEqual([
      [true, true],
      [false, false],
      [false, true],
    ]);
  });

  it("count once when they are in two slices, with the better word", () => {
    const bad = slice([{ ip: "10.0.0.1", conditions: { ready: false } }]);
    const good = slice([{ ip: "10.0.0.1" }]);
    for (const slices of [
      [bad, good],
      [good, bad],
    ])
      expect(find(slices).map(({ isReady }) => isReady)).toEqual([true]);
  });

  it("are passed over when their address is none, or of the other family", () => {
    expect(
      find([slice([{ ip: "10.0.0.300" }, { ip: "x; flush ruleset" }, { ip: "fd00::1" }], { addressType: "IPv4" })]),
    ).toEqual([]);
    expect(find([slice([{ ip: "web.example" }], { addressType: "FQDN" })])).toEqual([]);
  });
});
