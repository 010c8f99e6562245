// The bodies of discovery.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { typeMeta } from "./object-meta.ts";

export type APIGroup = ObjectOf<typeof apiGroup>;

export const apiGroup = s.struct("meta.v1.APIGroup", () => ({
  typeMeta: s.inline(typeMeta),
  name: s.string({ proto: 1 }),
  versions: s.list(groupVersionForDiscovery, { proto: 2, listType: "atomic" }),
  preferredVersion: s.of(groupVersionForDiscovery, { proto: 3, optional: true }),
  serverAddressByClientCIDRs: s.list(serverAddressByClientCIDR, { proto: 4, optional: true, listType: "atomic" }),
}));

export type APIGroupList = ObjectOf<typeof apiGroupList>;

export const apiGroupList = s.struct("meta.v1.APIGroupList", () => ({
  typeMeta: s.inline(typeMeta),
  groups: s.list(apiGroup, { proto: 1, listType: "atomic" }),
}));

export type APIResource = ObjectOf<typeof apiResource>;

export const apiResource = s.struct("meta.v1.APIResource", () => ({
  name: s.string({ proto: 1 }),
  singularName: s.string({ proto: 6 }),
  namespaced: s.boolean({ proto: 2 }),
  group: s.string({ proto: 8, optional: true }),
  version: s.string({ proto: 9, optional: true }),
  kind: s.string({ proto: 3 }),
  verbs: s.typed(verbs, { proto: 4 }),
  shortNames: s.list("string", { proto: 5, optional: true, listType: "atomic" }),
  categories: s.list("string", { proto: 7, optional: true, listType: "atomic" }),
  storageVersionHash: s.string({ proto: 10, optional: true }),
}));

export type APIResourceList = ObjectOf<typeof apiResourceList>;

export const apiResourceList = s.struct("meta.v1.APIResourceList", () => ({
  typeMeta: s.inline(typeMeta),
  groupVersion: s.string({ proto: 1 }),
  resources: s.list(apiResource, { proto: 2, listType: "atomic" }),
}));

export type APIVersions = ObjectOf<typeof apiVersions>;

export const apiVersions = s.struct("meta.v1.APIVersions", () => ({
  typeMeta: s.inline(typeMeta),
  versions: s.list("string", { proto: 1, listType: "atomic" }),
  serverAddressByClientCIDRs: s.list(serverAddressByClientCIDR, { proto: 2, listType: "atomic" }),
}));

export type GroupVersionForDiscovery = ObjectOf<typeof groupVersionForDiscovery>;

export const groupVersionForDiscovery = s.struct("meta.v1.GroupVersionForDiscovery", () => ({
  groupVersion: s.string({ proto: 1 }),
  version: s.string({ proto: 2 }),
}));

export type ServerAddressByClientCIDR = ObjectOf<typeof serverAddressByClientCIDR>;

export const serverAddressByClientCIDR = s.struct("meta.v1.ServerAddressByClientCIDR", () => ({
  clientCIDR: s.string({ proto: 1 }),
  serverAddress: s.string({ proto: 2 }),
}));

export const verbs = s.listOf("string", { protoWrapper: "Verbs" });
