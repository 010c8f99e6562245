// The life of a component beside its work: its port is open while it works, and it ends when asked to or when the work does.

import { untilOtherDialect } from "../client/other-dialect.ts";
import { type ComponentListenerParts, listenAsComponent } from "./component-listener.ts";
import { type RunningWork, untilLost } from "./run-elected.ts";
import type { StopRequest } from "./until-signal.ts";

interface ComponentParts extends ComponentListenerParts {
  readonly work: RunningWork;
  readonly stop: StopRequest;
  /** What is said when the work has ended by itself. */
  readonly endText: string;
}

export async function runComponent({ work, stop, endText, ...listening }: ComponentParts): Promise<void> {
  const listener = await listenAsComponent(listening).catch(async (error) => {
    await work.stop();
    throw error;
  });
  const ending = new AbortController();
  const otherDialect = untilOtherDialect(listening.client, ending.signal);
  // It starts anew, and waits.
  await Promise.race([stop.asked, untilLost(work, endText), otherDialect]);
  ending.abort();
  listening.log.info({}, "stopping");
  await listener?.stop();
  await work.stop();
}
