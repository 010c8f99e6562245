// What a ResourceClaim and its template must look like: what is asked for never changes.

import { equalButEmptyLists } from "../../base/json.ts";
import type { Steps } from "../../base/steps.ts";
import { type FieldError, invalid } from "../../meta/field-error.ts";
import type { HookContext } from "../define-kind.ts";
import { internalForm } from "../meta/internal-form.ts";
import { IMMUTABLE } from "../meta/value-checks.ts";
import { adminRequestErrors } from "./admin-access.ts";
import { validateDeviceClaim } from "./device-claim-validation.ts";
import type { ResourceClaim } from "./resource-claim-schema.ts";
import { resourceClaimSpec } from "./resource-claim-spec.ts";

export function* validateResourceClaim({ spec, metadata }: ResourceClaim, context: HookContext): Steps<FieldError[]> {
  return [
    ...adminRequestErrors(spec.devices.requests, metadata.namespace, context),
    ...(yield* validateDeviceClaim(spec, "spec", { ...context, isStored: false })),
  ];
}

export function* validateResourceClaimUpdate(
  { spec }: ResourceClaim,
  old: ResourceClaim,
  context: HookContext,
): Steps<FieldError[]> {
  const changed = !equalButEmptyLists(spec, old.spec);
  const wrong = changed ? [invalid("spec", internalForm(spec, resourceClaimSpec), IMMUTABLE)] : [];
  return [...wrong, ...(yield* validateDeviceClaim(spec, "spec", { ...context, isStored: true }))];
}
