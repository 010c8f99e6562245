// The controllers of a process, from options and clients: what `plinth up` and `plinth controller-manager` share.

import { systemClock } from "../base/clock.ts";
import type { FeatureGates } from "../base/feature-gates.ts";
import type { Log } from "../base/log.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Client } from "../client/client.ts";
import { ALL_CONTROLLERS } from "../controllers/all-controllers.ts";
import { CONTROLLER_GATES } from "../controllers/controller-gates.ts";
import type { ControllerOptions } from "../controllers/controller-options.ts";
import { chooseControllers } from "../controllers/framework/choose-controllers.ts";
import { ControllerManager } from "../controllers/framework/manager.ts";
import type { GateName } from "../options/feature-gate-table.ts";
import { ELECTION_GATE, type RunningWork, runElected } from "./run-elected.ts";

interface ControllersRequest {
  readonly options: ControllerOptions;
  readonly gates: FeatureGates<GateName>;
  readonly log: Log;
  readonly metrics: Metrics | undefined;
  /** Follows objects. */
  readonly client: Client;
  /** Holds the lease of the leader; the same when not given. Closed at the end. */
  readonly leaseClient?: Client | undefined;
  /** Acts as a service account of the system namespace. */
  readonly clientFor: (account: string) => Client;
}

/** Fails with UsageError when --controllers names somebody who does not exist. */
export function runControllers(request: ControllersRequest): RunningWork {
  const { options, log, client } = request;
  const definitions = chooseControllers(ALL_CONTROLLERS, options, log);
  return runElected({
    options,
    gates: request.gates,
    log,
    metrics: request.metrics,
    leaseClient: request.leaseClient ?? client,
    // As upstream's, they read nothing before they act: a second copy of everything would cost more than it saves.
    build: (fenced) =>
      new ControllerManager({
        ...request,
        clientFor: (account) => fenced(request.clientFor(account)),
        definitions,
        gateEnabled: (gate) => request.gates.enabled(gate),
        clock: systemClock,
        random: Math.random,
      }),
    onBegin: () => log.info({ controllers: definitions.length }, "the controllers begin"),
  });
}

/** Those that were set to something else than their default, and that no controller looks at. */
export function gatesOfOthers({ changed }: Pick<FeatureGates<GateName>, "changed">): readonly GateName[] {
  return changed.filter((name) => name !== ELECTION_GATE && !Object.hasOwn(CONTROLLER_GATES, name));
}
