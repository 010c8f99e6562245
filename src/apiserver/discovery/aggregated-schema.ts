// The schema of aggregated discovery, for its protobuf form.

import { listMeta, objectMeta, typeMeta } from "../../kinds/meta/object-meta.ts";
import { s } from "../../schema/builder.ts";

export const groupDiscoveryListSchema = s.struct("apidiscovery.v2.APIGroupDiscoveryList", () => ({
  typeMeta: s.inline(typeMeta),
  metadata: s.of(listMeta, { proto: 1, optional: true }),
  items: s.list(groupDiscovery, { proto: 2 }),
}));

const groupDiscovery = s.struct("apidiscovery.v2.APIGroupDiscovery", () => ({
  typeMeta: s.inline(typeMeta),
  metadata: s.of(objectMeta, { proto: 1, optional: true }),
  versions: s.list(versionDiscovery, { proto: 2, optional: true }),
}));

const versionDiscovery = s.struct("apidiscovery.v2.APIVersionDiscovery", () => ({
  version: s.string({ proto: 1 }),
  resources: s.list(resourceDiscovery, { proto: 2, optional: true }),
  freshness: s.string({ proto: 3, optional: true }),
}));

const resourceDiscovery = s.struct("apidiscovery.v2.APIResourceDiscovery", () => ({
  resource: s.string({ proto: 1 }),
  responseKind: s.of(groupVersionKind, { proto: 2, optional: true, pointer: true }),
  scope: s.string({ proto: 3 }),
  singularResource: s.string({ proto: 4 }),
  verbs: s.list("string", { proto: 5 }),
  shortNames: s.list("string", { proto: 6, optional: true }),
  categories: s.list("string", { proto: 7, optional: true }),
  subresources: s.list(subresourceDiscovery, { proto: 8, optional: true }),
}));

const subresourceDiscovery = s.struct("apidiscovery.v2.APISubresourceDiscovery", () => ({
  subresource: s.string({ proto: 1 }),
  responseKind: s.of(groupVersionKind, { proto: 2, optional: true, pointer: true }),
  acceptedTypes: s.list(groupVersionKind, { proto: 3, optional: true }),
  verbs: s.list("string", { proto: 4 }),
}));

const groupVersionKind = s.struct("meta.v1.GroupVersionKind", () => ({
  group: s.string({ proto: 1 }),
  version: s.string({ proto: 2 }),
  kind: s.string({ proto: 3 }),
}));
