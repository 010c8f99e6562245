// The feature gates that the scheduler looks at, and what they are when nobody sets them.

/** By name; the value of release 1.34. */
export const SCHEDULER_GATES = {
  DRAAdminAccess: true,
  DRAConsumableCapacity: false,
  DRADeviceBindingConditions: false,
  DRADeviceTaints: false,
  DRAExtendedResource: false,
  DRAPartitionableDevices: false,
  DRAPrioritizedList: true,
  DRAResourceClaimDeviceStatus: true,
  SchedulerPopFromBackoffQ: true,
} as const;

export type SchedulerGate = keyof typeof SCHEDULER_GATES;

export type SchedulerGates = Readonly<Record<SchedulerGate, boolean>>;

export function schedulerGates(isEnabled: (gate: SchedulerGate) => boolean): SchedulerGates {
  const gates = Object.keys(SCHEDULER_GATES) as SchedulerGate[];
  return Object.fromEntries(gates.map((gate) => [gate, isEnabled(gate)])) as Record<SchedulerGate, boolean>;
}
