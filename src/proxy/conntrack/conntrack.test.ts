import { describe, expect, it } from "vitest";
import { HERE, service, slice } from "../objects.testing.ts";
import { planService, type ServicePlan } from "../rules/service-plan.ts";
import { conntrackArguments } from "./forget-flows.ts";
import { presentFlows, readFlows } from "./present-flows.ts";
import { type StaleFlows, staleFlows } from "./stale-flows.ts";

function plan(ips: readonly string[], protocol: "TCP" | "UDP" = "UDP", port = 53): ServicePlan {
  const of = service({
    type: "NodePort",
    externalIPs: ["192.0.2.1"],
    ports: [{ protocol, port, targetPort: 8080, nodePort: 30_053 }],
  });
  const slices = [
    slice(
      ips.map((ip) => ({ ip })),
      { addressType: "IPv4", ports: [{ name: "", protocol, port: 8080 }] },
    ),
  ];
  return planService(of, slices, HERE);
}
const NONE: ServicePlan = { ports: [], healthCheck: undefined, since: "" };

/** Of every frontend of `plan`, for one backend or all. */
const everywhere = (backendIp?: string): StaleFlows[] => [
  { family: 4, ip: "10.96.0.10", port: 53, backendIp },
  { family: 4, ip: "192.0.2.1", port: 53, backendIp },
  { family: 4, ip: undefined, port: 30_053, backendIp },
];

describe("flows to be forgotten", () => {
  it.each<[string, ServicePlan | undefined, ServicePlan, StaleFlows[]]>([
    ["of a backend that is gone", plan(["10.0.0.1", "10.0.0.2"]), plan(["10.0.0.2"]), everywhere("10.0.0.1")],
    ["all when the first backend arrives", plan([]), plan(["10.0.0.1"]), everywhere()],
    ["all of a Service that is new", undefined, plan(["10.0.0.1"]), everywhere()],
    ["of the backends of a Service that is gone", plan(["10.0.0.1"]), NONE, everywhere("10.0.0.1")],
    ["none when a further backend arrives", plan(["10.0.0.1"]), plan(["10.0.0.1", "10.0.0.2"]), []],
    ["none when there is still nobody", plan([]), plan([]), []],
    ["none of TCP", plan(["10.0.0.1"], "TCP"), plan([], "TCP"), []],
    ["of a port that is another one now", plan(["10.0.0.1"]), plan(["10.0.0.1"], "TCP"), everywhere("10.0.0.1")],
  ])("are %s", (_, before, after, expected) => {
    expect(staleFlows(before, after)).toEqual(expected);
  });

  it("are all of an address, once many backends are gone", () => {
    const many = Array.from({ length: 17 }, (_, index) => `10.0.0.${index + 1}`);
    expect(staleFlows(plan([...many, "10.0.1.1"]), plan(["10.0.1.1"]))).toEqual(everywhere());
  });

  it("are said to conntrack by what was asked for and who answers", () => {
    const [cluster, , nodePort] = everywhere("10.0.0.1");
    expect(conntrackArguments(cluster!).join(" ")).toBe(
      "-D -f ipv4 -p udp --dport 53 --orig-dst 10.96.0.10 --dst-nat 10.0.0.1",
    );
    expect(conntrackArguments(nodePort!).join(" ")).toBe("-D -f ipv4 -p udp --dport 30053 --dst-nat 10.0.0.1");
    expect(conntrackArguments({ family: 6, ip: "fd00::1", port: 53, backendIp: undefined }).join(" ")).toBe(
      "-D -f ipv6 -p udp --dport 53 --orig-dst fd00::1",
    );
  });

  it("are looked for among those that there are", () => {
    const listing = [
      "udp      17 29 src=10.1.1.2 dst=10.96.0.10 sport=4000 dport=53 src=10.0.0.1 dst=10.1.1.2 sport=8080 dport=4000 [ASSURED] mark=0 use=1",
      "udp      17 9 src=10.1.1.2 dst=10.96.0.11 sport=4000 dport=53 [UNREPLIED] src=10.0.0.9 dst=10.1.1.2 sport=53 dport=4000 mark=0 use=1",
      "udp      17 9 src=10.1.1.2 dst=192.168.7.1 sport=4000 dport=30053 packets=1 bytes=30 [UNREPLIED] src=10.0.0.9 dst=x sport=1 dport=2",
      "conntrack v1.4.7 (conntrack-tools): 3 flow entries have been shown.",
    ].join("\n");
    expect(presentFlows(everywhere("10.0.0.1"), readFlows(listing))).toEqual([everywhere("10.0.0.1")[0]]);
    expect(presentFlows(everywhere(), readFlows(listing))).toEqual([everywhere()[0], everywhere()[2]]);
    expect(presentFlows(everywhere("10.0.0.2"), readFlows(listing))).toEqual([]);
  });
});
