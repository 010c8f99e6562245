// Simulated nodes on a whole server in the same process, for tests: real access control, clock in hand.

import { asUser } from "../apiserver/server.testing.ts";
import { FakeClock } from "../base/clock.ts";
import { eventuallyAt } from "../base/eventually.testing.ts";
import { silentLog } from "../base/log.ts";
import { type ClientInProcess, clientInProcess } from "../client/client.testing.ts";
import { InProcessTransport } from "../client/in-process-transport.ts";
import { ResourceClient } from "../client/resource-client.ts";
import type { Dialect } from "../meta/names.ts";
import { NODES_GROUP, nodeUser } from "../meta/node-identity.ts";
import { SimulatedNodes } from "./simulated-nodes.ts";

export interface SimulatedCluster extends ClientInProcess {
  readonly clock: FakeClock;
  /** Resolves once `check` no longer throws, time passing meanwhile; fails with its last error after some seconds. */
  eventually<T>(check: () => T | Promise<T>): Promise<T>;
  /** The process of the nodes ends, and another begins. */
  restartNodes(): Promise<void>;
  /** It ends; the nodes fall silent. */
  stopNodes(): Promise<void>;
}

export interface SimulatedClusterOptions {
  readonly count: number;
  readonly dialect?: Dialect;
  readonly capacity?: Readonly<Record<string, string>>;
  /** Further flags of the server. */
  readonly flags?: readonly string[];
}

const CAPACITY = { cpu: "4", memory: "8Gi", pods: "10", "ephemeral-storage": "10Gi" };

export async function simulatedCluster({
  count,
  dialect = "platform",
  capacity = CAPACITY,
  flags = [],
}: SimulatedClusterOptions): Promise<SimulatedCluster> {
  const clock = new FakeClock(Date.parse("2030-01-01T00:00:00Z"));
  const inProcess = await clientInProcess({
    dialect,
    flags: [
      "--authorization-mode=Node,RBAC",
      "--enable-admission-plugins=NodeRestriction",
      // Nothing here makes accounts, or says of nodes that they are ready.
      "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
      ...flags,
    ],
    authorization: "by flags",
    deps: { clock },
  });
  const { client, server } = inProcess;
  const clientFor = (node: string): ResourceClient => {
    const headers = { "user-agent": "test/1", ...asUser({ name: nodeUser(node), groups: [NODES_GROUP] }) };
    return new ResourceClient({ transport: new InProcessTransport({ handler: server.handler, headers }), dialect });
  };
  const build = () => new SimulatedNodes({ count, capacity, reader: client, clientFor, clock, log: silentLog });
  let nodes = build();
  await nodes.start();
  return {
    ...inProcess,
    clock,
    eventually: (check) => eventuallyAt(clock, 50, check),
    stopNodes: () => nodes.stop(),
    async restartNodes() {
      await nodes.stop();
      nodes = build();
      await nodes.start();
    },
    async close() {
      await nodes.stop();
      await inProcess.close();
    },
  };
}
