// The schema of aggregated discovery, for its protobuf form.

import { listMeta, objectMeta, typeMeta } from "../../kinds/meta/object-meta.ts";
import { opt, ptr, s } from "../../schema/builder.ts";

export const groupDiscoveryListSchema = s.struct("apidiscovery.v2.APIGroupDiscoveryList", () => ({
  typeMeta: s.inline(typeMeta),
  metadata: opt.of(listMeta, 1),
  items: s.list(groupDiscovery, 2),
}));

const groupDiscovery = s.struct("apidiscovery.v2.APIGroupDiscovery", () => ({
  typeMeta: s.inline(typeMeta),
  metadata: opt.of(objectMeta, 1),
  versions: opt.list(versionDiscovery, 2),
}));

const versionDiscovery = s.struct("apidiscovery.v2.APIVersionDiscovery", () => ({
  version: s.string(1),
  resources: opt.list(resourceDiscovery, 2),
  freshness: opt.string(3),
}));

const resourceDiscovery = s.struct("apidiscovery.v2.APIResourceDiscovery", () => ({
  resource: s.string(1),
  responseKind: ptr.of(groupVersionKind, 2),
  scope: s.string(3),
  singularResource: s.string(4),
  verbs: s.list("string", 5),
  shortNames: opt.list("string", 6),
  categories: opt.list("string", 7),
  subresources: opt.list(subresourceDiscovery, 8),
}));

const subresourceDiscovery = s.struct("apidiscovery.v2.APISubresourceDiscovery", () => ({
  subresource: s.string(1),
  responseKind: ptr.of(groupVersionKind, 2),
  acceptedTypes: opt.list(groupVersionKind, 3),
  verbs: s.list("string", 4),
}));

const groupVersionKind = s.struct("meta.v1.GroupVersionKind", () => ({
  group: s.string(1),
  version: s.string(2),
  kind: s.string(3),
}));
