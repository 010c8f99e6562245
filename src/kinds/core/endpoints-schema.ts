// The schema of Endpoints.

import { type ObjectOf, opt, ptr, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { objectReference } from "./object-reference.ts";

export type Endpoints = ObjectOf<typeof endpointsSchema>;

export const endpointsSchema = objectSchema(
  "core.v1.Endpoints",
  "The addresses behind a service; EndpointSlice has taken its place.",
  () => ({
    subsets: opt.atomic(
      endpointSubset,
      2,
      "Groups of addresses that serve the same ports. An address with some ports ready and some not stands in several.",
    ),
  }),
);

export type EndpointSubset = ObjectOf<typeof endpointSubset>;

const endpointSubset = s.struct(
  "core.v1.EndpointSubset",
  "Addresses and the ports that all of them serve: every combination is an endpoint.",
  () => ({
    addresses: opt.atomic(endpointAddress, 1, "Addresses that are ready; clients should use these."),
    notReadyAddresses: opt.atomic(
      endpointAddress,
      2,
      "Addresses that have not started yet or have failed a probe; clients should not use them.",
    ),
    ports: opt.atomic(endpointPort, 3, "Ports that every one of the addresses offers."),
  }),
);

export type EndpointAddress = ObjectOf<typeof endpointAddress>;

const endpointAddress = s.struct(
  "core.v1.EndpointAddress",
  "One address behind a service.",
  { mapType: "atomic" },
  () => ({
    ip: s.string(1, "IPv4 or IPv6 address. Loopback, link-local and multicast addresses are refused."),
    hostname: opt.string(3, "Name of this endpoint in DNS, below the name of the service."),
    nodeName: ptr.string(4, "Node on which the endpoint is."),
    targetRef: ptr.of(objectReference, 2, "The object, usually a pod, that has this address."),
  }),
);

export type EndpointPort = ObjectOf<typeof endpointPort>;

const endpointPort = s.struct(
  "core.v1.EndpointPort",
  "A port of the addresses of a subset.",
  { mapType: "atomic" },
  () => ({
    name: opt.string(1, "Name of the port, the same as in the service. May be left out when there is only one."),
    port: s.int32(2, "The port, from 1 to 65535."),
    protocol: opt.enumOf("Protocol", ["SCTP", "TCP", "UDP"], 3, "`TCP`, `UDP` or `SCTP`. Not set, `TCP`."),
    appProtocol: ptr.string(
      4,
      "What is spoken on the port, such as `http`, as a hint for proxies. Names without a domain are those of IANA.",
    ),
  }),
);
