// ServiceCIDR: a range from which services get addresses.

import { s } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { condition } from "../meta/condition.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";
import { ALL_VERBS } from "../verbs.ts";
import { validateServiceCIDR, validateServiceCIDRUpdate } from "./address-validation.ts";

export type ServiceCIDR = ObjectOf<typeof serviceCIDRSchema>;

export const serviceCIDRSchema = objectSchema(
  "networking.v1.ServiceCIDR",
  { doc: "A range from which services get addresses." },
  () => ({
    spec: s.of(serviceCIDRSpec, { proto: 2, optional: true, doc: "The ranges of addresses." }),
    status: s.of(serviceCIDRStatus, {
      proto: 3,
      optional: true,
      doc: "Whether addresses are handed out from the ranges.",
    }),
  }),
);

export const serviceCIDR = defineKind({
  group: "networking",
  version: "v1",
  kind: "ServiceCIDR",
  resource: "servicecidrs",
  singular: "servicecidr",
  scope: "Cluster",
  verbs: ALL_VERBS,
  schema: serviceCIDRSchema,
  storagePrefix: "servicecidrs",
  unconditionalUpdate: true,
  protobuf: true,
  name: "dns1123Subdomain",
  columns: [
    NAME_COLUMN,
    { name: "CIDRs", type: "string", cell: (cidr) => (cidr.spec.cidrs ?? []).join(",") },
    AGE_COLUMN,
  ],
  subresources: {
    status: statusSubresource<ServiceCIDR>({ keepMetadata: true }),
  },
  hooks: {
    prepareForCreate(cidr) {
      cidr.status = {};
    },
    prepareForUpdate: keepStatus,
    validate: validateServiceCIDR,
    validateUpdate: validateServiceCIDRUpdate,
  },
});

export type ServiceCIDRSpec = ObjectOf<typeof serviceCIDRSpec>;

export const serviceCIDRSpec = s.struct(
  "networking.v1.ServiceCIDRSpec",
  { doc: "Ranges from which services get their cluster addresses." },
  () => ({
    cidrs: s.list("string", {
      proto: 1,
      optional: true,
      keepEmpty: true,
      listType: "atomic",
      doc: "One IPv4 range, one IPv6 range or one of each. A second family may be added later; nothing else may change.",
    }),
  }),
);

export type ServiceCIDRStatus = ObjectOf<typeof serviceCIDRStatus>;

export const serviceCIDRStatus = s.struct(
  "networking.v1.ServiceCIDRStatus",
  { doc: "How the ranges are doing." },
  () => ({
    conditions: s.list(condition, {
      proto: 1,
      optional: true,
      listType: "map",
      mapKeys: ["type"],
      patchStrategy: ["merge"],
      patchMergeKey: "type",
      doc: "Ready is True while addresses are given out from the ranges.",
    }),
  }),
);
