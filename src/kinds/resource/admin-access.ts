// Access to devices for administration, also to those in use: only in namespaces whose owner has marked them for it.

import { type FieldError, forbiddenField } from "../../meta/field-error.ts";
import type { HookContext } from "../define-kind.ts";
import type { ResourceClaim } from "./resource-claim-schema.ts";
import type { DeviceRequest } from "./resource-claim-spec.ts";

/** What claims and templates in a namespace may ask for. Only when they are new: it never changes. */
export function adminRequestErrors(
  requests: readonly DeviceRequest[] | null | undefined,
  namespace: string | undefined,
  context: HookContext,
): FieldError[] {
  const index = (requests ?? []).findIndex(({ exactly }) => exactly?.adminAccess === true);
  return index < 0 ? [] : markErrors(`spec.devices.requests[${index}].adminAccess`, namespace, context);
}

/** What a claim may be given; what was given before stays. */
export function adminResultErrors(claim: ResourceClaim, old: ResourceClaim, context: HookContext): FieldError[] {
  if (grantedIn(old) >= 0) return [];
  const index = grantedIn(claim);
  if (index < 0) return [];
  return markErrors(`status.allocation.devices.results[${index}].adminAccess`, claim.metadata.namespace, context);
}

const grantedIn = ({ status }: ResourceClaim): number =>
  (status.allocation?.devices.results ?? []).findIndex(({ adminAccess }) => adminAccess === true);

function markErrors(
  field: string,
  namespace: string | undefined,
  { names, namespaceLabels }: HookContext,
): FieldError[] {
  const label = names.deviceAdminLabel;
  if (namespaceLabels?.(namespace ?? "")?.[label] === "true") return [];
  const detail = `admin access to devices requires the \`${label}: true\` label on the containing namespace`;
  return [forbiddenField(field, detail)];
}
