// ResourceClaim: a request for devices.

import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind } from "../define-kind.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";
import { defaultClaim } from "./claim-defaults.ts";
import type { ResourceClaim } from "./resource-claim-schema.ts";
import { resourceClaimSchema } from "./resource-claim-schema.ts";
import { dropReleasedDevices, validateResourceClaimStatus } from "./resource-claim-status-validation.ts";
import { validateResourceClaim, validateResourceClaimUpdate } from "./resource-claim-validation.ts";

export type { ResourceClaim } from "./resource-claim-schema.ts";

export const resourceClaim = defineKind({
  group: "resource",
  version: "v1",
  kind: "ResourceClaim",
  resource: "resourceclaims",
  scope: "Namespaced",
  schema: resourceClaimSchema,
  unconditionalUpdate: true,
  returnDeletedObject: true,
  columns: [NAME_COLUMN, { name: "State", type: "string", cell: stateCell }, AGE_COLUMN],
  subresources: {
    status: {
      ...statusSubresource<ResourceClaim>({ keepMetadata: true }, dropReleasedDevices),
      validateUpdate: validateResourceClaimStatus,
    },
  },
  hooks: {
    default({ spec }) {
      defaultClaim(spec);
    },
    prepareForCreate(claim) {
      claim.status = {};
    },
    prepareForUpdate: keepStatus,
    validate: validateResourceClaim,
    validateUpdate: validateResourceClaimUpdate,
  },
});

function stateCell({ metadata, status }: ResourceClaim): string {
  const words = [];
  if (metadata.deletionTimestamp) words.push("deleted");
  if (status.allocation) words.push("allocated");
  if (status.reservedFor?.length) words.push("reserved");
  return words.join(",") || "pending";
}
