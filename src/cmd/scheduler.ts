// `plinth scheduler`: the scheduler alone, as a client of a server elsewhere.

import { type FlagSection, flagHelp } from "../base/flag-help.ts";
import { parseFlags } from "../base/flags.ts";
import { createLog } from "../base/log.ts";
import { Metrics } from "../base/metrics.ts";
import { addProcessMetrics } from "../base/process-metrics.ts";
import { StartError, UsageError } from "../base/start-error.ts";
import { Client } from "../client/client.ts";
import { electionFlags } from "../client/election-flags.ts";
import { HttpsTransport } from "../client/https-transport.ts";
import { addBuildInfo } from "../meta/build-info.ts";
import { RELEASE } from "../meta/version.ts";
import { schedulerFlags } from "../scheduler/scheduler-options.ts";
import { listenAsComponent, listenerFlags } from "./component-listener.ts";
import { connectionFlags, connectionFor } from "./connection.ts";
import { asksForHelp } from "./help-flag.ts";
import { reportBugs } from "./report-bugs.ts";
import { runScheduler, SCHEDULER_COMPONENT } from "./run-scheduler.ts";
import { untilSignal } from "./until-signal.ts";

const ownFlags = { ...schedulerFlags, ...electionFlags(SCHEDULER_COMPONENT) } as const;
/** Upstream's port. */
const portFlags = listenerFlags(10_259);

const SECTIONS: readonly FlagSection[] = [
  { title: "Connection", flags: connectionFlags },
  { title: "Scheduler", flags: ownFlags },
  { title: "Health and metrics", flags: portFlags },
];

export async function scheduler(args: readonly string[]): Promise<void> {
  if (asksForHelp(args)) {
    const usage = "plinth scheduler --kubeconfig=PATH [flags]";
    process.stdout.write(flagHelp(usage, "Runs the scheduler as a client of a server.", SECTIONS));
    return;
  }
  const { options, given, rest } = parseFlags({ ...connectionFlags, ...ownFlags, ...portFlags }, args);
  if (rest.length > 0) throw new UsageError(`unexpected argument ${JSON.stringify(rest[0])}`);
  const log = createLog({ verbosity: options.v });
  reportBugs(log);
  const stop = untilSignal();
  const transport = new HttpsTransport({
    connection: connectionFor(options.kubeconfig),
    userAgent: SCHEDULER_COMPONENT,
  });
  const client = new Client({ transport, dialect: options.dialect });
  const metrics = new Metrics({ release: RELEASE });
  addProcessMetrics(metrics);
  addBuildInfo(metrics, client.names);
  const running = runScheduler({ options, log, client, metrics });
  const isPortGiven = given.has("securePort");
  const listener = await listenAsComponent({ options, isPortGiven, log, metrics, client }).catch(async (error) => {
    await running.stop();
    throw error;
  });
  // A leader that was silent for too long must not act on: it starts anew, and waits.
  const lost = running.ended.catch((error: unknown) => {
    throw new StartError(`the scheduler has ended: ${error instanceof Error ? error.message : String(error)}`);
  });
  await Promise.race([stop.asked, lost]);
  log.info({}, "stopping");
  await listener?.stop();
  await running.stop();
}
