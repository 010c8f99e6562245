// The controllers of coordinated elections, beside an API server and as its own user: with CoordinatedLeaderElection the
// server chooses who leads. Of several servers one does, who holds a lease of the ordinary kind.

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { inProcessClients } from "../apiserver/in-process-clients.ts";
import type { InProcessUsers } from "../authn/in-process-users.ts";
import { systemClock } from "../base/clock.ts";
import type { FeatureGates } from "../base/feature-gates.ts";
import { parseFlags } from "../base/flags.ts";
import type { Log } from "../base/log.ts";
import type { Client } from "../client/client.ts";
import { LeaderElection, LeadershipLost } from "../client/leader-election.ts";
import { controllerFlags } from "../controllers/controller-options.ts";
import { ELECTION_CONTROLLERS } from "../controllers/server-controllers.ts";
import type { ApiServerOptions } from "../options/api-server-options.ts";
import type { GateName } from "../options/feature-gate-table.ts";
import { parseRuntimeConfig } from "../options/runtime-config.ts";
import { SERVER_USER } from "../registry/server-writes.ts";
import { leaderStatus } from "./leader-status.ts";
import type { StartedServer } from "./run-server.ts";
import { startOwnControllers } from "./start-own-controllers.ts";

interface ElectionsRequest {
  readonly server: Pick<StartedServer, "handler" | "emptyResources" | "metrics">;
  readonly users: InProcessUsers;
  readonly options: ApiServerOptions;
  readonly gates: Pick<FeatureGates<GateName>, "enabled">;
  readonly log: Log;
}

/** Upstream's name of the controller and of its lease. */
const NAME = "leader-election-controller";

/** Ends with `stop`, before the server does. */
export function runElectionControllers({ server, users, options, gates, log }: ElectionsRequest): {
  stop(): Promise<void>;
} {
  if (!gates.enabled("CoordinatedLeaderElection")) return { stop: async () => undefined };
  const { componentClient } = inProcessClients(
    server.handler,
    users,
    options.dialect,
    systemClock,
    server.emptyResources,
  );
  const client = componentClient(SERVER_USER.name, `plinth-apiserver/${NAME}`, SERVER_USER.groups);
  const group = client.names.group("coordination");
  if (!parseRuntimeConfig(options.runtimeConfig).isServed(group, "v1beta1", "leasecandidates"))
    log.warn(
      {},
      `nobody can be chosen to lead: candidates need --runtime-config=${group}/v1beta1=true beside CoordinatedLeaderElection`,
    );
  const stop = new AbortController();
  const ended = chooseLeaders({ client, server, options, log }, stop.signal);
  return {
    async stop() {
      stop.abort(new Error("stopped"));
      await ended;
      await client.close();
    },
  };
}

interface ChoiceParts extends Pick<ElectionsRequest, "server" | "options" | "log"> {
  readonly client: Client;
}

/** Whenever it is the turn of this server, until the signal aborts. */
async function chooseLeaders({ client, server, options, log }: ChoiceParts, signal: AbortSignal): Promise<void> {
  const status = leaderStatus(server.metrics, NAME);
  const election = new LeaderElection({
    client,
    namespace: client.names.systemNamespace,
    name: NAME,
    identity: `${hostname()}_${randomUUID()}`,
    leaseDurationMs: options.coordinatedLeadershipLeaseDurationMs,
    renewDeadlineMs: options.coordinatedLeadershipRenewDeadlineMs,
    retryPeriodMs: options.coordinatedLeadershipRetryPeriodMs,
    onError: (error) =>
      log.debug({ err: error }, "the lease of who chooses leaders could not be renewed, trying again"),
  });
  while (!signal.aborted) {
    try {
      await election.lead(async (term) => {
        status.set(1);
        try {
          await runUntil(term.signal, term.client, log);
        } finally {
          status.set(0);
        }
      }, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof LeadershipLost)) throw error;
      log.warn({ err: error }, "this server chooses leaders no more, another one does");
    }
  }
}

async function runUntil(signal: AbortSignal, client: Client, log: Log): Promise<void> {
  const { options } = parseFlags(controllerFlags, []);
  const manager = startOwnControllers({ definitions: ELECTION_CONTROLLERS, options, client, log });
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await manager.stop();
}
