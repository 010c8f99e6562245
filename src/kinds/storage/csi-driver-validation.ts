// What a CSIDriver must look like.

import { duplicate, type FieldError, invalid, notSupported, required, tooLong } from "../../meta/field-error.ts";
import { checkImmutable } from "../apps/workload-validation.ts";
import type { HookContext } from "../define-kind.ts";
import { checkOptionalWord } from "../meta/value-checks.ts";
import type { CSIDriver, CSIDriverSpec } from "./csi-driver-schema.ts";

const MAX_NAME_BYTES = 63;
const LEAST_TOKEN_SECONDS = 600;
const MOST_TOKEN_SECONDS = 2 ** 32;
const LEAST_PERIOD_SECONDS = 10;
const MODES = ["Persistent", "Ephemeral"];

export function validateCsiDriver({ metadata, spec }: CSIDriver, context: HookContext): FieldError[] {
  const errors: FieldError[] = [];
  // The name is the driver's: it is used where longer ones have no place.
  if (Buffer.byteLength(metadata.name ?? "") > MAX_NAME_BYTES) errors.push(tooLong("metadata.name", MAX_NAME_BYTES));
  return [...errors, ...validateSpec(spec, context)];
}

export function validateCsiDriverUpdate({ spec }: CSIDriver, old: CSIDriver, context: HookContext): FieldError[] {
  const errors = validateSpec(spec, context);
  checkImmutable(spec.attachRequired, old.spec.attachRequired, "spec.attachedRequired", errors);
  checkImmutable(spec.volumeLifecycleModes, old.spec.volumeLifecycleModes, "spec.volumeLifecycleModes", errors);
  return errors;
}

function validateSpec(spec: CSIDriverSpec, { gateEnabled }: HookContext): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.attachRequired === undefined) errors.push(required("spec.attachedRequired"));
  if (spec.podInfoOnMount === undefined) errors.push(required("spec.podInfoOnMount"));
  if (spec.storageCapacity === undefined) errors.push(required("spec.storageCapacity"));
  const policies = ["File", "None", "ReadWriteOnceWithFSType"];
  checkOptionalWord(errors, "spec.fsGroupPolicy", spec.fsGroupPolicy, policies);
  checkTokenRequests(spec.tokenRequests ?? [], errors);
  for (const mode of spec.volumeLifecycleModes ?? []) {
    if (!MODES.includes(mode)) errors.push(notSupported("spec.volumeLifecycleModes", mode, MODES));
  }
  if (gateEnabled("SELinuxMountReadWriteOncePod") && spec.seLinuxMount === undefined) {
    errors.push(required("spec.seLinuxMount"));
  }
  const period = spec.nodeAllocatableUpdatePeriodSeconds;
  if (period !== undefined && period < LEAST_PERIOD_SECONDS) {
    const detail = `must be greater than or equal to ${LEAST_PERIOD_SECONDS} seconds`;
    errors.push(invalid("spec.nodeAllocatableUpdatePeriodSeconds", period, detail));
  }
  return errors;
}

function checkTokenRequests(requests: NonNullable<CSIDriverSpec["tokenRequests"]>, errors: FieldError[]): void {
  const seen = new Set<string>();
  requests.forEach(({ audience, expirationSeconds: seconds }, index) => {
    const at = `spec.tokenRequests[${index}]`;
    if (seen.has(audience)) errors.push(duplicate(`${at}.audience`, audience));
    seen.add(audience);
    if (seconds === undefined) return;
    const field = `${at}.expirationSeconds`;
    if (seconds < LEAST_TOKEN_SECONDS) {
      errors.push(invalid(field, seconds, "may not specify a duration less than 10 minutes"));
    }
    if (seconds > MOST_TOKEN_SECONDS) {
      errors.push(invalid(field, seconds, "may not specify a duration larger than 2^32 seconds"));
    }
  });
}
