// Whether the devices of a claim are ready for a pod to be bound: drivers may need time to bring them to the node, and say in
// conditions how it went. Pure.

import type { AllocationResult } from "../../kinds/resource/resource-claim-schema.ts";
import type { DeviceClaim, DeviceLookup } from "../state/devices.ts";

/** As upstream: drivers have ten minutes from when devices are allocated. */
export const BINDING_TIMEOUT_MS = 600_000;

type Readiness =
  | { readonly type: "ready" }
  | { readonly type: "pending" }
  /** In upstream's words. */
  | { readonly type: "failed"; readonly why: string };

const READY: Readiness = { type: "ready" };
const PENDING: Readiness = { type: "pending" };

export function readinessOf({ metadata, status }: DeviceClaim): Readiness {
  for (const { driver, pool, device, bindingConditions = [], ...result } of status.allocation?.devices.results ?? []) {
    if (bindingConditions.length === 0) continue;
    const told = status.devices?.find(
      (each) => each.device === device && each.driver === driver && each.pool === pool,
    )?.conditions;
    if (told === undefined || told === null) return PENDING;
    const holds = (type: string) => told.find((condition) => condition.type === type && condition.status === "True");
    for (const type of result.bindingFailureConditions ?? []) {
      const { reason, message = "" } = holds(type) ?? {};
      if (reason === undefined) continue;
      const why = `claim ${metadata.name} binding failed: reason=${reason}, message=${JSON.stringify(message)}`;
      return { type: "failed", why };
    }
    if (!bindingConditions.every(holds)) return PENDING;
  }
  return READY;
}

export function hasBindingConditions(allocation: AllocationResult | undefined): boolean {
  return (allocation?.devices.results ?? []).some(({ bindingConditions = [] }) => bindingConditions.length > 0);
}

/** Drivers tell of devices only where the status of devices is known, too. */
export const bindingConditionsCount = ({ gates }: Pick<DeviceLookup, "gates">): boolean =>
  gates.DRADeviceBindingConditions && gates.DRAResourceClaimDeviceStatus;

/** Whether the driver has had its time, from when the devices were allocated. */
export function isBindingLate(claim: DeviceClaim, nowMs: number): boolean {
  const sinceMs = Date.parse(claim.status.allocation?.allocationTimestamp ?? "");
  return hasBindingConditions(claim.status.allocation) && nowMs - sinceMs > BINDING_TIMEOUT_MS;
}

/** With these devices no pod will ever be bound. */
export function isBindingLost(claim: DeviceClaim, nowMs: number): boolean {
  const { type } = readinessOf(claim);
  return type === "failed" || (type === "pending" && isBindingLate(claim, nowMs));
}
