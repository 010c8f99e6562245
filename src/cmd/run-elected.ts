// Work that only one of several processes does: at once, or as soon as this one leads.

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { FeatureGates } from "../base/feature-gates.ts";
import type { Log } from "../base/log.ts";
import type { Metrics } from "../base/metrics.ts";
import { StartError } from "../base/start-error.ts";
import type { Client } from "../client/client.ts";
import type { ElectionOptions } from "../client/election-flags.ts";
import { LeaderElection } from "../client/leader-election.ts";
import { RELEASE } from "../meta/version.ts";
import type { GateName } from "../options/feature-gate-table.ts";
import { leaderStatus } from "./leader-status.ts";

interface ElectedWork {
  readonly options: ElectionOptions;
  readonly gates: Pick<FeatureGates<GateName>, "enabled">;
  readonly log: Log;
  readonly metrics: Metrics | undefined;
  /** Holds the lease of the leader. */
  readonly leaseClient: Client;
  /** Makes what acts, before anybody leads. */
  build(fenced: Fence): Acting;
  /** Told when it begins to act. */
  onBegin(): void;
}

interface Acting {
  /** Gets ready while another process leads; what need not is made ready at the start. */
  prepare?(): Promise<void>;
  /** Called when this process leads. */
  start(): Promise<void>;
  /** Called once: when this process leads no longer, or has waited long enough. */
  stop(): Promise<void>;
}

/** Makes a client that writes only while this process leads. */
type Fence = (client: Client) => Client;

export interface RunningWork {
  /** Whether this process acts. */
  readonly leads: boolean;
  /** Rejects when the work has ended by itself: leadership was lost. */
  readonly ended: Promise<void>;
  /** Closes the client of the lease too. */
  stop(): Promise<void>;
}

/** Fails with what is to be said when work has ended by itself: a leader that was silent for too long must not act on. */
export async function untilLost({ ended }: RunningWork, text: string): Promise<void> {
  await ended.catch((error: unknown) => {
    throw new StartError(`${text}: ${error instanceof Error ? error.message : String(error)}`);
  });
}

export function runElected(work: ElectedWork): RunningWork {
  const { options, leaseClient, metrics } = work;
  const stop = new AbortController();
  const election = options.leaderElect ? electionFor(work) : undefined;
  const acting = work.build((each) => election?.fenced(each) ?? each);
  let stopped: Promise<void> | undefined;
  const stopActing = () => {
    stopped ??= acting.stop();
    return stopped;
  };
  const status = election && metrics ? leaderStatus(metrics, options.leaderElectResourceName) : undefined;
  let leads = false;
  const setLeads = (now: boolean): void => {
    leads = now;
    status?.set(now ? 1 : 0);
  };
  const act = async (signal: AbortSignal): Promise<void> => {
    work.onBegin();
    const aborted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    setLeads(true);
    try {
      await Promise.race([acting.start(), aborted]);
      await aborted;
    } finally {
      setLeads(false);
      await stopActing();
    }
  };
  const waitAndAct = async (candidate: LeaderElection<Client>): Promise<void> => {
    acting.prepare?.().catch(() => undefined);
    try {
      await candidate.lead(({ signal }) => act(signal), stop.signal);
    } finally {
      await stopActing();
    }
  };
  const ended = election === undefined ? act(stop.signal) : waitAndAct(election);
  ended.catch(() => undefined);
  return {
    get leads() {
      return leads;
    },
    ended,
    async stop() {
      stop.abort(new Error("stopped"));
      await ended.catch(() => undefined);
      await leaseClient.close();
    },
  };
}

/** With it the server chooses who leads, of those who announce themselves. */
export const ELECTION_GATE = "CoordinatedLeaderElection";

function electionFor({ leaseClient: client, options, gates, log }: ElectedWork): LeaderElection<Client> {
  const { leaderElectResourceName: name } = options;
  return new LeaderElection({
    client,
    namespace: options.leaderElectResourceNamespace ?? client.names.systemNamespace,
    name,
    identity: `${hostname()}_${randomUUID()}`,
    // We behave like the release that we are.
    ...(gates.enabled(ELECTION_GATE) ? { candidate: { binaryVersion: `${RELEASE}.0` } } : {}),
    leaseDurationMs: options.leaderElectLeaseDurationMs,
    renewDeadlineMs: options.leaderElectRenewDeadlineMs,
    retryPeriodMs: options.leaderElectRetryPeriodMs,
    onError(error, of) {
      if (of === "lease") log.debug({ err: error }, "the lease of the leader could not be renewed, trying again");
      // Nobody else would say why nobody leads.
      else log.warn({ err: error, lease: name }, "the server could not be asked to choose a leader, trying again");
    },
  });
}
