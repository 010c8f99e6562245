// Simulated nodes, and a scheduler that places pods on them, beside the server inside a test.

import type { InProcessUsers } from "../authn/in-process-users.ts";
import { systemClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import { Client } from "../client/client.ts";
import { InProcessTransport, type InProcessTransportOptions } from "../client/in-process-transport.ts";
import { ResourceClient } from "../client/resource-client.ts";
import type { Dialect } from "../meta/names.ts";
import { NODES_GROUP, nodeUser } from "../meta/node-identity.ts";
import { Scheduler } from "../scheduler/scheduler.ts";
import { DEFAULT_CAPACITY } from "../simulated-nodes/simulated-node-options.ts";
import { SimulatedNodes } from "../simulated-nodes/simulated-nodes.ts";

export interface NodesRequest {
  readonly handler: InProcessTransportOptions["handler"];
  readonly users: InProcessUsers;
  readonly dialect: Dialect;
  readonly count: number;
}

/** Resolves when the nodes are registered. */
export async function startNodes(request: NodesRequest): Promise<{ stop(): Promise<void> }> {
  const { handler, users, dialect, count } = request;
  const transportAs = (name: string, groups: readonly string[]) =>
    new InProcessTransport({ handler, connection: users.connect({ name, groups }) });
  const reader = new Client({ transport: transportAs("system:kube-controller-manager", []), dialect });
  const nodes = new SimulatedNodes({
    count,
    capacity: DEFAULT_CAPACITY,
    reader,
    clientFor: (node) => new ResourceClient({ transport: transportAs(nodeUser(node), [NODES_GROUP]), dialect }),
    clock: systemClock,
    log: silentLog,
  });
  const client = new Client({ transport: transportAs("system:kube-scheduler", []), dialect });
  const scheduler = new Scheduler({
    client,
    clock: systemClock,
    random: Math.random,
    log: silentLog,
    options: { percentageOfNodesToScore: 0 },
  });
  await nodes.start();
  await scheduler.start();
  return {
    async stop() {
      await scheduler.stop();
      await nodes.stop();
      await Promise.all([client.close(), reader.close()]);
    },
  };
}
