// The schema of EndpointSlice.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectReference } from "../core/object-reference.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type EndpointSlice = ObjectOf<typeof endpointSliceSchema>;

export const endpointSliceSchema = objectSchema(
  "discovery.v1.EndpointSlice",
  { doc: "A part of the addresses behind a service." },
  () => ({
    addressType: s.enumOf(["FQDN", "IPv4", "IPv6"], {
      alias: "AddressType",
      proto: 4,
      doc: "What the addresses are: IPv4, IPv6 or FQDN (deprecated). Cannot be changed after creation.",
    }),
    endpoints: s.list(endpoint, { proto: 2, listType: "atomic", doc: "The endpoints of this slice, at most 1000." }),
    ports: s.list(endpointPort, {
      proto: 3,
      required: false,
      listType: "atomic",
      doc: "Ports that every endpoint of the slice offers, at most 100. An entry without a number stands for all ports.",
    }),
  }),
);

export type Endpoint = ObjectOf<typeof endpoint>;

export const endpoint = s.struct("discovery.v1.Endpoint", { doc: "One backend of a service, usually a pod." }, () => ({
  addresses: s.list("string", {
    proto: 1,
    listType: "set",
    doc: "Addresses of the backend, all of the type of the slice. Up to 100 may be given; consumers may use only the first.",
  }),
  conditions: s.of(endpointConditions, { proto: 2, optional: true, doc: "Whether the backend can take traffic." }),
  hostname: s.string({
    proto: 3,
    optional: true,
    pointer: true,
    doc: "Host name of the backend, a single DNS label; backends that share one get a common DNS record.",
  }),
  targetRef: s.of(objectReference, {
    proto: 4,
    optional: true,
    pointer: true,
    doc: "The object behind the addresses, usually a pod.",
  }),
  deprecatedTopology: s.map("string", {
    proto: 5,
    optional: true,
    doc: "Topology labels of older versions. Read only: what clients write here is dropped. Use nodeName and zone.",
  }),
  nodeName: s.string({
    proto: 6,
    optional: true,
    pointer: true,
    doc: "Node on which the backend runs, for consumers that prefer backends of their own node.",
  }),
  zone: s.string({ proto: 7, optional: true, pointer: true, doc: "Zone in which the backend runs." }),
  hints: s.of(endpointHints, {
    proto: 8,
    optional: true,
    pointer: true,
    doc: "Who should use this backend, to keep traffic close. Consumers may ignore it.",
  }),
}));

export type EndpointConditions = ObjectOf<typeof endpointConditions>;

export const endpointConditions = s.struct(
  "discovery.v1.EndpointConditions",
  { doc: "In which state a backend is." },
  () => ({
    ready: s.boolean({
      proto: 1,
      optional: true,
      pointer: true,
      doc: "The backend should get new traffic; for pods that end it is false unless the service publishes all. Not set counts as true.",
    }),
    serving: s.boolean({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "The backend passes its readiness check, even while it ends. When not set, consumers take the value of ready.",
    }),
    terminating: s.boolean({
      proto: 3,
      optional: true,
      pointer: true,
      doc: "The backend is being shut down. When not set, it is not.",
    }),
  }),
);

export type EndpointHints = ObjectOf<typeof endpointHints>;

export const endpointHints = s.struct("discovery.v1.EndpointHints", { doc: "Who should use a backend." }, () => ({
  forZones: s.list(forZone, {
    proto: 1,
    optional: true,
    listType: "atomic",
    doc: "Zones whose consumers should use this backend, at most 8.",
  }),
  forNodes: s.list(forNode, {
    proto: 2,
    optional: true,
    listType: "atomic",
    doc: "Nodes whose consumers should use this backend, at most 8.",
  }),
}));

export type ForZone = ObjectOf<typeof forZone>;

export const forZone = s.struct(
  "discovery.v1.ForZone",
  { doc: "A zone whose consumers should use a backend." },
  () => ({
    name: s.string({ proto: 1, doc: "Name of the zone." }),
  }),
);

export type ForNode = ObjectOf<typeof forNode>;

export const forNode = s.struct(
  "discovery.v1.ForNode",
  { doc: "A node whose consumers should use a backend." },
  () => ({
    name: s.string({ proto: 1, doc: "Name of the node." }),
  }),
);

export type EndpointPort = ObjectOf<typeof endpointPort>;

export const endpointPort = s.struct(
  "discovery.v1.EndpointPort",
  { mapType: "atomic", doc: "A port that all endpoints of a slice offer." },
  () => ({
    name: s.string({
      proto: 1,
      optional: true,
      pointer: true,
      doc: "Name of the port, a DNS label that is unique in the slice; it equals that of the service port. Empty by default.",
    }),
    protocol: s.enumOf(["SCTP", "TCP", "UDP"], {
      alias: "Protocol",
      proto: 2,
      optional: true,
      pointer: true,
      doc: "TCP (the default), UDP or SCTP.",
    }),
    port: s.int32({
      proto: 3,
      optional: true,
      pointer: true,
      doc: "Number of the port. When not set, ports are not restricted, as far as the consumer supports that.",
    }),
    appProtocol: s.string({
      proto: 4,
      optional: true,
      pointer: true,
      doc: "Protocol spoken on the port: a name registered with IANA, or one prefixed with a domain. A hint only.",
    }),
  }),
);
