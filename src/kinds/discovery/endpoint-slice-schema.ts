// The schema of EndpointSlice.

import { dns1123LabelProblems, dns1123SubdomainProblems, qualifiedNameProblems } from "../../meta/name-formats.ts";
import { type ObjectOf, opt, ptr, s, shown } from "../../schema/builder.ts";
import { objectReference } from "../core/object-reference.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type EndpointSlice = ObjectOf<typeof endpointSliceSchema>;

export const endpointSliceSchema = objectSchema(
  "discovery.v1.EndpointSlice",
  "A part of the addresses behind a service.",
  () => ({
    addressType: s.enumOf(
      "AddressType",
      ["FQDN", "IPv4", "IPv6"],
      4,
      "What the addresses are: IPv4, IPv6 or FQDN (deprecated). Cannot be changed after creation.",
      { must: { filled: true, listed: true } },
    ),
    endpoints: s.atomic(endpoint, 2, "The endpoints of this slice, at most 1000."),
    ports: shown.atomic(
      endpointPort,
      3,
      "Ports that every endpoint of the slice offers, at most 100. An entry without a number stands for all ports.",
    ),
  }),
);

export type Endpoint = ObjectOf<typeof endpoint>;

export const endpoint = s.struct("discovery.v1.Endpoint", "One backend of a service, usually a pod.", () => ({
  addresses: s.set(
    "string",
    1,
    "Addresses of the backend, all of the type of the slice. Up to 100 may be given; consumers may use only the first.",
  ),
  conditions: opt.of(endpointConditions, 2, "Whether the backend can take traffic."),
  hostname: ptr.string(
    3,
    "Host name of the backend, a single DNS label; backends that share one get a common DNS record.",
    { must: { strict: true, form: dns1123LabelProblems } },
  ),
  targetRef: ptr.of(objectReference, 4, "The object behind the addresses, usually a pod."),
  deprecatedTopology: opt.map(
    "string",
    5,
    "Topology labels of older versions. Read only: what clients write here is dropped. Use nodeName and zone.",
  ),
  nodeName: ptr.string(6, "Node on which the backend runs, for consumers that prefer backends of their own node.", {
    must: { strict: true, form: dns1123SubdomainProblems },
  }),
  zone: ptr.string(7, "Zone in which the backend runs."),
  hints: ptr.of(endpointHints, 8, "Who should use this backend, to keep traffic close. Consumers may ignore it."),
}));

const endpointConditions = s.struct("discovery.v1.EndpointConditions", "In which state a backend is.", () => ({
  ready: ptr.boolean(
    1,
    "The backend should get new traffic; for pods that end it is false unless the service publishes all. Not set counts as true.",
  ),
  serving: ptr.boolean(
    2,
    "The backend passes its readiness check, even while it ends. When not set, consumers take the value of ready.",
  ),
  terminating: ptr.boolean(3, "The backend is being shut down. When not set, it is not."),
}));

const endpointHints = s.struct("discovery.v1.EndpointHints", "Who should use a backend.", () => ({
  forZones: opt.atomic(forZone, 1, "Zones whose consumers should use this backend, at most 8."),
  forNodes: opt.atomic(forNode, 2, "Nodes whose consumers should use this backend, at most 8."),
}));

const forZone = s.struct("discovery.v1.ForZone", "A zone whose consumers should use a backend.", () => ({
  name: s.string(1, "Name of the zone."),
}));

const forNode = s.struct("discovery.v1.ForNode", "A node whose consumers should use a backend.", () => ({
  name: s.string(1, "Name of the node."),
}));

export type EndpointPort = ObjectOf<typeof endpointPort>;

export const endpointPort = s.struct(
  "discovery.v1.EndpointPort",
  "A port that all endpoints of a slice offer.",
  { mapType: "atomic" },
  () => ({
    name: ptr.string(
      1,
      "Name of the port, a DNS label that is unique in the slice; it equals that of the service port. Empty by default.",
    ),
    protocol: ptr.enumOf("Protocol", ["SCTP", "TCP", "UDP"], 2, "TCP (the default), UDP or SCTP."),
    port: ptr.int32(
      3,
      "Number of the port. When not set, ports are not restricted, as far as the consumer supports that.",
    ),
    appProtocol: ptr.string(
      4,
      "Protocol spoken on the port: a name registered with IANA, or one prefixed with a domain. A hint only.",
      { must: { strict: true, form: qualifiedNameProblems } },
    ),
  }),
);
