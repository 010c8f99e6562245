// ServiceCIDR: a range from which services get addresses.

import { type FieldError, invalid, required } from "../../meta/field-error.ts";
import { opt, s } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { condition } from "../meta/condition.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { IMMUTABLE } from "../meta/value-checks.ts";
import { statusSubresource } from "../subresources.ts";
import { readCidr, validateCanonicalCidr } from "./ip-fields.ts";

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
  // Upstream means to track no status here, but names a group that does not exist.
  resetFields: [],
  columns: [
    NAME_COLUMN,
    { name: "CIDRs", type: "string", cell: (cidr) => (cidr.spec.cidrs ?? []).join(",") },
    AGE_COLUMN,
  ],
  subresources: {
    status: statusSubresource<ServiceCIDR>({ keepMetadata: true, resetFields: [] }),
  },
  hooks: {
    // Upstream lets a write of the object carry the status too.
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

const MAX_CIDRS = 2;

function validateServiceCIDR({ spec }: ServiceCIDR): FieldError[] {
  const field = "spec.cidrs";
  const cidrs = spec.cidrs ?? [];
  if (cidrs.length === 0) return [required(field, "at least one CIDR required")];
  if (cidrs.length > MAX_CIDRS) return [invalid(field, { CIDRs: cidrs }, "may only hold up to 2 values")];
  const families = cidrs.map((cidr) => readCidr(cidr)?.ip.family);
  const errors = cidrs.flatMap((cidr, index) => validateCanonicalCidr(cidr, `${field}[${index}]`));
  if (families[0] !== undefined && families[0] === families[1]) {
    const detail = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";
    errors.push(invalid(field, cidrs, detail));
  }
  return errors;
}

/** A second family may be added, nothing else changes. */
function validateServiceCIDRUpdate(cidr: ServiceCIDR, old: ServiceCIDR): FieldError[] {
  const now = cidr.spec.cidrs ?? [];
  const was = old.spec.cidrs ?? [];
  if (was.length === 1 && now.length === 2) {
    const first = now[0] === was[0] ? [] : [invalid("spec.cidrs[0]", now[0], IMMUTABLE)];
    return [...first, ...validateServiceCIDR(cidr)];
  }
  if (now.length !== was.length) return [invalid("spec.cidrs", cidr.spec.cidrs ?? null, IMMUTABLE)];
  return now.flatMap((text, index) => (text === was[index] ? [] : [invalid(`spec.cidrs[${index}]`, text, IMMUTABLE)]));
}
