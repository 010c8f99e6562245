// The claim for extended resources of a pod that come from devices: made when a node is found, named in the pod's status, and
// deleted when the pod does not get there.

import { cloneJson } from "../base/json.ts";
import { isApiError } from "../client/api-error.ts";
import type { Client } from "../client/client.ts";
import type { ResourceClaimSpec } from "../kinds/resource/resource-claim-spec.ts";
import type { DeviceCache } from "./device-cache.ts";
import type { RequestMapping } from "./devices/extended-resources.ts";
import type { PlannedClaim } from "./filters/dynamic-resources.ts";
import type { DeviceClaim } from "./state/devices.ts";
import type { PodInfo } from "./state/pod-info.ts";

interface ExtendedClaimParts {
  readonly client: Client;
  readonly devices: DeviceCache;
}

/** Others may change a claim meanwhile, so often. */
const MAX_ATTEMPTS = 5;

/** Devices that were promised to the plan are the new claim's from then on. */
export async function makeExtendedClaim(
  { claim, extended }: PlannedClaim,
  pod: PodInfo,
  { client, devices }: ExtendedClaimParts,
): Promise<void> {
  const { name, uid, namespace } = pod;
  const owner = { apiVersion: "v1", kind: "Pod", name, uid, controller: true, blockOwnerDeletion: true };
  const made = await client.devices.v1.resourceClaims(namespace).create({
    metadata: {
      generateName: `${name}-extended-resources-`,
      annotations: { [client.names.extendedResourceClaimAnnotation]: "true" },
      ownerReferences: [owner],
    },
    spec: cloneJson(claim.spec) as ResourceClaimSpec,
  });
  extended!.made = made;
  devices.pass(claim, made);
}

export async function nameExtendedClaim(
  { metadata }: DeviceClaim,
  mappings: readonly RequestMapping[],
  { namespace, name, uid }: PodInfo,
  { client }: ExtendedClaimParts,
): Promise<void> {
  const extendedResourceClaimStatus = {
    resourceClaimName: metadata.name,
    requestMappings: mappings.map((each) => ({ ...each })),
  };
  await client.core.v1.pods(namespace).status.patch(name, {
    merge: { metadata: { uid }, status: { extendedResourceClaimStatus } },
  });
}

/** Nobody else uses it: what holds it is taken away first. */
export async function deleteExtendedClaim(known: DeviceClaim, { client, devices }: ExtendedClaimParts): Promise<void> {
  const { namespace, name, uid } = known.metadata;
  const claims = client.devices.v1.resourceClaims(namespace);
  const finalizer = client.names.claimProtectionFinalizer;
  try {
    for (let attempt = 1; ; attempt += 1) {
      const claim = cloneJson(await claims.get(name));
      const finalizers = claim.metadata.finalizers ?? [];
      if (!finalizers.includes(finalizer)) break;
      claim.metadata.finalizers = finalizers.filter((each) => each !== finalizer);
      try {
        await claims.update(claim);
        break;
      } catch (error) {
        if (!isApiError(error, "Conflict") || attempt >= MAX_ATTEMPTS) throw error;
      }
    }
    await claims.delete(name, { preconditions: { uid } });
  } catch (error) {
    if (!isApiError(error, "NotFound")) throw error;
  }
  devices.forget(known);
}
