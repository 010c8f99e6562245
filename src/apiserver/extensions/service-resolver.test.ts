// Which address a Service is reached at, by its type and by what is behind it.

import { describe, expect, it } from "vitest";
import type { EndpointSlice } from "../../kinds/discovery/endpoint-slice.ts";
import { resolveCluster, resolveEndpoint, type ServiceView, viewOfSlice } from "./service-resolver.ts";

const service = (change: Partial<ServiceView> = {}): ServiceView => ({
  namespace: "a",
  name: "web",
  type: "ClusterIP",
  clusterIP: "10.0.0.9",
  externalName: "",
  ports: [
    { name: "https", port: 443 },
    { name: "other", port: 8443 },
  ],
  firstFamily: "IPv4",
  ...change,
});

const slice = (addressType: string, endpoints: object[], ports: object[] = [{ name: "https", port: 6443 }]) =>
  viewOfSlice({ metadata: { namespace: "a" }, addressType, endpoints, ports } as unknown as EndpointSlice, "web");

const ready = (address: string, value?: boolean) => ({ addresses: [address, "9.9.9.9"], conditions: { ready: value } });

describe("a Service by its cluster address", () => {
  it.each(["ClusterIP", "NodePort", "LoadBalancer"])("of type %s is there", (type) =>
    expect(resolveCluster(service({ type }), 443)).toEqual({ host: "10.0.0.9", port: 443 }),
  );
  it("of type ExternalName is at its name, at any port", () =>
    expect(resolveCluster(service({ type: "ExternalName", externalName: "x.test" }), 99)).toEqual({
      host: "x.test",
      port: 99,
    }));
  it("without one is nowhere", () =>
    expect(() => resolveCluster(service({ clusterIP: "None" }), 443)).toThrow(
      'cannot route to service with ClusterIP "None"',
    ));
  it("has no other ports than its own", () =>
    expect(() => resolveCluster(service(), 80)).toThrow('no service port 80 found for service "web"'));
  it("of an unknown type is nowhere", () =>
    expect(() => resolveCluster(service({ type: "X" }), 443)).toThrow('unsupported service type "X"'));
});

describe("a Service by its endpoints", () => {
  const all = (slices: ReturnType<typeof slice>[], port = 443, change: Partial<ServiceView> = {}) =>
    [0, 1, 2, 3].map((index) => {
      const { host, port: reached } = resolveEndpoint(service(change), slices, port, (count) => index % count);
      return `${host}:${reached}`;
    });

  it("is at every one that is ready, at the port behind the Service's", () =>
    expect(
      all([slice("IPv4", [ready("1.1.1.1"), ready("1.1.1.2", false)]), slice("IPv4", [ready("1.1.1.3", true)])]),
    ).toEqual(["1.1.1.1:6443", "1.1.1.3:6443", "1.1.1.1:6443", "1.1.1.3:6443"]));

  it("needs no cluster address", () =>
    expect(all([slice("IPv4", [ready("1.1.1.1")])], 443, { clusterIP: "None" })[0]).toBe("1.1.1.1:6443"));

  it("finds the port by its name", () =>
    expect(
      all(
        [slice("IPv4", [ready("1.1.1.1")]), slice("IPv4", [ready("1.1.1.2")], [{ name: "other", port: 7 }])],
        8443,
      )[0],
    ).toBe("1.1.1.2:7"));

  it("prefers its first family, and takes the other one where there is nothing else", () => {
    const six = slice("IPv6", [ready("::1")]);
    expect(new Set(all([six, slice("IPv4", [ready("1.1.1.1")])]))).toEqual(new Set(["1.1.1.1:6443"]));
    expect(all([six, slice("IPv4", [ready("1.1.1.1", false)])])[0]).toBe("::1:6443");
  });

  it.each([
    ["has none", []],
    ["has none that is ready", [slice("IPv4", [ready("1.1.1.1", false)])]],
    ["has none with the port", [slice("IPv4", [ready("1.1.1.1")], [{ name: "x", port: 1 }])]],
    ["has a port without a number", [slice("IPv4", [ready("1.1.1.1")], [{ name: "https" }])]],
  ])("is nowhere when it %s", (_what, slices) =>
    expect(() => all(slices)).toThrow('no endpoints available for service "web"'),
  );

  it("cannot be one with an external name", () =>
    expect(() => all([], 443, { type: "ExternalName" })).toThrow('unsupported service type "ExternalName"'));
});
