// What acts on objects beside the server: controllers, scheduler, nodes that pretend. Each acts as its own account, with a
// call instead of a socket.

import type { InProcessClients } from "../apiserver/in-process-clients.ts";
import type { Clock } from "../base/clock.ts";
import type { FeatureGates } from "../base/feature-gates.ts";
import { parseFlags } from "../base/flags.ts";
import { silentLog } from "../base/log.ts";
import { ALL_CONTROLLERS } from "../controllers/all-controllers.ts";
import type { GateEnabled } from "../controllers/controller-gates.ts";
import { controllerFlags } from "../controllers/controller-options.ts";
import { chooseControllers } from "../controllers/framework/choose-controllers.ts";
import { ControllerManager } from "../controllers/framework/manager.ts";
import { ELECTION_CONTROLLERS } from "../controllers/server-controllers.ts";
import type { GateName } from "../options/feature-gate-table.ts";
import { SERVER_USER } from "../registry/server-writes.ts";
import { Scheduler } from "../scheduler/scheduler.ts";
import { schedulerGates } from "../scheduler/scheduler-gates.ts";
import { schedulerFlags } from "../scheduler/scheduler-options.ts";
import { capacityOf, simulatedNodeFlags } from "../simulated-nodes/simulated-node-options.ts";
import { SimulatedNodes } from "../simulated-nodes/simulated-nodes.ts";

export interface Actor {
  /** Whether it has work at hand; what waits for its time does not count. */
  readonly busy: boolean;
  stop(): Promise<void>;
}

/** What they are made of. */
export interface ActorParts {
  readonly clients: InProcessClients;
  readonly clock: Clock;
  readonly random: () => number;
  readonly gates: FeatureGates<GateName>;
}

const log = silentLog;

export async function startControllers({ clients, clock, random, gates }: ActorParts): Promise<Actor[]> {
  const { options } = parseFlags(controllerFlags, []);
  const definitions = chooseControllers(ALL_CONTROLLERS, options, log);
  const gateEnabled: GateEnabled = (gate) => gates.enabled(gate);
  const shared = { options, clock, random, log, gateEnabled };
  const { client, clientFor } = clients;
  const managers = [new ControllerManager({ ...shared, definitions, client, clientFor })];
  if (gates.enabled("CoordinatedLeaderElection")) {
    const server = clients.componentClient(SERVER_USER.name, "plinth-apiserver", SERVER_USER.groups);
    const own = { definitions: ELECTION_CONTROLLERS, client: server, clientFor: () => server };
    managers.push(new ControllerManager({ ...shared, ...own }));
  }
  await Promise.all(managers.map((manager) => manager.start()));
  return managers;
}

/** With a scheduler, in the order of their start. */
export async function startNodes({ clients, clock, random, gates }: ActorParts, count: number): Promise<Actor[]> {
  const { options } = parseFlags(schedulerFlags, []);
  const scheduler = new Scheduler({
    client: clients.componentClient("system:kube-scheduler", "kube-scheduler"),
    clock,
    random,
    log,
    options,
    gates: schedulerGates((gate) => gates.enabled(gate)),
  });
  await scheduler.start();
  const reader = clients.componentClient("system:kube-controller-manager", "kubelet/simulated");
  const capacity = capacityOf(parseFlags(simulatedNodeFlags, []).options);
  const simulated = new SimulatedNodes({ count, capacity, reader, clientFor: clients.nodeClient, clock, log });
  await simulated.start();
  return [scheduler, { busy: false, stop: () => simulated.stop() }];
}
