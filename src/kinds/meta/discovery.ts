// The bodies of discovery.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { typeMeta } from "./object-meta.ts";

export type APIGroup = ObjectOf<typeof apiGroup>;

export const apiGroup = s.struct(
  "meta.v1.APIGroup",
  { doc: "An API group and the versions in which it is served." },
  () => ({
    typeMeta: s.inline(typeMeta),
    name: s.string({ proto: 1, doc: "The name of the group; empty for the core group." }),
    versions: s.list(groupVersionForDiscovery, {
      proto: 2,
      listType: "atomic",
      doc: "All served versions of the group.",
    }),
    preferredVersion: s.of(groupVersionForDiscovery, {
      proto: 3,
      optional: true,
      doc: "The version to use by a client that has no preference of its own.",
    }),
    serverAddressByClientCIDRs: s.list(serverAddressByClientCIDR, {
      proto: 4,
      optional: true,
      listType: "atomic",
      doc: "Where clients of certain networks find the server; usually empty, use the address already known.",
    }),
  }),
);

export type APIGroupList = ObjectOf<typeof apiGroupList>;

export const apiGroupList = s.struct(
  "meta.v1.APIGroupList",
  { doc: "All API groups that the server has, without the core group." },
  () => ({
    typeMeta: s.inline(typeMeta),
    groups: s.list(apiGroup, { proto: 1, listType: "atomic", doc: "The groups, in order of their priority." }),
  }),
);

export type APIResource = ObjectOf<typeof apiResource>;

export const apiResource = s.struct(
  "meta.v1.APIResource",
  { doc: "One resource of a group version: its names, its kind and what may be done with it." },
  () => ({
    name: s.string({
      proto: 1,
      doc: "The plural word used in paths; of a sub-resource, parent and name with a slash between.",
    }),
    singularName: s.string({
      proto: 6,
      doc: "The word for a single object, which command lines accept too; empty for sub-resources.",
    }),
    namespaced: s.boolean({
      proto: 2,
      doc: "True when objects live in namespaces, false when they belong to the whole cluster.",
    }),
    group: s.string({
      proto: 8,
      optional: true,
      doc: "The group of the kind, where it differs from that of the list (a scale sub-resource); empty means the same.",
    }),
    version: s.string({
      proto: 9,
      optional: true,
      doc: "The version of the kind, where it differs from that of the list; empty means the same.",
    }),
    kind: s.string({ proto: 3, doc: "The kind of the objects that this resource reads and writes." }),
    verbs: s.typed(verbs, {
      proto: 4,
      doc: "The operations that are supported: get, list, watch, create, update, patch, delete, deletecollection.",
    }),
    shortNames: s.list("string", {
      proto: 5,
      optional: true,
      listType: "atomic",
      doc: "Abbreviations that command lines accept.",
    }),
    categories: s.list("string", {
      proto: 7,
      optional: true,
      listType: "atomic",
      doc: 'Groupings such as "all", by which clients fetch many resources at once.',
    }),
    storageVersionHash: s.string({
      proto: 10,
      optional: true,
      doc: "Changes when the version in which objects are stored changes. Compare only for equality.",
    }),
  }),
);

export type APIResourceList = ObjectOf<typeof apiResourceList>;

export const apiResourceList = s.struct(
  "meta.v1.APIResourceList",
  { doc: "The resources of one group version." },
  () => ({
    typeMeta: s.inline(typeMeta),
    groupVersion: s.string({
      proto: 1,
      doc: 'Group and version, as "group/version"; the version alone for the core group.',
    }),
    resources: s.list(apiResource, {
      proto: 2,
      listType: "atomic",
      doc: "The resources and sub-resources that are served.",
    }),
  }),
);

export type APIVersions = ObjectOf<typeof apiVersions>;

export const apiVersions = s.struct(
  "meta.v1.APIVersions",
  { doc: "The versions in which the core group is served." },
  () => ({
    typeMeta: s.inline(typeMeta),
    versions: s.list("string", { proto: 1, listType: "atomic", doc: "The names of the versions." }),
    serverAddressByClientCIDRs: s.list(serverAddressByClientCIDR, {
      proto: 2,
      listType: "atomic",
      doc: "Where clients of certain networks find the server: the first entry that contains the client's address counts.",
    }),
  }),
);

export type GroupVersionForDiscovery = ObjectOf<typeof groupVersionForDiscovery>;

export const groupVersionForDiscovery = s.struct(
  "meta.v1.GroupVersionForDiscovery",
  { doc: "A version of a group, by its short and its full name." },
  () => ({
    groupVersion: s.string({ proto: 1, doc: 'Group and version in the form "group/version".' }),
    version: s.string({ proto: 2, doc: 'The version alone, as in "v1".' }),
  }),
);

export type ServerAddressByClientCIDR = ObjectOf<typeof serverAddressByClientCIDR>;

export const serverAddressByClientCIDR = s.struct(
  "meta.v1.ServerAddressByClientCIDR",
  { doc: "An address of the server for the clients of one network." },
  () => ({
    clientCIDR: s.string({ proto: 1, doc: "The range of client addresses to which this entry applies." }),
    serverAddress: s.string({
      proto: 2,
      doc: "The address that such clients should use: a host name or IP, optionally with a port.",
    }),
  }),
);

export const verbs = s.listOf("string", { protoWrapper: "Verbs" });
