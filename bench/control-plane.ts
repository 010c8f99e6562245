// A whole control plane in one process for benchmarks: what `plinth up` runs, over an embedded store in a folder of its own.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type InProcessClients, inProcessClients } from "../src/apiserver/in-process-clients.ts";
import { buildApiServer } from "../src/apiserver/server.ts";
import { InProcessUsers } from "../src/authn/in-process-users.ts";
import { systemClock } from "../src/base/clock.ts";
import { parseFlags } from "../src/base/flags.ts";
import { silentLog } from "../src/base/log.ts";
import { Client } from "../src/client/client.ts";
import { InProcessTransport } from "../src/client/in-process-transport.ts";
import { buildScheduler } from "../src/cmd/build-scheduler.ts";
import { schedulerThreadProgram } from "../src/cmd/scheduler-thread/program.ts";
import { ALL_CONTROLLERS } from "../src/controllers/all-controllers.ts";
import { controllerFlags } from "../src/controllers/controller-options.ts";
import { chooseControllers } from "../src/controllers/framework/choose-controllers.ts";
import { ControllerManager } from "../src/controllers/framework/manager.ts";
import { namesFor } from "../src/meta/names.ts";
import { SYSTEM_MASTERS } from "../src/meta/user.ts";
import { parseApiServerOptions } from "../src/options/api-server-options.ts";
import { serverGates } from "../src/options/feature-gate-table.ts";
import { SCHEDULER_GATES } from "../src/scheduler/scheduler-gates.ts";
import { schedulerFlags } from "../src/scheduler/scheduler-options.ts";
import { SimulatedNodes } from "../src/simulated-nodes/simulated-nodes.ts";
import { openLmdbEngine } from "../src/storage/lmdb-engine.ts";

const DIALECT = "kubernetes";
const CAPACITY = { cpu: "8", memory: "32Gi", pods: "110", "ephemeral-storage": "100Gi" };

export interface ControlPlane {
  /** Of an administrator. */
  readonly client: Client;
  readonly clients: InProcessClients;
  /** Everybody acts with the rights of its own role. */
  startControllers(flags?: readonly string[]): Promise<ControllerManager>;
  startScheduler(): Promise<{ stop(): Promise<void> }>;
  startNodes(count: number): Promise<SimulatedNodes>;
  close(): Promise<void>;
}

export async function startControlPlane(): Promise<ControlPlane> {
  const dir = mkdtempSync(join(tmpdir(), "plinth-bench-"));
  const options = parseApiServerOptions([
    "--authorization-mode=Node,RBAC",
    "--enable-admission-plugins=NodeRestriction",
    "--service-cluster-ip-range=10.96.0.0/16",
  ]);
  const engine = await openLmdbEngine({ dir, identity: DIALECT });
  const users = new InProcessUsers();
  const server = buildApiServer({
    names: namesFor(DIALECT),
    options,
    gates: serverGates(options.featureGates, DIALECT),
    engine,
    log: silentLog,
    inProcessUsers: users,
  });
  await server.start();
  const { handler } = server;
  const clients = inProcessClients(handler, users, DIALECT);
  const connection = users.connect({ name: "bench", groups: [SYSTEM_MASTERS] });
  const client = new Client({ transport: new InProcessTransport({ handler, connection }), dialect: DIALECT });
  return {
    client,
    clients,
    async startControllers(flags = []) {
      const { options: asked } = parseFlags(controllerFlags, flags);
      const manager = new ControllerManager({
        ...clients,
        options: asked,
        definitions: chooseControllers(ALL_CONTROLLERS, asked, silentLog),
        clock: systemClock,
        random: Math.random,
        log: silentLog,
      });
      await manager.start();
      return manager;
    },
    async startScheduler() {
      const scheduler = buildScheduler({
        client: clients.componentClient("system:kube-scheduler", "bench"),
        options: parseFlags(schedulerFlags, []).options,
        gates: SCHEDULER_GATES,
        log: silentLog,
        metrics: undefined,
        onMeasuredElsewhere: () => undefined,
        threadProgram: process.env["BENCH_SCHEDULER"] === "here" ? undefined : schedulerThreadProgram,
      });
      await scheduler.start();
      return scheduler;
    },
    async startNodes(count) {
      const nodes = new SimulatedNodes({
        count,
        capacity: CAPACITY,
        reader: client,
        clientFor: clients.nodeClient,
        clock: systemClock,
        log: silentLog,
      });
      await nodes.start();
      return nodes;
    },
    async close() {
      await server.close();
      await engine.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
