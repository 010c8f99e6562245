// Writes what was planned for the slices of one owner.

import { isApiError } from "../../client/api-error.ts";
import type { Client } from "../../client/client.ts";
import type { EndpointSlice } from "../../kinds/discovery/endpoint-slice.ts";
import type { OwnWrites } from "../framework/own-writes.ts";
import type { SlicePlan } from "./pack-slices.ts";

interface SliceWriteRequest {
  readonly client: Client;
  readonly writes: OwnWrites<EndpointSlice>;
  readonly key: string;
  readonly namespace: string;
  readonly plan: SlicePlan;
  /** False while the owner is going: nothing new is made then. */
  readonly mayCreate: boolean;
}

/** A namespace that ends takes nothing new: what is left to do there is for whoever empties it. */
export async function writeSlices({
  client,
  writes,
  key,
  namespace,
  plan,
  mayCreate,
}: SliceWriteRequest): Promise<void> {
  const slices = client.discovery.v1.endpointSlices(namespace);
  for (const draft of mayCreate ? plan.create : []) {
    try {
      writes.wrote(key, await slices.create(draft));
    } catch (error) {
      if (isNamespaceEnding(error)) return;
      throw error;
    }
  }
  for (const slice of plan.update) writes.wrote(key, await slices.update(slice));
  for (const slice of plan.remove) {
    const { name, uid } = slice.metadata;
    try {
      await slices.delete(name, { preconditions: { uid } });
    } catch (error) {
      if (!isApiError(error, "NotFound")) throw error;
    }
    writes.deleted(key, slice);
  }
}

export function isNamespaceEnding(error: unknown): boolean {
  return isApiError(error, "Forbidden") && error.causes.some(({ reason }) => reason === "NamespaceTerminating");
}
