// What may be said about a claim to devices: what was given to it, who uses it, and how the devices are.

import { append } from "../../base/append.ts";
import { equalJson } from "../../base/json.ts";
import { duplicate, type FieldError, forbiddenField, invalid } from "../../meta/field-error.ts";
import { checkFields } from "../../schema/check-fields.ts";
import { checkImmutable } from "../apps/workload-validation.ts";
import { validateNodeSelector } from "../core/node-selector-validation.ts";
import type { HookContext } from "../define-kind.ts";
import { validateConditions } from "../meta/condition.ts";
import { internalForm } from "../meta/internal-form.ts";
import { adminResultErrors } from "./admin-access.ts";
import { checkRequestList, requestNames } from "./device-claim-validation.ts";
import {
  checkDeviceName,
  checkDriver,
  checkPoolName,
  checkRequestReference,
  type RequestNames,
} from "./device-name-validation.ts";
import { checkConfiguration, checkRawObject } from "./device-selector-validation.ts";
import { checkBinding } from "./device-validation.ts";
import {
  type AllocatedDeviceStatus,
  type AllocationResult,
  allocatedDeviceStatus,
  allocationResult,
  deviceAllocationConfiguration,
  deviceAllocationResult,
  type ResourceClaim,
  resourceClaimStatus,
} from "./resource-claim-schema.ts";

/** What is told of devices goes with them: whoever gives them back need not know that somebody has told something. */
export function dropReleasedDevices({ status }: ResourceClaim, old: ResourceClaim): void {
  const { devices } = status;
  if (devices === undefined) return;
  const released = new Set((old.status.allocation?.devices.results ?? []).map(idOf));
  for (const result of status.allocation?.devices.results ?? []) released.delete(idOf(result));
  const kept = devices.filter((device) => !released.has(idOf(device)));
  if (kept.length === 0) delete status.devices;
  else if (kept.length < devices.length) status.devices = kept;
}

export function validateResourceClaimStatus(
  claim: ResourceClaim,
  old: ResourceClaim,
  context: HookContext,
): FieldError[] {
  const { metadata, spec, status } = claim;
  const errors = adminResultErrors(claim, old, context);
  checkFields(status, resourceClaimStatus, "status", errors, ["reservedFor"]);
  if (status.allocation) checkAllocation(status.allocation, requestNames(spec), errors);
  checkDevices(status.devices ?? [], status.allocation, errors);
  if ((status.reservedFor ?? []).length > 0) {
    const before = new Set((old.status.reservedFor ?? []).map(({ uid }) => uid));
    if (!status.allocation) {
      const detail = "may not be specified when `allocated` is not set";
      errors.push(forbiddenField("status.reservedFor", detail));
    } else if (metadata.deletionTimestamp && status.reservedFor!.some(({ uid }) => !before.has(uid))) {
      const detail = "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";
      errors.push(forbiddenField("status.reservedFor", detail));
    }
  }
  if (old.status.allocation && status.allocation && !equalJson(status.allocation, old.status.allocation)) {
    const shown = internalForm(status.allocation, allocationResult);
    checkImmutable(status.allocation, old.status.allocation, "status.allocation", errors, shown as never);
  }
  return errors;
}

function checkAllocation({ devices, nodeSelector }: AllocationResult, known: RequestNames, errors: FieldError[]): void {
  const at = "status.allocation.devices";
  const { results = [], config = [] } = devices;
  checkFields(devices, deviceAllocationResult, at, errors);
  results.forEach((result, index) => {
    const place = `${at}.results[${index}]`;
    checkRequestReference(result.request, `${place}.request`, known, errors);
    checkDeviceReference(result, place, errors);
    checkBinding(result, place, errors);
  });
  config.forEach((configuration, index) => {
    const place = `${at}.config[${index}]`;
    checkFields(configuration, deviceAllocationConfiguration, place, errors);
    checkRequestList(configuration.requests, `${place}.requests`, known, errors);
    checkConfiguration(configuration, place, errors);
  });
  if (nodeSelector) append(errors, validateNodeSelector(nodeSelector, "status.allocation.nodeSelector"));
}

interface DeviceReference {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  /** Which share of a device that several use. */
  readonly shareID?: string;
}

function checkDeviceReference(reference: DeviceReference, at: string, errors: FieldError[]): void {
  const { driver, pool, device, shareID } = reference;
  checkDriver(driver, `${at}.driver`, errors);
  checkPoolName(pool, `${at}.pool`, errors);
  checkDeviceName(device, `${at}.device`, errors);
  if (shareID !== undefined && !UUID.test(shareID)) {
    const detail =
      "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters";
    errors.push(invalid(`${at}.shareID`, shareID, detail));
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const idOf = ({ driver, pool, device, shareID }: DeviceReference): string =>
  [driver, pool, device, ...(shareID === undefined ? [] : [shareID])].join("/");

/** All that upstream's messages show of the names of a device. */
const SHOWN_ID = { Driver: {}, Pool: {}, Device: {}, ShareID: {} };

function checkDevices(
  devices: readonly AllocatedDeviceStatus[],
  allocation: AllocationResult | undefined,
  errors: FieldError[],
): void {
  const seen = new Set<string>();
  const allocated = new Set((allocation?.devices.results ?? []).map(idOf));
  devices.forEach((device, index) => {
    const at = `status.devices[${index}]`;
    checkDeviceReference(device, at, errors);
    if (!allocated.has(idOf(device))) errors.push(invalid(at, SHOWN_ID, "must be an allocated device in the claim"));
    checkFields(device, allocatedDeviceStatus, at, errors, ["conditions"]);
    append(errors, validateConditions(device.conditions ?? [], `${at}.conditions`));
    if (device.data !== undefined) checkRawObject(device.data, `${at}.data`, errors);
    checkFields(device, allocatedDeviceStatus, at, errors, ["networkData"]);
    if (seen.has(idOf(device))) errors.push(duplicate(`${at}.deviceID`, SHOWN_ID));
    seen.add(idOf(device));
  });
}
