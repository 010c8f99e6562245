// The simulated nodes of `plinth up`, from options and clients.

import type { InProcessClients } from "../apiserver/in-process-clients.ts";
import { systemClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { SimulatedNodeOptions } from "../simulated-nodes/simulated-node-options.ts";
import { SimulatedNodes } from "../simulated-nodes/simulated-nodes.ts";

interface SimulatedNodesRequest {
  readonly options: SimulatedNodeOptions;
  readonly capacity: Readonly<Record<string, string>>;
  readonly log: Log;
  readonly clients: InProcessClients;
}

/** Registers the nodes in the background; without any asked for, nothing runs. */
export function runSimulatedNodes({ options, capacity, log, clients }: SimulatedNodesRequest): {
  stop(): Promise<void>;
} {
  const count = options.simulatedNodes;
  if (count === 0) return { stop: async () => undefined };
  // A node may read only its own pods: whoever follows all of them is the manager.
  const reader = clients.componentClient("system:kube-controller-manager", "kubelet/simulated");
  const nodes = new SimulatedNodes({ count, capacity, reader, clientFor: clients.nodeClient, clock: systemClock, log });
  const started = nodes.start().catch((error: unknown) => {
    log.debug({ err: error }, "the simulated nodes were stopped before they began");
  });
  return {
    async stop() {
      await nodes.stop();
      await started;
      await reader.close();
    },
  };
}
