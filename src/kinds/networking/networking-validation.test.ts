// Every rule of Ingress, IngressClass, NetworkPolicy, IPAddress and ServiceCIDR.
// Requirements: document 3, "Ingress", "IngressClass", "Errors", "Limits".

import { describe, expect, it } from "vitest";
import { fieldErrorText } from "../../meta/field-error.ts";
import { completed, context } from "../complete.testing.ts";
import type { Kind } from "../define-kind.ts";
import { all } from "../validation.testing.ts";
import { ingress } from "./ingress.ts";
import { ingressClass } from "./ingress-class.ts";
import { ipAddress } from "./ip-address.ts";
import { canonicalIpProblems } from "./ip-fields.ts";
import { networkPolicy } from "./network-policy.ts";
import { serviceCIDR } from "./service-cidr.ts";

type Message = string | RegExp | undefined;

function made<T>(kind: Kind<T>, spec: object, annotations: Record<string, string> = {}): T {
  return completed(kind, { metadata: { name: "x", annotations }, spec } as unknown as Parameters<
    typeof completed<T>
  >[1]);
}

function check(found: readonly string[], message: Message): void {
  if (message === undefined) expect(found).toEqual([]);
  else expect(found).toEqual([message instanceof RegExp ? expect.stringMatching(message) : message]);
}

const errors = <T>(kind: Kind<T>, spec: object): string[] =>
  all(kind.hooks!.validate!(made(kind, spec), context)).map(fieldErrorText);
const updateErrors = <T>(kind: Kind<T>, spec: object, old: object): string[] =>
  all(kind.hooks!.validateUpdate!(made(kind, spec), made(kind, old), context)).map(fieldErrorText);

describe("Ingress", () => {
  const backend = (name = "web", port: object = { number: 80 }) => ({ service: { name, port } });
  const rule = (over: object) => ({
    rules: [
      { host: "a.example.com", http: { paths: [{ path: "/", pathType: "Prefix", backend: backend(), ...over }] } },
    ],
  });
  const hosts = (host: string) => ({ rules: [{ host }] });
  const at = "spec.rules[0].http.paths[0]";
  const wildcard = /^spec\.rules\[0\]\.host: Invalid value: ".*": a wildcard DNS-1123 subdomain/;
  const subdomain = /^spec\.rules\[0\]\.host: Invalid value: ".*": a lowercase RFC 1123 subdomain/;

  it.each<[string, object, Message]>([
    ["a default backend alone", { defaultBackend: backend() }, undefined],
    ["a host without paths", hosts("a.example.com"), undefined],
    ["a wildcard", hosts("*.example.com"), undefined],
    [
      "a resource",
      { defaultBackend: { resource: { apiGroup: "x.example.com", kind: "Bucket", name: "b" } } },
      undefined,
    ],
    ["a port name", { defaultBackend: backend("web", { name: "http" }) }, undefined],
    ["a pattern of the class", rule({ path: "/a//(.*)", pathType: "ImplementationSpecific" }), undefined],
    ["no path of the class", rule({ path: undefined, pathType: "ImplementationSpecific" }), undefined],
    ["nothing", {}, "spec: Invalid value: null: either `defaultBackend` or `rules` must be specified"],
    ["a lone star", hosts("*"), wildcard],
    ["a star in the middle", hosts("a.*.com"), wildcard],
    ["two stars", hosts("*.*.example.com"), wildcard],
    ["part of a label", hosts("a*.example.com"), wildcard],
    ["a final dot", hosts("a.example.com."), subdomain],
    ["a port", hosts("a.example.com:80"), subdomain],
    ["capitals", hosts("A.example.com"), subdomain],
    [
      "an address",
      hosts("10.1.2.3"),
      'spec.rules[0].host: Invalid value: "10.1.2.3": must be a DNS name, not an IP address',
    ],
    ["no paths", { rules: [{ http: { paths: [] } }] }, "spec.rules[0].http.paths: Required value"],
    ["no path type", rule({ pathType: undefined }), `${at}.pathType: Required value: pathType must be specified`],
    [
      "a path type",
      rule({ pathType: "Regex" }),
      `${at}.pathType: Unsupported value: "Regex": supported values: "Exact", "ImplementationSpecific", "Prefix"`,
    ],
    [
      "no exact path",
      rule({ path: undefined, pathType: "Exact" }),
      `${at}.path: Invalid value: "": must be an absolute path`,
    ],
    ["a relative path", rule({ path: "foo" }), `${at}.path: Invalid value: "foo": must be an absolute path`],
    ...["//", "/./", "/../", "%2f", "%2F"].map((part): [string, object, Message] => [
      part,
      rule({ path: `/a${part}b` }),
      `${at}.path: Invalid value: "/a${part}b": must not contain '${part}'`,
    ]),
    ...["/..", "/."].map((end): [string, object, Message] => [
      end,
      rule({ path: `/a${end}`, pathType: "Exact" }),
      `${at}.path: Invalid value: "/a${end}": cannot end with '${end}'`,
    ]),
    ["no backend", rule({ backend: {} }), `${at}.backend: Invalid value: "": resource or service backend is required`],
    [
      "two backends",
      { defaultBackend: { ...backend(), resource: { kind: "B", name: "b" } } },
      'spec.defaultBackend: Invalid value: "": cannot set both resource and service backends',
    ],
    ["no service name", { defaultBackend: backend("") }, "spec.defaultBackend.service.name: Required value"],
    ["a service name", { defaultBackend: backend("1a") }, /service\.name: Invalid value: "1a": a DNS-1035 label/],
    [
      "no port",
      { defaultBackend: backend("web", {}) },
      "spec.defaultBackend: Required value: port name or number is required",
    ],
    [
      "two ports",
      { defaultBackend: backend("web", { name: "http", number: 80 }) },
      'spec.defaultBackend: Invalid value: "": cannot set both port name & port number',
    ],
    [
      "a port number",
      { defaultBackend: backend("web", { number: 65_536 }) },
      "spec.defaultBackend.service.port.number: Invalid value: 65536: must be between 1 and 65535, inclusive",
    ],
    [
      "a port name",
      { defaultBackend: backend("web", { name: "a--b" }) },
      'spec.defaultBackend.service.port.name: Invalid value: "a--b": must not contain consecutive hyphens',
    ],
    [
      "a resource group",
      { defaultBackend: { resource: { apiGroup: "A_b", kind: "B", name: "b" } } },
      /resource\.apiGroup: Invalid value: "A_b"/,
    ],
    [
      "a resource name",
      { defaultBackend: { resource: { kind: "B", name: "a/b" } } },
      `spec.defaultBackend.resource.name: Invalid value: "a/b": may not contain '/'`,
    ],
    [
      "no resource kind",
      { defaultBackend: { resource: { kind: "", name: "b" } } },
      "spec.defaultBackend.resource.kind: Required value",
    ],
    [
      "a class",
      { defaultBackend: backend(), ingressClassName: "A b" },
      /^spec\.ingressClassName: Invalid value: "A b"/,
    ],
    [
      "a TLS host",
      { defaultBackend: backend(), tls: [{ hosts: ["A b"] }] },
      /^spec\.tls\[0\]\.hosts\[0\]: Invalid value: "A b"/,
    ],
    [
      "a TLS secret",
      { defaultBackend: backend(), tls: [{ secretName: "A_b" }] },
      /^spec\.tls\[0\]\.secretName: Invalid value: "A_b"/,
    ],
  ])("with %s", (_name, spec, message) => check(errors(ingress, spec), message));

  it("must not name two classes", () => {
    const object = made(
      ingress,
      { defaultBackend: backend(), ingressClassName: "a" },
      { "kubernetes.io/ingress.class": "b" },
    );
    expect(all(ingress.hooks!.validate!(object, context)).map(fieldErrorText)).toEqual([
      'annotations.kubernetes.io/ingress.class: Invalid value: "b": must match `ingressClassName` when both are specified',
    ]);
  });

  it("warns of the old annotation alone", () => {
    const annotations = { "kubernetes.io/ingress.class": "a" };
    expect(all(ingress.hooks!.warn!(made(ingress, {}, annotations), undefined, context))).toHaveLength(1);
    expect(
      all(ingress.hooks!.warn!(made(ingress, { ingressClassName: "a" }, annotations), undefined, context)),
    ).toEqual([]);
  });

  it("keeps faults that were stored once", () => {
    const old = { ...hosts("*.*.x"), tls: [{ secretName: "A_b" }] };
    expect(updateErrors(ingress, old, old)).toEqual([]);
    expect(updateErrors(ingress, old, { defaultBackend: backend() })).toHaveLength(2);
  });
});

describe("IngressClass", () => {
  const parameters = (over: object) => ({ controller: "example.com/c", parameters: { kind: "P", name: "p", ...over } });

  it.each<[string, object, Message]>([
    ["a controller", { controller: "example.com/c" }, undefined],
    ["250 characters", { controller: `example.com/${"a".repeat(238)}` }, undefined],
    [
      "251 characters",
      { controller: `example.com/${"a".repeat(239)}` },
      "spec.controller: Too long: may not be more than 250 bytes",
    ],
    ["no controller", {}, "spec.controller: Required value"],
    [
      "no path",
      { controller: "example.com" },
      'spec.controller: Invalid value: "example.com": must be a domain-prefixed path (such as "acme.io/foo")',
    ],
    ["a domain", { controller: "Bad/x" }, /^spec\.controller: Invalid value: "Bad": a lowercase RFC 1123 subdomain/],
    ["a path", { controller: "a.b/x y" }, /^spec\.controller: Invalid value: "x y": Invalid path/],
    ["parameters", parameters({}), undefined],
    ["parameters of a namespace", parameters({ scope: "Namespace", namespace: "n" }), undefined],
    [
      "no namespace",
      parameters({ scope: "Namespace" }),
      "spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'",
    ],
    [
      "a namespace",
      parameters({ namespace: "n" }),
      "spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'",
    ],
    [
      "a scope",
      parameters({ scope: "X" }),
      'spec.parameters.scope: Unsupported value: "X": supported values: "Cluster", "Namespace"',
    ],
    ["no kind", parameters({ kind: "" }), "spec.parameters.kind: Required value"],
    ["a name", parameters({ name: "a%b" }), `spec.parameters.name: Invalid value: "a%b": may not contain '%'`],
    ["a group", parameters({ apiGroup: "A b" }), /^spec\.parameters\.apiGroup: Invalid value: "A b"/],
  ])("with %s", (_name, spec, message) => check(errors(ingressClass, spec), message));

  it("keeps its controller", () => {
    expect(updateErrors(ingressClass, { controller: "a.b/c" }, { controller: "a.b/d" })).toEqual([
      'spec.controller: Invalid value: "a.b/c": field is immutable',
    ]);
  });
});

describe("NetworkPolicy", () => {
  const port = (over: object) => ({ ingress: [{ ports: [over] }] });
  const peer = (over: object) => ({ egress: [{ to: [over] }] });
  const at = "spec.ingress[0].ports[0]";

  it.each<[string, object, Message]>([
    ["nothing", {}, undefined],
    ["a range of ports", port({ port: 10, endPort: 20 }), undefined],
    ["a block", peer({ ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } }), undefined],
    [
      "a protocol",
      port({ protocol: "ICMP" }),
      `${at}.protocol: Unsupported value: "ICMP": supported values: "TCP", "UDP", "SCTP"`,
    ],
    ["a port", port({ port: 0 }), `${at}.port: Invalid value: 0: must be between 1 and 65535, inclusive`],
    ["a port name", port({ port: "80" }), /port: Invalid value: "80": must contain at least one letter/],
    [
      "an end before the port",
      port({ port: 10, endPort: 5 }),
      `${at}.endPort: Invalid value: 10: must be greater than or equal to \`port\``,
    ],
    [
      "an end without port",
      port({ endPort: 5 }),
      `${at}.endPort: Invalid value: 5: may not be specified when \`port\` is not specified`,
    ],
    [
      "an end after a name",
      port({ port: "web", endPort: 5 }),
      `${at}.endPort: Invalid value: 5: may not be specified when \`port\` is non-numeric`,
    ],
    ["no peer", peer({}), "spec.egress[0].to[0]: Required value: must specify a peer"],
    [
      "two peers",
      peer({ podSelector: {}, ipBlock: { cidr: "10.0.0.0/8" } }),
      "spec.egress[0].to[0]: Forbidden: may not specify both ipBlock and another peer",
    ],
    ["no network", peer({ ipBlock: { cidr: "" } }), "spec.egress[0].to[0].ipBlock.cidr: Required value"],
    ["a network", peer({ ipBlock: { cidr: "x" } }), /ipBlock\.cidr: Invalid value: "x": must be a valid CIDR value/],
    [
      "an exception outside",
      peer({ ipBlock: { cidr: "10.0.0.0/8", except: ["11.0.0.0/16"] } }),
      /except\[0\]: Invalid value: "11\.0\.0\.0\/16": must be a strict subset of `cidr`/,
    ],
    [
      "the whole as exception",
      peer({ ipBlock: { cidr: "10.0.0.0/8", except: ["10.0.0.0/8"] } }),
      /except\[0\]: .*must be a strict subset/,
    ],
    [
      "a policy type",
      { policyTypes: ["X"] },
      'spec.policyTypes[0]: Unsupported value: "X": supported values: "Ingress", "Egress"',
    ],
    [
      "three policy types",
      { policyTypes: ["Ingress", "Egress", "Ingress"] },
      /^spec\.policyTypes: Invalid value: .*may not specify more than two policyTypes/,
    ],
    [
      "a selector",
      { podSelector: { matchLabels: { "bad key": "x" } } },
      /^spec\.podSelector\.matchLabels: Invalid value: "bad key"/,
    ],
  ])("with %s", (_name, spec, message) => check(errors(networkPolicy, spec), message));
});

it("what is wrong with an update of a NetworkPolicy is said twice, as upstream does", () => {
  const wrong = 'spec.policyTypes[0]: Unsupported value: "X": supported values: "Ingress", "Egress"';
  expect(updateErrors(networkPolicy, { policyTypes: ["X"] }, {})).toEqual([wrong, wrong]);
});

describe("IPAddress", () => {
  const ref = (over: object) => ({ parentRef: { resource: "services", namespace: "a", name: "s", ...over } });

  it.each<[string, object, Message]>([
    ["a parent", ref({}), undefined],
    ["no parent", {}, "spec.parentRef: Required value"],
    ["no resource", ref({ resource: "" }), "spec.parentRef.resource: Required value"],
    ["no name", ref({ name: "" }), "spec.parentRef.name: Required value"],
    ["a group", ref({ group: "A b" }), /^spec\.parentRef\.group: Invalid value: "A b"/],
    ["a namespace", ref({ namespace: "a/b" }), `spec.parentRef.namespace: Invalid value: "a/b": may not contain '/'`],
  ])("with %s", (_name, spec, message) => check(errors(ipAddress, spec), message));

  it.each([
    ["10.0.0.1", undefined],
    ["fd00::1", undefined],
    ["FD00::1", 'must be in canonical form ("fd00::1")'],
    ["fd00:0::1", 'must be in canonical form ("fd00::1")'],
    ["010.0.0.1", "must not have leading 0s"],
    ["::ffff:1.2.3.4", "must not be an IPv4-mapped IPv6 address"],
    ["x", "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"],
    ["0".repeat(100_000), "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"],
  ])("named like case %#", (name, problem) =>
    expect(canonicalIpProblems(name)).toEqual(problem === undefined ? [] : [problem]),
  );

  it("keeps its parent", () => {
    expect(updateErrors(ipAddress, ref({ name: "t" }), ref({}))).toEqual([
      'spec.parentRef: Invalid value: {"Group":"","Resource":"services","Namespace":"a","Name":"t"}: field is immutable',
    ]);
  });
});

describe("ServiceCIDR", () => {
  const families = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";

  it.each<[readonly string[], Message]>([
    [["10.0.0.0/24"], undefined],
    [["10.0.0.0/24", "fd00::/64"], undefined],
    [[], "spec.cidrs: Required value: at least one CIDR required"],
    [["10.0.0.0/24", "10.1.0.0/24"], `spec.cidrs: Invalid value: ["10.0.0.0/24","10.1.0.0/24"]: ${families}`],
    [["a", "b", "c"], 'spec.cidrs: Invalid value: {"CIDRs":["a","b","c"]}: may only hold up to 2 values'],
    [["x"], 'spec.cidrs[0]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'],
    [["10.0.0.1/24"], 'spec.cidrs[0]: Invalid value: "10.0.0.1/24": must not have bits set beyond the prefix length'],
    [["010.0.0.0/24"], 'spec.cidrs[0]: Invalid value: "010.0.0.0/24": must not have leading 0s in IP or prefix length'],
    [["FD00::/64"], 'spec.cidrs[0]: Invalid value: "FD00::/64": must be in canonical form ("fd00::/64")'],
  ])("%j", (cidrs, message) => check(errors(serviceCIDR, { cidrs }), message));

  it("has one range of a family, however it is written", () => {
    expect(errors(serviceCIDR, { cidrs: ["10.0.0.1/24", "10.0.0.0/24"] })).toEqual([
      'spec.cidrs[0]: Invalid value: "10.0.0.1/24": must not have bits set beyond the prefix length',
      `spec.cidrs: Invalid value: ["10.0.0.1/24","10.0.0.0/24"]: ${families}`,
    ]);
    expect(errors(serviceCIDR, { cidrs: ["x", "y"] })).toHaveLength(2);
  });

  it("may get a second family, and changes in no other way", () => {
    const update = (now: string[], old: string[]) => updateErrors(serviceCIDR, { cidrs: now }, { cidrs: old });
    expect(update(["10.0.0.0/24", "fd00::/64"], ["10.0.0.0/24"])).toEqual([]);
    expect(update(["10.1.0.0/24", "fd00::/64"], ["10.0.0.0/24"])).toEqual([
      'spec.cidrs[0]: Invalid value: "10.1.0.0/24": field is immutable',
    ]);
    expect(update(["10.1.0.0/24"], ["10.0.0.0/24"])).toEqual([
      'spec.cidrs[0]: Invalid value: "10.1.0.0/24": field is immutable',
    ]);
    expect(update(["10.0.0.0/24"], ["10.0.0.0/24", "fd00::/64"])).toEqual([
      'spec.cidrs: Invalid value: ["10.0.0.0/24"]: field is immutable',
    ]);
  });
});
