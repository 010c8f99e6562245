// Every rule of the field, error and limit tables for Service. Requirements: document 3, "Service".

import { describe, expect, it } from "vitest";
import { atOnce, whole } from "../../../base/steps.ts";
import { fieldErrorText } from "../../../meta/field-error.ts";
import { type Dialect, namesFor } from "../../../meta/names.ts";
import { completed, context } from "../../complete.testing.ts";
import type { HookContext } from "../../define-kind.ts";
import { all } from "../../validation.testing.ts";
import { type Service, service } from "../service.ts";

const port = { port: 80 };

/** As it is after allocation, which fills in what the writer left out. */
function made(spec: object, annotations: Record<string, string> = {}): Service {
  return completed(service, {
    metadata: { name: "s", namespace: "a", annotations },
    spec: { ports: [port], clusterIP: "10.0.0.5", clusterIPs: ["10.0.0.5"], ...spec },
  } as Parameters<typeof completed<Service>>[1]);
}

const errorsOf = (spec: object, hookContext: HookContext = context): string[] =>
  all(service.hooks!.validate!(made(spec), hookContext)).map(fieldErrorText);

const external = { type: "ExternalName", clusterIP: undefined, clusterIPs: undefined, externalName: "db.example.com" };
const balancer = { type: "LoadBalancer" };
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

describe("a node port of an ExternalName Service", () => {
  const named = { ...external, ports: [{ port: 80, nodePort: 30_000 }] };
  const inDialect = (dialect: Dialect): HookContext => ({ ...context, names: namesFor(dialect) });

  it("is refused when it is created, as the document says", () => {
    expect(errorsOf(named, inDialect("platform"))).toEqual([
      "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ExternalName'",
    ]);
  });

  it("is taken by upstream, and where it is stored already", () => {
    expect(errorsOf(named, inDialect("kubernetes"))).toEqual([]);
    const stored = made(named);
    const update = service.hooks!.validateUpdate!(stored, stored, inDialect("platform"));
    expect(all(update).map(fieldErrorText)).toEqual([]);
  });
});

describe("a valid Service", () => {
  it.each<[string, object]>([
    ["ClusterIP", {}],
    ["headless without ports", { clusterIP: "None", clusterIPs: ["None"], ports: [] }],
    ["NodePort", { type: "NodePort", ports: [{ port: 80, nodePort: 30_000 }] }],
    ["LoadBalancer", { ...balancer, loadBalancerClass: "example.com/x", loadBalancerSourceRanges: [" 10.0.0.0/8 "] }],
    ["LoadBalancer Local", { ...balancer, externalTrafficPolicy: "Local", healthCheckNodePort: 30_001 }],
    ["ExternalName", external],
    ["ExternalName with a final dot", { ...external, externalName: "db.example.com." }],
    [
      "affinity at its limit",
      { sessionAffinity: "ClientIP", sessionAffinityConfig: { clientIP: { timeoutSeconds: 86_400 } } },
    ],
    ["externalIPs", { externalIPs: ["203.0.113.7", "2001:db8::1"], externalTrafficPolicy: "Local" }],
    ["an old spelling of an address", { externalIPs: ["010.1.1.1"] }],
    [
      "two families",
      { clusterIPs: ["10.0.0.5", "fd00::5"], ipFamilies: ["IPv4", "IPv6"], ipFamilyPolicy: "RequireDualStack" },
    ],
    [
      "TCP and UDP on one port",
      {
        ports: [
          { name: "a", port: 53 },
          { name: "b", port: 53, protocol: "UDP" },
        ],
      },
    ],
    ["a distribution", { trafficDistribution: "PreferClose" }],
  ])("%s", (_name, spec) => expect(errorsOf(spec)).toEqual([]));
});

it("a Service that is only a name elsewhere has no traffic inside", () => {
  const object = made({ ...external, internalTrafficPolicy: "Cluster" });
  service.hooks!.canonicalize!(object, context);
  expect(object.spec.internalTrafficPolicy).toBeUndefined();
});

describe("an invalid Service", () => {
  it.each<[object, string]>([
    [{ ports: [] }, "spec.ports: Required value"],
    [
      { type: "Magic" },
      'spec.type: Unsupported value: "Magic": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
    ],
    [
      { clusterIP: "None", clusterIPs: ["None"], type: "NodePort" },
      `spec.clusterIPs[0]: Invalid value: "None": may not be set to 'None' for NodePort services`,
    ],
    [
      { clusterIP: "None", clusterIPs: ["None"], ...balancer },
      `spec.clusterIPs[0]: Invalid value: "None": may not be set to 'None' for LoadBalancer services`,
    ],
    [{ ...external, clusterIPs: ["10.0.0.5"] }, "spec.clusterIPs: Forbidden: may not be set for ExternalName services"],
    [{ ...external, ipFamilies: ["IPv4"] }, "spec.ipFamilies: Forbidden: may not be set for ExternalName services"],
    [
      { ...external, ipFamilyPolicy: "SingleStack" },
      "spec.ipFamilyPolicy: Forbidden: may not be set for ExternalName services",
    ],
    [{ ...external, externalName: "" }, "spec.externalName: Required value"],
    [{ ports: [{ name: "a", port: 80 }, { port: 81 }] }, "spec.ports[1].name: Required value"],
    [{ ports: [{ name: "Web", port: 80 }] }, `spec.ports[0].name: Invalid value: "Web": ${label}`],
    [
      { ports: [{ name: "a".repeat(64), port: 80 }] },
      `spec.ports[0].name: Invalid value: "${"a".repeat(64)}": must be no more than 63 characters`,
    ],
    [
      {
        ports: [
          { name: "a", port: 80 },
          { name: "a", port: 81 },
        ],
      },
      'spec.ports[1].name: Duplicate value: "a"',
    ],
    [
      { ports: [{ port: 65_536, targetPort: 1 }] },
      "spec.ports[0].port: Invalid value: 65536: must be between 1 and 65535, inclusive",
    ],
    [
      { ports: [{ port: 80, targetPort: 65_536 }] },
      "spec.ports[0].targetPort: Invalid value: 65536: must be between 1 and 65535, inclusive",
    ],
    [
      { ports: [{ port: 80, targetPort: "80" }] },
      'spec.ports[0].targetPort: Invalid value: "80": must contain at least one letter (a-z)',
    ],
    [
      { ports: [{ port: 80, protocol: "ICMP" }] },
      'spec.ports[0].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"',
    ],
    [
      { ports: [{ port: 80, nodePort: 30_000 }] },
      "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
    ],
    [
      {
        type: "NodePort",
        ports: [
          { name: "a", port: 80, nodePort: 30_000 },
          { name: "b", port: 81, nodePort: 30_000 },
        ],
      },
      "spec.ports[1].nodePort: Duplicate value: 30000",
    ],
    [
      {
        ports: [
          { name: "a", port: 80 },
          { name: "b", port: 80 },
        ],
      },
      'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
    ],
    [
      { sessionAffinity: "Cookie" },
      'spec.sessionAffinity: Unsupported value: "Cookie": supported values: "ClientIP", "None"',
    ],
    ...[0, -1, 86_401].map((timeoutSeconds): [object, string] => [
      { sessionAffinity: "ClientIP", sessionAffinityConfig: { clientIP: { timeoutSeconds } } },
      `spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: ${timeoutSeconds}: must be greater than 0 and less than 86400`,
    ]),
    [
      { clusterIP: undefined },
      'spec.clusterIPs: Invalid value: ["10.0.0.5"]: must be empty when `clusterIP` is not specified',
    ],
    [{ clusterIPs: undefined }, "spec.clusterIPs: Required value"],
    [{ clusterIPs: ["10.0.0.6"] }, 'spec.clusterIPs: Invalid value: ["10.0.0.6"]: first value must match `clusterIP`'],
    [
      { clusterIPs: ["10.0.0.5", "10.0.0.6"] },
      'spec.clusterIPs: Invalid value: ["10.0.0.5","10.0.0.6"]: may specify no more than one IP for each IP family',
    ],
    [
      { clusterIP: "None", clusterIPs: ["None", "10.0.0.6"] },
      `spec.clusterIPs: Invalid value: ["None","10.0.0.6"]: 'None' must be the first and only value`,
    ],
    [
      { clusterIP: "x", clusterIPs: ["x"] },
      'spec.clusterIPs[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
    [
      { ipFamilies: ["IPv6"] },
      'spec.clusterIPs[0]: Invalid value: "10.0.0.5": expected an IPv6 value as indicated by `ipFamilies[0]`',
    ],
    [{ ipFamilies: ["IPv4", "IPv4"] }, 'spec.ipFamilies[1]: Duplicate value: "IPv4"'],
    [{ ipFamilies: ["IPv5"] }, 'spec.ipFamilies[0]: Unsupported value: "IPv5": supported values: "IPv4", "IPv6"'],
    [
      { ipFamilyPolicy: "Both" },
      'spec.ipFamilyPolicy: Unsupported value: "Both": supported values: "PreferDualStack", "RequireDualStack", "SingleStack"',
    ],
    [
      { externalIPs: ["127.0.0.1"] },
      'spec.externalIPs[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
    ],
    [{ externalIPs: ["0.0.0.0"] }, 'spec.externalIPs[0]: Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0)'],
    [
      { loadBalancerSourceRanges: ["10.0.0.0/8"] },
      "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'",
    ],
    [
      { ...balancer, loadBalancerSourceRanges: ["10.0.0.300/8"] },
      'spec.LoadBalancerSourceRanges[0]: Invalid value: "10.0.0.300/8": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
    ],
    [
      { allocateLoadBalancerNodePorts: true },
      "spec.allocateLoadBalancerNodePorts: Forbidden: may only be used when `type` is 'LoadBalancer'",
    ],
    [{ loadBalancerClass: "x" }, "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'"],
    [
      { externalTrafficPolicy: "Local" },
      'spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services',
    ],
    [
      { type: "NodePort", externalTrafficPolicy: "Zone" },
      'spec.externalTrafficPolicy: Unsupported value: "Zone": supported values: "Cluster", "Local"',
    ],
    [{ ...balancer, externalTrafficPolicy: "Local" }, "spec.healthCheckNodePort: Required value"],
    [
      { healthCheckNodePort: 30_000 },
      "spec.healthCheckNodePort: Invalid value: 30000: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
    ],
    [
      { internalTrafficPolicy: "Zone" },
      'spec.internalTrafficPolicy: Unsupported value: "Zone": supported values: "Cluster", "Local"',
    ],
    [
      { trafficDistribution: "Far" },
      'spec.trafficDistribution: Unsupported value: "Far": supported values: "PreferClose"',
    ],
    [
      { selector: { "bad key": "v" } },
      expect.stringMatching(/^spec\.selector: Invalid value: "bad key": name part must/) as unknown as string,
    ],
    [
      { ports: [{ port: 80, appProtocol: "a b" }] },
      expect.stringMatching(/^spec\.ports\[0\]\.appProtocol: Invalid value: "a b"/) as unknown as string,
    ],
  ])("%j", (spec, message) => expect(errorsOf(spec)).toEqual([message]));

  it("holds more than two addresses", () => {
    expect(errorsOf({ clusterIPs: ["10.0.0.5", "fd00::1", "10.0.0.6"] })).toEqual([
      'spec.clusterIPs: Invalid value: ["10.0.0.5","fd00::1","10.0.0.6"]: may only hold up to 2 values',
    ]);
  });

  it("holds addresses of other families than it says, and everything else that is wrong with them", () => {
    const clusterIPs = ["10.0.0.5", "fd00::1"];
    const shown = '["10.0.0.5","fd00::1"]';
    expect(errorsOf({ clusterIP: "", clusterIPs, ipFamilies: ["IPv6", "IPv4"] })).toEqual([
      `spec.clusterIPs: Invalid value: ${shown}: must be empty when \`clusterIP\` is not specified`,
      'spec.clusterIPs[0]: Invalid value: "10.0.0.5": expected an IPv6 value as indicated by `ipFamilies[0]`',
      'spec.clusterIPs[1]: Invalid value: "fd00::1": expected an IPv4 value as indicated by `ipFamilies[1]`',
    ]);
  });

  it("knows nearer distributions only with their gate", () => {
    const gateEnabled = (gate: string) => gate === "PreferSameTrafficDistribution";
    expect(errorsOf({ trafficDistribution: "PreferSameNode" }, { ...context, gateEnabled })).toEqual([]);
    expect(errorsOf({ trafficDistribution: "PreferSameNode" })).toHaveLength(1);
  });

  it("has topology annotations that disagree", () => {
    const object = made(
      {},
      { "service.kubernetes.io/topology-mode": "Auto", "service.kubernetes.io/topology-aware-hints": "x" },
    );
    expect(all(service.hooks!.validate!(object, context)).map(fieldErrorText)).toEqual([
      'metadata.annotations[service.kubernetes.io/topology-mode]: Invalid value: "Auto": must match annotations[service.kubernetes.io/topology-aware-hints] when both are specified',
    ]);
  });
});

describe("an update", () => {
  const dual = {
    clusterIPs: ["10.0.0.5", "fd00::5"],
    ipFamilies: ["IPv4", "IPv6"],
    ipFamilyPolicy: "RequireDualStack",
  };
  const errors = (before: object, now: object): string[] =>
    all(service.hooks!.validateUpdate!(made(now), made(before), context)).map(fieldErrorText);

  it.each<[string, object, object, string | undefined]>([
    ["changes nothing", {}, {}, undefined],
    [
      "changes the address",
      {},
      { clusterIP: "10.0.0.6", clusterIPs: ["10.0.0.6"] },
      'spec.clusterIPs[0]: Invalid value: ["10.0.0.6"]: may not change once set',
    ],
    [
      "makes it headless",
      {},
      { clusterIP: "None", clusterIPs: ["None"] },
      'spec.clusterIPs[0]: Invalid value: ["None"]: may not change once set',
    ],
    [
      "changes the second address",
      dual,
      { ...dual, clusterIPs: ["10.0.0.5", "fd00::6"] },
      'spec.clusterIPs[1]: Invalid value: ["10.0.0.5","fd00::6"]: may not change once set',
    ],
    ["adds a second one", {}, dual, undefined],
    ["drops the second one", dual, { ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" }, undefined],
    ["becomes ExternalName", {}, external, undefined],
    [
      "changes the class",
      { ...balancer, loadBalancerClass: "a" },
      { ...balancer, loadBalancerClass: "b" },
      'spec.loadBalancerClass: Invalid value: "b": may not change once set',
    ],
    [
      "adds a class later",
      balancer,
      { ...balancer, loadBalancerClass: "b" },
      'spec.loadBalancerClass: Invalid value: "b": may not change once set',
    ],
    [
      "removes the class",
      { ...balancer, loadBalancerClass: "a" },
      balancer,
      "spec.loadBalancerClass: Invalid value: null: may not change once set",
    ],
    [
      "changes the health check port",
      { ...balancer, externalTrafficPolicy: "Local", healthCheckNodePort: 30_001 },
      { ...balancer, externalTrafficPolicy: "Local", healthCheckNodePort: 30_002 },
      "spec.healthCheckNodePort: Forbidden: field is immutable",
    ],
  ])("that %s", (_name, before, now, message) =>
    expect(errors(before, now)).toEqual(message === undefined ? [] : [message]),
  );

  it("tells of the class first, and of node ports after the addresses", () => {
    const wrong = { loadBalancerClass: "B_d/", externalIPs: ["bad"], ports: [{ port: 80, nodePort: 30_001 }] };
    const fields = (found: string[]) => found.map((text) => text.slice(0, text.indexOf(":")));
    expect(fields(errors({}, wrong))).toEqual([
      "spec.loadBalancerClass",
      "spec.externalIPs[0]",
      "spec.ports[0].nodePort",
    ]);
    const both = errors({ ...balancer, loadBalancerClass: "a" }, { ...balancer, loadBalancerClass: "B_d/" });
    expect(both[0]).toBe('spec.loadBalancerClass: Invalid value: "B_d/": may not change once set');
    expect(both.length).toBeGreaterThan(1);
  });

  it("that gives up the second family without saying SingleStack is refused twice", () => {
    expect(errors(dual, { ipFamilies: ["IPv4"], ipFamilyPolicy: "PreferDualStack" })).toEqual([
      "spec.ipFamilyPolicy: Invalid value: \"PreferDualStack\": must be set to 'SingleStack' when releasing the secondary clusterIP",
      "spec.ipFamilyPolicy: Invalid value: \"PreferDualStack\": must be set to 'SingleStack' when releasing the secondary ipFamily",
    ]);
  });
});

describe("the status", () => {
  const { status } = service.subresources!;
  const errors = (spec: object, ingress: object[]): string[] => {
    const object = made(spec);
    object.status = { loadBalancer: { ingress } } as Service["status"];
    if (status?.type !== "object") throw new Error("no status");
    return all(status.validateUpdate!(object, made(spec), context)).map(fieldErrorText);
  };
  const at = "status.loadBalancer.ingress[0]";

  it.each<[object, string | undefined]>([
    [{ ip: "203.0.113.5", ipMode: "VIP" }, undefined],
    [{ ip: "203.0.113.5", ipMode: "Proxy" }, undefined],
    [{ hostname: "lb.example.com" }, undefined],
    [{ ip: "203.0.113.5" }, `${at}.ipMode: Required value: must be specified when \`ip\` is set`],
    [{ hostname: "a.b", ipMode: "VIP" }, `${at}.ipMode: Forbidden: may not be specified when \`ip\` is not set`],
    [
      { ip: "203.0.113.5", ipMode: "Other" },
      `${at}.ipMode: Unsupported value: "Other": supported values: "Proxy", "VIP"`,
    ],
    [
      { ip: "nope", ipMode: "VIP" },
      `${at}.ip: Invalid value: "nope": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)`,
    ],
    [
      { hostname: "203.0.113.5" },
      `${at}.hostname: Invalid value: "203.0.113.5": must be a DNS name, not an IP address`,
    ],
  ])("%j", (point, message) => expect(errors(balancer, [point])).toEqual(message === undefined ? [] : [message]));

  it("warns of old spellings", () => {
    const object = made(balancer);
    object.status = { loadBalancer: { ingress: [{ ip: "01.2.3.4", ipMode: "VIP" }] } } as Service["status"];
    if (status?.type !== "object") throw new Error("no status");
    expect(atOnce(whole(status.warn!(object, made(balancer), context)))).toEqual([
      'status.loadBalancer.ingress[0]: non-standard IP address "01.2.3.4" will be considered invalid in a future Kubernetes release: use "1.2.3.4"',
    ]);
  });

  it("has addresses on load balancers only", () => {
    expect(errors({}, [{ ip: "203.0.113.5", ipMode: "VIP" }])).toEqual([
      "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'",
    ]);
  });
});

describe("warnings", () => {
  it.each<[object, string[]]>([
    [{}, []],
    [
      { externalIPs: ["010.1.1.1"] },
      [
        'spec.externalIPs[0]: non-standard IP address "010.1.1.1" will be considered invalid in a future Kubernetes release: use "10.1.1.1"',
      ],
    ],
    [
      { externalIPs: ["2001:DB8::1"] },
      ['spec.externalIPs[0]: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")'],
    ],
    [
      { ...balancer, loadBalancerSourceRanges: ["10.0.0.1/8"] },
      [
        'spec.loadBalancerSourceRanges[0]: CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)',
      ],
    ],
    [
      {
        clusterIP: "None",
        clusterIPs: ["None"],
        externalIPs: ["203.0.113.7"],
        sessionAffinity: "ClientIP",
        loadBalancerIP: "203.0.113.8",
      },
      [
        "spec.loadBalancerIP is ignored for headless services",
        "spec.externalIPs is ignored for headless services",
        "spec.SessionAffinity is ignored for headless services",
      ],
    ],
    [{ clusterIP: "None", clusterIPs: ["None"], sessionAffinity: "None" }, []],
    [{ clusterIP: "None", clusterIPs: ["None"] }, []],
    [{ ...external, externalIPs: ["203.0.113.7"] }, ['spec.externalIPs is ignored when spec.type is "ExternalName"']],
    [{ externalName: "a.b" }, ['spec.externalName is ignored when spec.type is not "ExternalName"']],
  ])("%j", (spec, warnings) => expect(all(service.hooks!.warn!(made(spec), undefined, context))).toEqual(warnings));
});
