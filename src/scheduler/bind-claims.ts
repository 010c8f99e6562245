// Gives claims the devices that were found for them, and reserves them for the pod; or takes that back.

import type { Clock } from "../base/clock.ts";
import { cloneJson } from "../base/json.ts";
import { isApiError } from "../client/api-error.ts";
import type { Client } from "../client/client.ts";
import type { AllocationResult } from "../kinds/resource/resource-claim-schema.ts";
import { timeOfMs } from "../meta/time.ts";
import { deleteExtendedClaim, makeExtendedClaim, nameExtendedClaim } from "./bind-extended-claim.ts";
import type { DeviceCache } from "./device-cache.ts";
import {
  BINDING_TIMEOUT_MS,
  bindingConditionsCount,
  isBindingLate,
  readinessOf,
} from "./devices/binding-conditions.ts";
import { isReservedFor } from "./devices/pod-claims.ts";
import { claimName } from "./devices/requests.ts";
import type { DevicePlan } from "./filters/dynamic-resources.ts";
import type { DeviceClaim } from "./state/devices.ts";
import type { PodInfo } from "./state/pod-info.ts";
import { untilDone } from "./until-done.ts";

interface BindClaimsParts {
  readonly client: Client;
  readonly devices: DeviceCache;
}

interface AwaitDevicesParts {
  readonly devices: DeviceCache;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Others may change a claim meanwhile, so often. */
const MAX_ATTEMPTS = 5;

export function promiseDevices({ claims }: DevicePlan, devices: DeviceCache): void {
  for (const { claim, allocation } of claims) if (allocation !== undefined) devices.promise(claim, allocation);
}

export function releaseDevices({ claims }: DevicePlan, devices: DeviceCache): void {
  for (const { claim } of claims) devices.release(claim);
}

/** Fails when one of the claims is not what it was. */
export async function bindClaims({ claims }: DevicePlan, pod: PodInfo, parts: BindClaimsParts): Promise<void> {
  for (const planned of claims) {
    if (planned.extended !== undefined) await makeExtendedClaim(planned, pod, parts);
    const { claim, allocation, extended } = planned;
    const bound = await bindClaim(extended?.made ?? claim, allocation, pod, parts);
    parts.devices.wrote(bound);
    if (extended !== undefined) extended.made = bound;
    if (extended !== undefined) await nameExtendedClaim(bound, extended.mappings, pod, parts);
  }
}

/** Until drivers say that the devices are ready. Fails when they say that they will not be, or nothing for too long. */
export async function awaitDevices(plan: DevicePlan, pod: PodInfo, parts: AwaitDevicesParts): Promise<void> {
  const { devices, clock, signal } = parts;
  const made = plan.claims.find(({ extended }) => extended !== undefined);
  const newest = (name: string): DeviceClaim | undefined => {
    if (name !== made?.claim.metadata.name) return devices.claim(pod.namespace, name);
    // It was made just now: it may take a while until it is seen.
    return (
      made.extended?.made && (devices.claim(pod.namespace, made.extended.made.metadata.name) ?? made.extended.made)
    );
  };
  await untilDone({
    isDone: () => plan.awaited.every((name) => isReady(newest(name), `${pod.namespace}/${name}`, clock)),
    onChange: (changed) => devices.onClaimChange(changed),
    patienceMs: BINDING_TIMEOUT_MS,
    lateMessage: `${PRE_BIND}: device binding timeout`,
    clock,
    signal,
  });
}

/** Upstream's words. */
const PRE_BIND = 'running PreBind plugin "DynamicResources"';

function isReady(claim: DeviceClaim | undefined, key: string, clock: Clock): boolean {
  if (claim === undefined) throw new Error(`${PRE_BIND}: could not find claim "${key}"`);
  const readiness = readinessOf(claim);
  if (readiness.type === "failed") throw new Error(`${PRE_BIND}: ${readiness.why}`);
  if (readiness.type === "pending" && isBindingLate(claim, clock.nowMs()))
    throw new Error(`${PRE_BIND}: claim ${claim.metadata.name} binding timeout`);
  return readiness.type === "ready";
}

/** The pod does not get there: its claims are free for others, though their devices stay allocated. */
export async function unreserveClaims(
  { claims }: DevicePlan,
  pod: PodInfo,
  { client, devices }: BindClaimsParts,
): Promise<void> {
  const { namespace, uid } = pod;
  for (const { extended } of claims)
    if (extended?.made !== undefined) await deleteExtendedClaim(extended.made, { client, devices });
  for (const { name } of pod.deviceClaims) {
    const claim = name === undefined ? undefined : devices.claim(namespace, name);
    if (claim?.status.allocation === undefined || !isReservedFor(claim, pod)) continue;
    const reservedFor = [{ $patch: "delete" as const, uid }];
    await client.devices.v1.resourceClaims(namespace).status.patch(claim.metadata.name, {
      strategic: { metadata: { uid: claim.metadata.uid }, status: { reservedFor } },
    });
  }
}

/** Takes the devices of a claim away that nobody uses. */
export async function freeClaim(claim: DeviceClaim, { client }: BindClaimsParts): Promise<void> {
  const { reservedFor: _reserved, allocation: _allocation, devices: _devices, ...status } = cloneJson(claim.status);
  await client.devices.v1.resourceClaims(claim.metadata.namespace).status.update({ ...cloneJson(claim), status });
}

async function bindClaim(
  known: DeviceClaim,
  allocation: AllocationResult | undefined,
  { name, uid }: PodInfo,
  { client, devices }: BindClaimsParts,
): Promise<DeviceClaim> {
  const claims = client.devices.v1.resourceClaims(known.metadata.namespace);
  const finalizer = client.names.claimProtectionFinalizer;
  let claim = known;
  for (let attempt = 1; ; attempt += 1) {
    if (claim.metadata.deletionTimestamp !== undefined)
      throw new Error(`claim ${claimName(claim)} got deleted in the meantime`);
    if (allocation !== undefined && claim.status.allocation !== undefined)
      throw new Error(`claim ${claimName(claim)} got allocated elsewhere in the meantime`);
    try {
      const finalizers = claim.metadata.finalizers ?? [];
      if (allocation !== undefined && !finalizers.includes(finalizer)) {
        const held = cloneJson(claim);
        claim = await claims.update({
          ...held,
          metadata: { ...held.metadata, finalizers: [...finalizers, finalizer] },
        });
      }
      const changed = cloneJson(claim);
      const reservedFor = [...(claim.status.reservedFor ?? []), { resource: "pods", name, uid }];
      const given = withTimestamp(allocation ?? changed.status.allocation, devices);
      return await claims.status.update({ ...changed, status: { ...changed.status, ...given, reservedFor } });
    } catch (error) {
      if (!isApiError(error, "Conflict") || attempt >= MAX_ATTEMPTS) throw error;
      claim = await claims.get(claim.metadata.name);
    }
  }
}

/** From when drivers have to be ready counts, where that matters. */
function withTimestamp(allocation: AllocationResult | undefined, devices: DeviceCache) {
  if (allocation === undefined) return {};
  const isStamped = allocation.allocationTimestamp !== undefined || !bindingConditionsCount(devices);
  const stamp = isStamped ? {} : { allocationTimestamp: timeOfMs(devices.nowMs()) };
  return { allocation: { ...cloneJson(allocation), ...stamp } };
}
