// The schema of Endpoints.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { objectReference } from "./object-reference.ts";

export type Endpoints = ObjectOf<typeof endpointsSchema>;

export const endpointsSchema = objectSchema(
  "core.v1.Endpoints",
  { doc: "The addresses behind a service; EndpointSlice has taken its place." },
  () => ({
    subsets: s.list(endpointSubset, {
      proto: 2,
      optional: true,
      listType: "atomic",
      doc: "Groups of addresses that serve the same ports. An address with some ports ready and some not stands in several.",
    }),
  }),
);

export type EndpointSubset = ObjectOf<typeof endpointSubset>;

export const endpointSubset = s.struct(
  "core.v1.EndpointSubset",
  { doc: "Addresses and the ports that all of them serve: every combination is an endpoint." },
  () => ({
    addresses: s.list(endpointAddress, {
      proto: 1,
      optional: true,
      listType: "atomic",
      doc: "Addresses that are ready; clients should use these.",
    }),
    notReadyAddresses: s.list(endpointAddress, {
      proto: 2,
      optional: true,
      listType: "atomic",
      doc: "Addresses that have not started yet or have failed a probe; clients should not use them.",
    }),
    ports: s.list(endpointPort, {
      proto: 3,
      optional: true,
      listType: "atomic",
      doc: "Ports that every one of the addresses offers.",
    }),
  }),
);

export type EndpointAddress = ObjectOf<typeof endpointAddress>;

export const endpointAddress = s.struct(
  "core.v1.EndpointAddress",
  { doc: "One address behind a service.", mapType: "atomic" },
  () => ({
    ip: s.string({ proto: 1, doc: "IPv4 or IPv6 address. Loopback, link-local and multicast addresses are refused." }),
    hostname: s.string({
      proto: 3,
      optional: true,
      doc: "Name of this endpoint in DNS, below the name of the service.",
    }),
    nodeName: s.string({ proto: 4, optional: true, pointer: true, doc: "Node on which the endpoint is." }),
    targetRef: s.of(objectReference, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "The object, usually a pod, that has this address.",
    }),
  }),
);

export type EndpointPort = ObjectOf<typeof endpointPort>;

export const endpointPort = s.struct(
  "core.v1.EndpointPort",
  { doc: "A port of the addresses of a subset.", mapType: "atomic" },
  () => ({
    name: s.string({
      proto: 1,
      optional: true,
      doc: "Name of the port, the same as in the service. May be left out when there is only one.",
    }),
    port: s.int32({ proto: 2, doc: "The port, from 1 to 65535." }),
    protocol: s.enumOf(["SCTP", "TCP", "UDP"], {
      alias: "Protocol",
      proto: 3,
      optional: true,
      doc: "`TCP`, `UDP` or `SCTP`. Not set, `TCP`.",
    }),
    appProtocol: s.string({
      proto: 4,
      optional: true,
      pointer: true,
      doc: "What is spoken on the port, such as `http`, as a hint for proxies. Names without a domain are those of IANA.",
    }),
  }),
);
