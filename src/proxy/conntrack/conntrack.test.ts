import { describe, expect, it } from "vitest";
import { type EndpointDraft, HERE, service, slice } from "../objects.testing.ts";
import { planService, type ServicePlan } from "../rules/service-plan.ts";
import { conntrackArguments } from "./forget-flows.ts";
import { readFlows, staleAmong } from "./present-flows.ts";
import { type StaleFlows, staleFlows } from "./stale-flows.ts";

const EXTERNAL_IP = "192.0.2.1";

interface Draft {
  readonly protocol?: "TCP" | "UDP";
  readonly port?: number;
  readonly externalIps?: string[];
  readonly targetPort?: number;
}

function plan(endpoints: readonly (string | EndpointDraft)[], draft: Draft = {}): ServicePlan {
  const { protocol = "UDP", port = 53, externalIps = [EXTERNAL_IP], targetPort = 8080 } = draft;
  const of = service({
    type: "NodePort",
    externalIPs: externalIps,
    ports: [{ protocol, port, targetPort, nodePort: 30_053 }],
  });
  const drafts = endpoints.map((each) => (typeof each === "string" ? { ip: each } : each));
  const slices = [slice(drafts, { addressType: "IPv4", ports: [{ name: "", protocol, port: targetPort }] })];
  return planService(of, slices, HERE);
}
const NONE: ServicePlan = { ports: [], healthCheck: undefined, since: "" };
const ending = (ip: string): EndpointDraft => ({ ip, conditions: { ready: false, serving: true, terminating: true } });

const FRONTENDS = [
  { family: 4, ip: "10.96.0.10", port: 53 },
  { family: 4, ip: EXTERNAL_IP, port: 53 },
  { family: 4, ip: undefined, port: 30_053 },
] as const;
type Backends = StaleFlows["backends"];
const at = (ips: readonly string[], port: number): ReadonlySet<string> => new Set(ips.map((ip) => `${ip} ${port}`));
const butTo = (...ips: string[]): StaleFlows[] => everywhere({ but: at(ips, 8080) });
const onlyTo = (...ips: string[]): StaleFlows[] => everywhere({ only: at(ips, 8080) });
const everywhere = (backends: Backends): StaleFlows[] => FRONTENDS.map((frontend) => ({ ...frontend, backends }));

describe("flows to be forgotten", () => {
  it.each<[string, ServicePlan | undefined, ServicePlan, StaleFlows[]]>([
    [
      "those to nobody who is there, when one goes",
      plan(["10.0.0.1", "10.0.0.2"]),
      plan(["10.0.0.2"]),
      butTo("10.0.0.2"),
    ],
    ["those to nobody who is there, when the first arrives", plan([]), plan(["10.0.0.1"]), butTo("10.0.0.1")],
    // A proxy that is started again finds flows that go on.
    ["those to nobody who is there, of a Service that is new", undefined, plan(["10.0.0.1"]), butTo("10.0.0.1")],
    ["all when the last one goes", plan(["10.0.0.1"]), plan([]), butTo()],
    ["those of a Service that is gone", plan(["10.0.0.1"]), NONE, onlyTo("10.0.0.1")],
    ["none when a further backend arrives", plan(["10.0.0.1"]), plan(["10.0.0.1", "10.0.0.2"]), []],
    ["none when there is still nobody", plan([]), plan([]), []],
    ["none of TCP", plan(["10.0.0.1"], { protocol: "TCP" }), plan([], { protocol: "TCP" }), []],
    [
      "those of a port that is another one now",
      plan(["10.0.0.1"]),
      plan(["10.0.0.1"], { protocol: "TCP" }),
      onlyTo("10.0.0.1"),
    ],
    [
      "those of an address that the Service has no more",
      plan(["10.0.0.1"]),
      plan(["10.0.0.1"], { externalIps: [] }),
      [{ ...FRONTENDS[1], backends: { only: at(["10.0.0.1"], 8080) } }],
    ],
    [
      "those to the port at which its backends answered before",
      plan(["10.0.0.1"]),
      plan(["10.0.0.1"], { targetPort: 8053 }),
      everywhere({ but: at(["10.0.0.1"], 8053) }),
    ],
    // As TCP connections do: who was sent there before stays until the end.
    ["none of one that ends but answers", plan(["10.0.0.1", "10.0.0.2"]), plan([ending("10.0.0.1"), "10.0.0.2"]), []],
    ["those of one that has ended", plan([ending("10.0.0.1"), "10.0.0.2"]), plan(["10.0.0.2"]), butTo("10.0.0.2")],
  ])("are %s", (_, before, after, expected) => {
    expect(staleFlows(before, after)).toEqual(expected);
  });

  it("are found among those that there are, each kind once", () => {
    const listing = [
      "udp      17 29 src=10.1.1.2 dst=10.96.0.10 sport=4000 dport=53 src=10.0.0.1 dst=10.1.1.2 sport=8080 dport=4000 [ASSURED] mark=0 use=1",
      "udp      17 29 src=10.1.1.3 dst=10.96.0.10 sport=4001 dport=53 src=10.0.0.1 dst=10.1.1.3 sport=8080 dport=4001 mark=0 use=1",
      "udp      17 29 src=10.1.1.3 dst=10.96.0.10 sport=4002 dport=53 src=10.0.0.2 dst=10.1.1.3 sport=8080 dport=4002 mark=0 use=1",
      "udp      17 9 src=10.1.1.2 dst=10.96.0.11 sport=4000 dport=53 [UNREPLIED] src=10.0.0.9 dst=10.1.1.2 sport=53 dport=4000 mark=0 use=1",
      "udp      17 9 src=10.1.1.2 dst=192.168.7.1 sport=4000 dport=30053 packets=1 bytes=30 [UNREPLIED] src=192.168.7.1 dst=10.1.1.2 sport=30053 dport=4000",
      "conntrack v1.4.7 (conntrack-tools): 5 flow entries have been shown.",
    ].join("\n");
    const first = { ip: "10.96.0.10", port: 53, backend: { ip: "10.0.0.1", port: 8080 } };
    const second = { ...first, backend: { ip: "10.0.0.2", port: 8080 } };
    const nowhere = { ip: "192.168.7.1", port: 30_053, backend: { ip: "192.168.7.1", port: 30_053 } };
    expect(staleAmong(readFlows(listing), butTo("10.0.0.2"))).toEqual([first, nowhere]);
    expect(staleAmong(readFlows(listing), onlyTo("10.0.0.1"))).toEqual([first]);
    expect(staleAmong(readFlows(listing), onlyTo("10.0.0.3"))).toEqual([]);
    const elsewhere = everywhere({ but: at(["10.0.0.1", "10.0.0.2"], 8053) });
    expect(staleAmong(readFlows(listing), elsewhere)).toEqual([first, second, nowhere]);
  });

  it("are said to conntrack by what was asked for and who answers", () => {
    expect(
      conntrackArguments(4, { ip: "10.96.0.10", port: 53, backend: { ip: "10.0.0.1", port: 8080 } }).join(" "),
    ).toBe("-D -f ipv4 -p udp --orig-dst 10.96.0.10 --orig-port-dst 53 --reply-src 10.0.0.1 --reply-port-src 8080");
    expect(conntrackArguments(6, { ip: "fd00::1", port: 53, backend: { ip: "fd00::2", port: 8080 } })[2]).toBe("ipv6");
  });
});
