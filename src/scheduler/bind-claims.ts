// Gives claims the devices that were found for them, and reserves them for the pod; or takes that back.

import { cloneJson } from "../base/json.ts";
import { isApiError } from "../client/api-error.ts";
import type { Client } from "../client/client.ts";
import type { AllocationResult } from "../kinds/resource/resource-claim-schema.ts";
import type { DeviceCache } from "./device-cache.ts";
import { isReservedFor } from "./devices/pod-claims.ts";
import { claimName } from "./devices/requests.ts";
import type { DevicePlan } from "./filters/dynamic-resources.ts";
import type { DeviceClaim } from "./state/devices.ts";
import type { PodInfo } from "./state/pod-info.ts";

interface BindClaimsParts {
  readonly client: Client;
  readonly devices: DeviceCache;
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
  for (const { claim, allocation } of claims) parts.devices.wrote(await bindClaim(claim, allocation, pod, parts));
}

/** The pod does not get there: its claims are free for others, though their devices stay allocated. */
export async function unreserveClaims(pod: PodInfo, { client, devices }: BindClaimsParts): Promise<void> {
  const { namespace, uid } = pod;
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
  { client }: BindClaimsParts,
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
      const given = allocation === undefined ? {} : { allocation: cloneJson(allocation) };
      return await claims.status.update({ ...changed, status: { ...changed.status, ...given, reservedFor } });
    } catch (error) {
      if (!isApiError(error, "Conflict") || attempt >= MAX_ATTEMPTS) throw error;
      claim = await claims.get(claim.metadata.name);
    }
  }
}
