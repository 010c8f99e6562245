// The bodies of discovery.

import { opt, s } from "../../schema/builder.ts";
import { typeMeta } from "./object-meta.ts";

export const apiGroup = s.struct("meta.v1.APIGroup", "An API group and the versions in which it is served.", () => ({
  typeMeta: s.inline(typeMeta),
  name: s.string(1, "The name of the group; empty for the core group."),
  versions: s.atomic(groupVersionForDiscovery, 2, "All served versions of the group."),
  preferredVersion: opt.of(
    groupVersionForDiscovery,
    3,
    "The version to use by a client that has no preference of its own.",
  ),
  serverAddressByClientCIDRs: opt.atomic(
    serverAddressByClientCIDR,
    4,
    "Where clients of certain networks find the server; usually empty, use the address already known.",
  ),
}));

export const apiGroupList = s.struct(
  "meta.v1.APIGroupList",
  "All API groups that the server has, without the core group.",
  () => ({
    typeMeta: s.inline(typeMeta),
    groups: s.atomic(apiGroup, 1, "The groups, in order of their priority."),
  }),
);

const apiResource = s.struct(
  "meta.v1.APIResource",
  "One resource of a group version: its names, its kind and what may be done with it.",
  () => ({
    name: s.string(1, "The plural word used in paths; of a sub-resource, parent and name with a slash between."),
    singularName: s.string(6, "The word for a single object, which command lines accept too; empty for sub-resources."),
    namespaced: s.boolean(2, "True when objects live in namespaces, false when they belong to the whole cluster."),
    group: opt.string(
      8,
      "The group of the kind, where it differs from that of the list (a scale sub-resource); empty means the same.",
    ),
    version: opt.string(9, "The version of the kind, where it differs from that of the list; empty means the same."),
    kind: s.string(3, "The kind of the objects that this resource reads and writes."),
    verbs: s.typed(
      verbs,
      4,
      "The operations that are supported: get, list, watch, create, update, patch, delete, deletecollection.",
    ),
    shortNames: opt.atomic("string", 5, "Abbreviations that command lines accept."),
    categories: opt.atomic("string", 7, 'Groupings such as "all", by which clients fetch many resources at once.'),
    storageVersionHash: opt.string(
      10,
      "Changes when the version in which objects are stored changes. Compare only for equality.",
    ),
  }),
);

export const apiResourceList = s.struct("meta.v1.APIResourceList", "The resources of one group version.", () => ({
  typeMeta: s.inline(typeMeta),
  groupVersion: s.string(1, 'Group and version, as "group/version"; the version alone for the core group.'),
  resources: s.atomic(apiResource, 2, "The resources and sub-resources that are served."),
}));

export const apiVersions = s.struct("meta.v1.APIVersions", "The versions in which the core group is served.", () => ({
  typeMeta: s.inline(typeMeta),
  versions: s.atomic("string", 1, "The names of the versions."),
  serverAddressByClientCIDRs: s.atomic(
    serverAddressByClientCIDR,
    2,
    "Where clients of certain networks find the server: the first entry that contains the client's address counts.",
  ),
}));

const groupVersionForDiscovery = s.struct(
  "meta.v1.GroupVersionForDiscovery",
  "A version of a group, by its short and its full name.",
  () => ({
    groupVersion: s.string(1, 'Group and version in the form "group/version".'),
    version: s.string(2, 'The version alone, as in "v1".'),
  }),
);

const serverAddressByClientCIDR = s.struct(
  "meta.v1.ServerAddressByClientCIDR",
  "An address of the server for the clients of one network.",
  () => ({
    clientCIDR: s.string(1, "The range of client addresses to which this entry applies."),
    serverAddress: s.string(2, "The address that such clients should use: a host name or IP, optionally with a port."),
  }),
);

const verbs = s.listOf("string", { protoWrapper: "Verbs" });
