// Runs controllers: one set of informers for all of them, and, where it is asked for, only in the process that leads.

import { setMaxListeners } from "node:events";
import { EventRecorder } from "../event-recorder.ts";
import { LeaderElection, type LeaderElectionOptions, LeadershipLost } from "../leader-election.ts";
import type { ResourceClient } from "../resource-client.ts";
import { SharedInformers } from "../shared-informers.ts";
import { unlessAborted } from "../unless-aborted.ts";
import type { AnyController } from "./controller-definition.ts";
import { ControllerLoop } from "./controller-loop.ts";

export interface ControllerRun {
  readonly client: ResourceClient;
  readonly controllers: readonly AnyController[];
  /** Only the holder of this lease runs them; others wait. Everybody runs them when not given. */
  readonly election?: Omit<LeaderElectionOptions<ResourceClient>, "client"> | undefined;
  /** Told of every failure that is tried again: of a reconcile, with the controller and the key; of the connection. */
  readonly onError?:
    | ((error: unknown, where?: { readonly controller: string; readonly key: string }) => void)
    | undefined;
  /** Told when every controller has seen everything there is, and works. */
  readonly onReady?: (() => void) | undefined;
}

/** Runs until the signal aborts, and waits for what is under way. Who loses an election waits for the next. */
export async function runControllers(run: ControllerRun, signal: AbortSignal): Promise<void> {
  const { client, election, onError } = run;
  if (election === undefined) return runOnce(run, client, signal);
  const elected = new LeaderElection({
    ...election,
    onError: election.onError ?? ((error) => onError?.(error)),
    client,
  });
  while (!signal.aborted) {
    try {
      await elected.lead((term) => runOnce(run, term.client, term.signal), signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof LeadershipLost)) throw error;
      onError?.(error);
    }
  }
}

async function runOnce(run: ControllerRun, client: ResourceClient, signal: AbortSignal): Promise<void> {
  const informers = new SharedInformers(client, { onError: (error) => run.onError?.(error) });
  const recorders: EventRecorder[] = [];
  const loops = run.controllers.map(({ definition }) => {
    const recorder = new EventRecorder({ client, controller: definition.name });
    recorders.push(recorder);
    const onError = (error: unknown, key: string) => run.onError?.(error, { controller: definition.name, key });
    // Fields that a controller writes are its own, also beside other controllers of the process.
    const own = client.with({ fieldManager: definition.name });
    return new ControllerLoop({ definition, client: own, informers, recorder, onError });
  });
  const stop = () => {
    for (const loop of loops) loop.stop();
  };
  // Every request of every reconcile may listen to it.
  setMaxListeners(0, signal);
  signal.addEventListener("abort", stop, { once: true });
  informers.start();
  try {
    await unlessAborted(informers.whenSynced(), signal);
    const running = loops.map((loop) => loop.run(signal));
    run.onReady?.();
    await Promise.all(running);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener("abort", stop);
    await informers.stop();
    await Promise.all(recorders.map((recorder) => recorder.close()));
  }
}
