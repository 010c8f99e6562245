// Every rule and limit of Endpoints and EndpointSlice. Requirements: document 3, "Endpoints", "EndpointSlice", "Limits".

import { describe, expect, it } from "vitest";
import { fieldErrorText } from "../../meta/field-error.ts";
import { completed, context, created } from "../complete.testing.ts";
import { type Endpoints, endpoints } from "../core/endpoints.ts";
import type { Draft } from "../define-kind.ts";
import { all } from "../validation.testing.ts";
import { type EndpointSlice, endpointSlice } from "./endpoint-slice.ts";

const NOT_AN_IP = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
const LOOPBACK = "may not be in the loopback range (127.0.0.0/8, ::1/128)";
const LINK_LOCAL = "may not be in the link-local range (169.254.0.0/16, fe80::/10)";
const MULTICAST = "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)";
const FORBIDDEN: [string, string][] = [
  ["127.0.0.1", LOOPBACK],
  ["127.9.9.9", LOOPBACK],
  ["::1", LOOPBACK],
  ["169.254.169.254", LINK_LOCAL],
  ["fe80::9", LINK_LOCAL],
  ["224.0.0.9", MULTICAST],
  ["ff02::1", MULTICAST],
  ["0.0.0.0", "may not be unspecified (0.0.0.0)"],
];

describe("Endpoints", () => {
  const made = (subsets: object[]): Endpoints =>
    completed(endpoints, { metadata: { name: "e" }, subsets } as Draft<Endpoints>);
  const errors = (subset: object) => all(endpoints.hooks!.validate!(made([subset]), context)).map(fieldErrorText);
  const one = (address: object, port: object = { port: 80 }) => ({ addresses: [address], ports: [port] });
  const at = "subsets[0]";

  it.each(FORBIDDEN)("refuse %s", (ip, why) => {
    expect(errors(one({ ip }))).toEqual([`${at}.addresses[0].ip: Invalid value: "${ip}": ${why}`]);
    expect(errors({ notReadyAddresses: [{ ip }] })).toEqual([
      `${at}.notReadyAddresses[0].ip: Invalid value: "${ip}": ${why}`,
    ]);
  });

  it.each<[string, object, string | RegExp | undefined]>([
    ["are taken with IPv6", one({ ip: "2001:db8::5" }), undefined],
    ["are taken with addresses that are not ready alone", { notReadyAddresses: [{ ip: "10.1.1.1" }] }, undefined],
    [
      "need an address",
      { ports: [{ port: 80 }] },
      `${at}: Required value: must specify \`addresses\` or \`notReadyAddresses\``,
    ],
    [
      "have host names",
      one({ ip: "10.1.1.1", hostname: "A" }),
      /addresses\[0\]\.hostname: Invalid value: "A": a lowercase RFC 1123 label/,
    ],
    [
      "have node names",
      one({ ip: "10.1.1.1", nodeName: "x y" }),
      /addresses\[0\]\.nodeName: Invalid value: "x y": a lowercase RFC 1123 subdomain/,
    ],
    [
      "need a port number",
      one({ ip: "10.1.1.1" }, { name: "x" }),
      `${at}.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive`,
    ],
    [
      "have ports in range",
      one({ ip: "10.1.1.1" }, { port: 65_536 }),
      `${at}.ports[0].port: Invalid value: 65536: must be between 1 and 65535, inclusive`,
    ],
    [
      "have known protocols",
      one({ ip: "10.1.1.1" }, { port: 1, protocol: "X" }),
      `${at}.ports[0].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"`,
    ],
    [
      "have qualified app protocols",
      one({ ip: "10.1.1.1" }, { port: 1, appProtocol: "a b" }),
      /appProtocol: Invalid value: "a b": name part/,
    ],
  ])("%s", (_name, subset, message) => {
    const found = errors(subset);
    if (message === undefined) expect(found).toEqual([]);
    else expect(found).toEqual([message instanceof RegExp ? expect.stringMatching(message) : message]);
  });

  it("need names for several ports, and an address that is one", () => {
    expect(errors({ addresses: [{ ip: "10.1.1.1" }], ports: [{ port: 1 }, { port: 2 }] })).toEqual([
      `${at}.ports[0].name: Required value`,
      `${at}.ports[1].name: Required value`,
    ]);
    expect(errors(one({ ip: "bogus" }))).toEqual([
      `${at}.addresses[0].ip: Invalid value: "bogus": ${NOT_AN_IP}`,
      `${at}.addresses[0].ip: Invalid value: "bogus": must be a valid IP address`,
    ]);
  });

  it("are not judged again while their subsets stay", () => {
    const old = made([one({ ip: "127.0.0.1" })]);
    expect(all(endpoints.hooks!.validateUpdate!(made([one({ ip: "127.0.0.1" })]), old, context))).toEqual([]);
    expect(all(endpoints.hooks!.validateUpdate!(made([one({ ip: "127.0.0.2" })]), old, context))).toHaveLength(1);
  });
});

describe("EndpointSlice", () => {
  const slice = (over: object): EndpointSlice =>
    completed(endpointSlice, {
      metadata: { name: "e", generation: 1 },
      addressType: "IPv4",
      endpoints: [{ addresses: ["10.1.2.3"] }],
      ports: [{ name: "http", port: 80 }],
      ...over,
    });
  const errors = (over: object) => all(endpointSlice.hooks!.validate!(slice(over), context)).map(fieldErrorText);
  const many = <T>(count: number, make: (index: number) => T): T[] =>
    Array.from({ length: count }, (_, index) => make(index));
  const ip = (index: number) => `10.20.${index >> 8}.${index & 255}`;
  const endpoint = (over: object) => ({ endpoints: [{ addresses: ["10.1.2.3"], ...over }] });

  it.each<[string, object]>([
    ["1000 endpoints", { endpoints: many(1000, (index) => ({ addresses: [ip(index)] })) }],
    ["100 addresses", { endpoints: [{ addresses: many(100, ip) }] }],
    ["100 ports", { ports: many(100, (index) => ({ name: `p${index}`, port: index + 1 })) }],
    ["8 hints", endpoint({ hints: { forZones: many(8, (index) => ({ name: `z${index}` })) } })],
    ["IPv6", { addressType: "IPv6", endpoints: [{ addresses: ["2001:db8::1"] }] }],
    ["names", { addressType: "FQDN", endpoints: [{ addresses: ["w.example.com"] }] }],
    ["an old spelling", { endpoints: [{ addresses: ["010.0.0.1"] }] }],
    ["no endpoints", { endpoints: [] }],
    ["a port without a name and a number", { ports: [{}] }],
  ])("takes %s", (_name, over) => expect(errors(over)).toEqual([]));

  it.each<[string, object, string]>([
    ["addressType", { addressType: "" }, "addressType: Required value"],
    [
      "addressType",
      { addressType: "X" },
      'addressType: Unsupported value: "X": supported values: "FQDN", "IPv4", "IPv6"',
    ],
    [
      "1001 endpoints",
      { endpoints: many(1001, (index) => ({ addresses: [ip(index)] })) },
      "endpoints: Too many: 1001: must have at most 1000 items",
    ],
    ["no address", { endpoints: [{}] }, "endpoints[0].addresses: Required value: must contain at least 1 address"],
    [
      "101 addresses",
      { endpoints: [{ addresses: many(101, ip) }] },
      "endpoints[0].addresses: Too many: 101: must have at most 100 items",
    ],
    ["no IP", { endpoints: [{ addresses: ["x"] }] }, `endpoints[0].addresses[0]: Invalid value: "x": ${NOT_AN_IP}`],
    [
      "IPv6 among IPv4",
      { endpoints: [{ addresses: ["2001:db8::1"] }] },
      'endpoints[0].addresses: Invalid value: "2001:db8::1": must be an IPv4 address',
    ],
    [
      "another spelling of IPv6",
      { addressType: "IPv6", endpoints: [{ addresses: ["2001:0db8::1"] }] },
      'endpoints[0].addresses[0]: Invalid value: "2001:0db8::1": must be in canonical form ("2001:db8::1")',
    ],
    [
      "a short name",
      { addressType: "FQDN", endpoints: [{ addresses: ["host"] }] },
      'endpoints[0].addresses[0]: Invalid value: "host": should be a domain with at least two segments separated by dots',
    ],
    [
      "101 ports",
      { ports: many(101, (index) => ({ name: `p${index}` })) },
      "ports: Too many: 101: must have at most 100 items",
    ],
    ["a port name twice", { ports: [{ name: "a" }, { name: "a" }] }, 'ports[1].name: Duplicate value: "a"'],
    [
      "a long port name",
      { ports: [{ name: "a".repeat(64) }] },
      `ports[0].name: Invalid value: "${"a".repeat(64)}": must be no more than 63 characters`,
    ],
    [
      "a protocol",
      { ports: [{ protocol: "X" }] },
      'ports[0].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"',
    ],
    [
      "9 zones",
      endpoint({ hints: { forZones: many(9, (index) => ({ name: `z${index}` })) } }),
      "endpoints[0].hints.forZones: Too many: 9: must have at most 8 items",
    ],
    [
      "9 nodes",
      endpoint({ hints: { forNodes: many(9, (index) => ({ name: `n${index}` })) } }),
      "endpoints[0].hints.forNodes: Too many: 9: must have at most 8 items",
    ],
    [
      "a zone twice",
      endpoint({ hints: { forZones: [{ name: "a" }, { name: "a" }] } }),
      'endpoints[0].hints.forZones[1].name: Duplicate value: "a"',
    ],
    [
      "a host name with dots",
      endpoint({ hostname: "a.b" }),
      'endpoints[0].hostname: Invalid value: "a.b": must not contain dots',
    ],
  ])("refuses %s", (_name, over, message) => expect(errors(over)).toEqual([message]));

  it.each(FORBIDDEN.filter(([text]) => !text.includes(":")))("refuses %s", (text, why) => {
    expect(errors({ endpoints: [{ addresses: [text] }] })).toEqual([
      `endpoints[0].addresses[0]: Invalid value: "${text}": ${why}`,
    ]);
  });

  it("has every address of an endpoint once", () => {
    expect(errors({ endpoints: [{ addresses: ["10.0.0.1", "10.0.0.1"] }] })).toEqual([
      'endpoints[0].addresses[1]: Duplicate value: "10.0.0.1"',
    ]);
  });

  it("keeps its type of addresses", () => {
    const { validateUpdate } = endpointSlice.hooks!;
    const changed = slice({ addressType: "IPv6", endpoints: [] });
    expect(all(validateUpdate!(changed, slice({}), context)).map(fieldErrorText)).toEqual([
      'addressType: Invalid value: "IPv6": field is immutable',
    ]);
    const unknown = slice({ addressType: "IPv5", endpoints: [] });
    expect(all(validateUpdate!(unknown, slice({}), context)).map(fieldErrorText)).toEqual([
      'addressType: Unsupported value: "IPv5": supported values: "FQDN", "IPv4", "IPv6"',
      'addressType: Invalid value: "IPv5": field is immutable',
    ]);
  });

  it("ignores what is written to deprecatedTopology, and node hints while their gate is off", () => {
    const written = endpoint({
      deprecatedTopology: { a: "b" },
      hints: { forNodes: [{ name: "n" }], forZones: [{ name: "z" }] },
    });
    const draft = { metadata: { name: "e" }, addressType: "IPv4" as const, ...written };
    expect(created(endpointSlice, draft).endpoints).toMatchObject([{ hints: { forZones: [{ name: "z" }] } }]);
    expect(created(endpointSlice, draft).endpoints?.[0]).not.toHaveProperty("deprecatedTopology");
    expect(created(endpointSlice, draft).endpoints?.[0]?.hints).not.toHaveProperty("forNodes");
    const next = slice(written);
    endpointSlice.hooks!.prepareForUpdate!(next, slice({}), context);
    expect(next.endpoints?.[0]).not.toHaveProperty("deprecatedTopology");
  });

  it("warns of names and old spellings", () => {
    const warnings = (over: object) => all(endpointSlice.hooks!.warn!(slice(over), undefined, context));
    expect(warnings({ addressType: "FQDN", endpoints: [] })).toEqual([
      "spec.addressType: FQDN endpoints are deprecated",
    ]);
    expect(warnings({ endpoints: [{ addresses: ["010.0.0.1"] }] })).toHaveLength(1);
  });
});
