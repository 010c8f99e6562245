// What a pod asks for and may use as a whole: containers together, init containers one after the other, its overhead.

import { addQuantities, formatQuantity, parseQuantity, type Quantity } from "../../../meta/quantity.ts";
import type { Pod } from "../pod.ts";
import { sumLimits, sumRequests } from "./resources.ts";

type Which = "requests" | "limits";

export const podRequests = (pod: Pod): Record<string, string> => whole(pod, "requests");
export const podLimits = (pod: Pod): Record<string, string> => whole(pod, "limits");

function whole({ spec }: Pod, which: Which): Record<string, string> {
  const sum = which === "requests" ? sumRequests(spec) : sumLimits(spec);
  // What is said for the pod as a whole stands for its containers.
  for (const [name, quantity] of read(spec.resources?.[which])) if (WHOLE_POD.test(name)) sum.set(name, quantity);
  for (const [name, quantity] of read(spec.overhead)) {
    const have = sum.get(name);
    // Without a limit there is nothing that the overhead could be added to.
    if (have !== undefined) sum.set(name, addQuantities(have, quantity));
    else if (which === "requests") sum.set(name, quantity);
  }
  return Object.fromEntries([...sum].map(([name, quantity]) => [name, formatQuantity(quantity)]));
}

const WHOLE_POD = /^(?:cpu|memory|hugepages-.+)$/;

function read(amounts: Readonly<Record<string, string>> | undefined | null): Map<string, Quantity> {
  const found = new Map<string, Quantity>();
  for (const [name, text] of Object.entries(amounts ?? {})) {
    const quantity = parseQuantity(text);
    if (quantity !== undefined) found.set(name, quantity);
  }
  return found;
}
