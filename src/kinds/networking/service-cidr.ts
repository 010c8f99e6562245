// ServiceCIDR: a range from which services get addresses.

import { opt, s } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { condition } from "../meta/condition.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";
import { validateServiceCIDR, validateServiceCIDRUpdate } from "./address-validation.ts";

export type ServiceCIDR = ObjectOf<typeof serviceCIDRSchema>;

const serviceCIDRSchema = objectSchema(
  "networking.v1.ServiceCIDR",
  "A range from which services get addresses.",
  () => ({
    spec: opt.of(serviceCIDRSpec, 2, "The ranges of addresses."),
    status: opt.of(serviceCIDRStatus, 3, "Whether addresses are handed out from the ranges."),
  }),
);

export const serviceCIDR = defineKind({
  group: "networking",
  version: "v1",
  kind: "ServiceCIDR",
  resource: "servicecidrs",
  scope: "Cluster",
  schema: serviceCIDRSchema,
  unconditionalUpdate: true,
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

const serviceCIDRSpec = s.struct(
  "networking.v1.ServiceCIDRSpec",
  "Ranges from which services get their cluster addresses.",
  () => ({
    cidrs: opt.atomic(
      "string",
      1,
      "One IPv4 range, one IPv6 range or one of each. A second family may be added later; nothing else may change.",
      { keepEmpty: true },
    ),
  }),
);

const serviceCIDRStatus = s.struct("networking.v1.ServiceCIDRStatus", "How the ranges are doing.", () => ({
  conditions: opt.listBy("type", condition, 1, "Ready is True while addresses are given out from the ranges."),
}));
