// Whether a node has room for what a pod asks for, in the words of upstream's agent. Pure.

import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  type Quantity,
  quantityOfInt,
  quantityToInteger,
  roundQuantityUp,
} from "../../../meta/quantity.ts";
import type { Pod } from "../pod.ts";
import type { ResourceList } from "../resource-list.ts";
import { podRequests } from "./resources.ts";

interface Room {
  readonly allocatable: Readonly<ResourceList>;
  /** The pods that the node has taken and that have not ended. */
  readonly others: readonly Pod[];
}

interface RoomProblem {
  readonly reason: string;
  readonly message: string;
}

const ONE = quantityOfInt(1);
const ZERO = quantityOfInt(0);

/** Which resource is short; those that the node does not count are left to whoever does. */
export function resourcesProblem(pod: Pod, { allocatable, others }: Room): RoomProblem | undefined {
  const requested = nodeRequests(pod);
  const used = new Map<string, Quantity>();
  for (const other of others) {
    for (const [name, quantity] of nodeRequests(other)) used.set(name, addQuantities(used.get(name) ?? ZERO, quantity));
  }
  for (const [name, quantity] of requested) {
    const capacity = Object.hasOwn(allocatable, name) ? parseQuantity(allocatable[name]!) : undefined;
    if (capacity === undefined) continue;
    const taken = used.get(name) ?? ZERO;
    if (compareQuantities(quantity, ZERO) === 0 || compareQuantities(addQuantities(taken, quantity), capacity) <= 0)
      continue;
    const amount = (value: Quantity) => amountText(name, value);
    const message = `Node didn't have enough resource: ${name}, requested: ${amount(quantity)}, used: ${amount(taken)}, capacity: ${amount(capacity)}`;
    return { reason: `OutOf${name}`, message };
  }
  return undefined;
}

/** Why a pod that runs there does not get what it asks for now: `Deferred` until there is room, `Infeasible` for good. */
export function resizeRoomProblem(
  wanted: Pod,
  { allocatable, most, others }: Room & { readonly most: Readonly<ResourceList> },
): RoomProblem | undefined {
  // Where several are short, memory is named first.
  const { cpu: _, ...withoutCpu } = most;
  const never =
    resourcesProblem(wanted, { allocatable: withoutCpu, others: [] }) ??
    resourcesProblem(wanted, { allocatable: most, others: [] });
  if (never !== undefined) return { reason: "Infeasible", message: capacityMessage(never.message) };
  const now = resourcesProblem(wanted, { allocatable, others });
  return now === undefined ? undefined : { reason: "Deferred", message: now.message };
}

/** What can never be is not a matter of what others use. */
const capacityMessage = (message: string): string =>
  message.replace("enough resource", "enough capacity").replace(/, used: \d+/, "");

/** What a pod takes of its node: itself, and its requests. */
export function nodeRequests({ spec }: Pod): Map<string, Quantity> {
  const requests = new Map<string, Quantity>([["pods", ONE]]);
  for (const [name, quantity] of podRequests(spec)) requests.set(name, quantity);
  return requests;
}

/** Processors are told in thousandths. */
function amountText(name: string, quantity: Quantity): string {
  if (name !== "cpu") return String(quantityToInteger(quantity));
  const { value, scale } = roundQuantityUp(quantity, -3);
  return String(value * 10n ** BigInt(scale + 3));
}
