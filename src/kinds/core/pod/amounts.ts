// What a pod asks for and may use as a whole: containers together, init containers one after the other, its overhead.

import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
} from "../../../meta/quantity.ts";
import type { Pod } from "../pod.ts";

type Which = "requests" | "limits";
type Sums = Map<string, Quantity>;

export const podRequests = (pod: Pod): Record<string, string> => whole(pod, "requests");
export const podLimits = (pod: Pod): Record<string, string> => whole(pod, "limits");

function whole({ spec }: Pod, which: Which): Record<string, string> {
  const sum: Sums = new Map();
  for (const { resources } of spec.containers ?? []) add(sum, read(resources?.[which]));
  const staying: Sums = new Map();
  const peak: Sums = new Map();
  for (const { resources, restartPolicy } of spec.initContainers ?? []) {
    const own = read(resources?.[which]);
    if (restartPolicy === "Always") {
      add(sum, own);
      add(staying, own);
      raise(peak, staying);
    } else {
      add(own, staying);
      raise(peak, own);
    }
  }
  raise(sum, peak);
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

function read(amounts: Readonly<Record<string, string>> | undefined | null): Sums {
  const found: Sums = new Map();
  for (const [name, text] of Object.entries(amounts ?? {})) {
    const quantity = parseQuantity(text);
    if (quantity !== undefined) found.set(name, quantity);
  }
  return found;
}

function add(sum: Sums, more: Sums): void {
  for (const [name, quantity] of more) {
    const have = sum.get(name);
    sum.set(name, have === undefined ? quantity : addQuantities(have, quantity));
  }
}

function raise(peak: Sums, to: Sums): void {
  for (const [name, quantity] of to) {
    const have = peak.get(name);
    if (have === undefined || compareQuantities(have, quantity) < 0) peak.set(name, quantity);
  }
}
