// The flags of simulated nodes, for `plinth up`.

import { integerFlag, mapFlag } from "../base/flag-values.ts";
import type { OptionsOf } from "../base/flags.ts";
import { UsageError } from "../base/start-error.ts";
import { parseQuantity, quantitySign } from "../meta/quantity.ts";
import { MAX_SIMULATED_NODES } from "./simulated-node.ts";

export const simulatedNodeFlags = {
  simulatedNodes: integerFlag({
    default: 0,
    min: 0,
    max: MAX_SIMULATED_NODES,
    doc: "So many nodes that only pretend: their pods start, get ready and end by rule, without containers.",
  }),
  simulatedNodeCapacity: mapFlag({
    doc: "What each simulated node has, by resource; the rest of cpu=8, memory=32Gi, pods=110, ephemeral-storage=100Gi stays.",
  }),
} as const;

export type SimulatedNodeOptions = OptionsOf<typeof simulatedNodeFlags>;

/** Of each node, where nobody says otherwise. */
const DEFAULT_CAPACITY: Readonly<Record<string, string>> = {
  cpu: "8",
  memory: "32Gi",
  pods: "110",
  "ephemeral-storage": "100Gi",
};

/** Fails with UsageError on what is no amount. */
export function capacityOf({ simulatedNodeCapacity }: SimulatedNodeOptions): Readonly<Record<string, string>> {
  for (const [resource, text] of simulatedNodeCapacity) {
    const quantity = parseQuantity(text);
    if (quantity === undefined || quantitySign(quantity) < 0)
      throw new UsageError(`flag --simulated-node-capacity: ${JSON.stringify(text)} is no amount of ${resource}`);
  }
  return { ...DEFAULT_CAPACITY, ...Object.fromEntries(simulatedNodeCapacity) };
}
