// The schema of Endpoints.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { objectReference } from "./object-reference.ts";

export type Endpoints = ObjectOf<typeof endpointsSchema>;

export const endpointsSchema = objectSchema(
  "core.v1.Endpoints",
  { doc: "The addresses behind a service; EndpointSlice has taken its place." },
  () => ({
    subsets: s.list(endpointSubset, { proto: 2, optional: true, listType: "atomic" }),
  }),
);

export type EndpointSubset = ObjectOf<typeof endpointSubset>;

export const endpointSubset = s.struct("core.v1.EndpointSubset", () => ({
  addresses: s.list(endpointAddress, { proto: 1, optional: true, listType: "atomic" }),
  notReadyAddresses: s.list(endpointAddress, { proto: 2, optional: true, listType: "atomic" }),
  ports: s.list(endpointPort, { proto: 3, optional: true, listType: "atomic" }),
}));

export type EndpointAddress = ObjectOf<typeof endpointAddress>;

export const endpointAddress = s.struct("core.v1.EndpointAddress", { mapType: "atomic" }, () => ({
  ip: s.string({ proto: 1 }),
  hostname: s.string({ proto: 3, optional: true }),
  nodeName: s.string({ proto: 4, optional: true, pointer: true }),
  targetRef: s.of(objectReference, { proto: 2, optional: true, pointer: true }),
}));

export type EndpointPort = ObjectOf<typeof endpointPort>;

export const endpointPort = s.struct("core.v1.EndpointPort", { mapType: "atomic" }, () => ({
  name: s.string({ proto: 1, optional: true }),
  port: s.int32({ proto: 2 }),
  protocol: s.enumOf(["SCTP", "TCP", "UDP"], { alias: "Protocol", proto: 3, optional: true }),
  appProtocol: s.string({ proto: 4, optional: true, pointer: true }),
}));
