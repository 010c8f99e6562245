// The controllers of a process, from options and clients: what `plinth up` and `plinth controller-manager` share.

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { systemClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Client } from "../client/client.ts";
import { LeaderElection } from "../client/leader-election.ts";
import { ALL_CONTROLLERS } from "../controllers/all-controllers.ts";
import type { ControllerOptions } from "../controllers/controller-options.ts";
import { chooseControllers } from "../controllers/framework/choose-controllers.ts";
import { ControllerManager } from "../controllers/framework/manager.ts";

export interface ControllersRequest {
  readonly options: ControllerOptions;
  readonly log: Log;
  readonly metrics: Metrics | undefined;
  /** Follows objects and holds the lease of the leader. */
  readonly client: Client;
  /** Acts as a service account of the system namespace. */
  readonly clientFor: (account: string) => Client;
}

export interface RunningControllers {
  /** Whether this process acts. */
  readonly leads: boolean;
  /** Rejects when the controllers have ended by themselves: leadership was lost. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/** Fails with UsageError when --controllers names somebody who does not exist. */
export function runControllers(request: ControllersRequest): RunningControllers {
  const { options, log, client } = request;
  const definitions = chooseControllers(ALL_CONTROLLERS, options, log);
  const stop = new AbortController();
  let leads = false;
  const act = async (signal: AbortSignal, fenced: Fence): Promise<void> => {
    const manager = new ControllerManager({
      ...request,
      clientFor: (account) => fenced(request.clientFor(account)),
      definitions,
      clock: systemClock,
      random: Math.random,
    });
    const aborted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    leads = true;
    log.info({ controllers: definitions.length }, "the controllers begin");
    try {
      await Promise.race([manager.start(), aborted]);
      await aborted;
    } finally {
      leads = false;
      await manager.stop();
    }
  };
  const ended = options.leaderElect ? elected(request, act, stop.signal) : act(stop.signal, (each) => each);
  ended.catch(() => undefined);
  return {
    get leads() {
      return leads;
    },
    ended,
    async stop() {
      stop.abort(new Error("stopped"));
      await ended.catch(() => undefined);
      await client.close();
    },
  };
}

/** Makes a client that writes only while this process leads. */
type Fence = (client: Client) => Client;

async function elected(
  { client, options, log }: ControllersRequest,
  act: (signal: AbortSignal, fenced: Fence) => Promise<void>,
  stop: AbortSignal,
): Promise<void> {
  const election = new LeaderElection({
    client,
    namespace: client.names.systemNamespace,
    name: options.leaderElectResourceName,
    identity: `${hostname()}_${randomUUID()}`,
    leaseDurationMs: options.leaderElectLeaseDurationMs,
    renewDeadlineMs: options.leaderElectRenewDeadlineMs,
    retryPeriodMs: options.leaderElectRetryPeriodMs,
    onError: (error) => log.debug({ err: error }, "the lease of the leader could not be renewed, trying again"),
  });
  await election.lead(({ signal, fenced }) => act(signal, fenced), stop);
}
