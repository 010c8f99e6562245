// The schema of EndpointSlice.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectReference } from "../core/object-reference.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type EndpointSlice = ObjectOf<typeof endpointSliceSchema>;

export const endpointSliceSchema = objectSchema(
  "discovery.v1.EndpointSlice",
  { doc: "A part of the addresses behind a service." },
  () => ({
    addressType: s.enumOf(["FQDN", "IPv4", "IPv6"], { alias: "AddressType", proto: 4 }),
    endpoints: s.list(endpoint, { proto: 2, listType: "atomic" }),
    ports: s.list(endpointPort, { proto: 3, required: false, listType: "atomic" }),
  }),
);

export type Endpoint = ObjectOf<typeof endpoint>;

export const endpoint = s.struct("discovery.v1.Endpoint", () => ({
  addresses: s.list("string", { proto: 1, listType: "set" }),
  conditions: s.of(endpointConditions, { proto: 2, optional: true }),
  hostname: s.string({ proto: 3, optional: true, pointer: true }),
  targetRef: s.of(objectReference, { proto: 4, optional: true, pointer: true }),
  deprecatedTopology: s.map("string", { proto: 5, optional: true }),
  nodeName: s.string({ proto: 6, optional: true, pointer: true }),
  zone: s.string({ proto: 7, optional: true, pointer: true }),
  hints: s.of(endpointHints, { proto: 8, optional: true, pointer: true }),
}));

export type EndpointConditions = ObjectOf<typeof endpointConditions>;

export const endpointConditions = s.struct("discovery.v1.EndpointConditions", () => ({
  ready: s.boolean({ proto: 1, optional: true, pointer: true }),
  serving: s.boolean({ proto: 2, optional: true, pointer: true }),
  terminating: s.boolean({ proto: 3, optional: true, pointer: true }),
}));

export type EndpointHints = ObjectOf<typeof endpointHints>;

export const endpointHints = s.struct("discovery.v1.EndpointHints", () => ({
  forZones: s.list(forZone, { proto: 1, optional: true, listType: "atomic" }),
  forNodes: s.list(forNode, { proto: 2, optional: true, listType: "atomic" }),
}));

export type ForZone = ObjectOf<typeof forZone>;

export const forZone = s.struct("discovery.v1.ForZone", () => ({
  name: s.string({ proto: 1 }),
}));

export type ForNode = ObjectOf<typeof forNode>;

export const forNode = s.struct("discovery.v1.ForNode", () => ({
  name: s.string({ proto: 1 }),
}));

export type EndpointPort = ObjectOf<typeof endpointPort>;

export const endpointPort = s.struct("discovery.v1.EndpointPort", { mapType: "atomic" }, () => ({
  name: s.string({ proto: 1, optional: true, pointer: true }),
  protocol: s.enumOf(["SCTP", "TCP", "UDP"], { alias: "Protocol", proto: 2, optional: true, pointer: true }),
  port: s.int32({ proto: 3, optional: true, pointer: true }),
  appProtocol: s.string({ proto: 4, optional: true, pointer: true }),
}));
