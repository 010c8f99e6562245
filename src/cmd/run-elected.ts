// Work that only one of several processes does: at once, or as soon as this one leads.

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Log } from "../base/log.ts";
import { StartError } from "../base/start-error.ts";
import type { Client } from "../client/client.ts";
import type { ElectionOptions } from "../client/election-flags.ts";
import { LeaderElection } from "../client/leader-election.ts";

interface ElectedWork {
  readonly options: ElectionOptions;
  readonly log: Log;
  /** Holds the lease of the leader. */
  readonly client: Client;
  /** Makes what acts; it is started when this process leads, and stopped when it does no longer. */
  build(fenced: Fence): { start(): Promise<void>; stop(): Promise<void> };
}

/** Makes a client that writes only while this process leads. */
type Fence = (client: Client) => Client;

export interface RunningWork {
  /** Whether this process acts. */
  readonly leads: boolean;
  /** Rejects when the work has ended by itself: leadership was lost. */
  readonly ended: Promise<void>;
  /** Closes the client too. */
  stop(): Promise<void>;
}

/** Fails with what is to be said when work has ended by itself: a leader that was silent for too long must not act on. */
export async function untilLost({ ended }: RunningWork, text: string): Promise<void> {
  await ended.catch((error: unknown) => {
    throw new StartError(`${text}: ${error instanceof Error ? error.message : String(error)}`);
  });
}

export function runElected(work: ElectedWork): RunningWork {
  const { options, client } = work;
  const stop = new AbortController();
  let leads = false;
  const act = async (signal: AbortSignal, fenced: Fence): Promise<void> => {
    const acting = work.build(fenced);
    const aborted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    leads = true;
    try {
      await Promise.race([acting.start(), aborted]);
      await aborted;
    } finally {
      leads = false;
      await acting.stop();
    }
  };
  const ended = options.leaderElect ? elected(work, act, stop.signal) : act(stop.signal, (each) => each);
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

async function elected(
  { client, options, log }: ElectedWork,
  act: (signal: AbortSignal, fenced: Fence) => Promise<void>,
  stop: AbortSignal,
): Promise<void> {
  const election = new LeaderElection({
    client,
    namespace: options.leaderElectResourceNamespace ?? client.names.systemNamespace,
    name: options.leaderElectResourceName,
    identity: `${hostname()}_${randomUUID()}`,
    leaseDurationMs: options.leaderElectLeaseDurationMs,
    renewDeadlineMs: options.leaderElectRenewDeadlineMs,
    retryPeriodMs: options.leaderElectRetryPeriodMs,
    onError: (error) => log.debug({ err: error }, "the lease of the leader could not be renewed, trying again"),
  });
  await election.lead(({ signal, fenced }) => act(signal, fenced), stop);
}
