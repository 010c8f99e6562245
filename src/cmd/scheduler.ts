// `plinth scheduler`: the scheduler alone, as a client of a server elsewhere.

import { type FlagSection, flagHelp } from "../base/flag-help.ts";
import { pathFlag } from "../base/flag-values.ts";
import { parseFlags } from "../base/flags.ts";
import { createLog } from "../base/log.ts";
import { Metrics } from "../base/metrics.ts";
import { addProcessMetrics } from "../base/process-metrics.ts";
import { UsageError } from "../base/start-error.ts";
import { checkElectionFlags, electionFlags } from "../client/election-flags.ts";
import { addBuildInfo } from "../meta/build-info.ts";
import { RELEASE } from "../meta/version.ts";
import { featureFlags } from "../options/authorization-flags.ts";
import { serverGates } from "../options/feature-gate-table.ts";
import { schedulerFlags } from "../scheduler/scheduler-options.ts";
import { ComponentClients, componentFlags } from "./component-client.ts";
import { listenerFlags } from "./component-listener.ts";
import { connectionFor } from "./connection.ts";
import { asksForHelp } from "./help-flag.ts";
import { idleComponentFlags, idleFlagWarnings } from "./idle-flags.ts";
import { reportBugs } from "./report-bugs.ts";
import { runComponent } from "./run-component.ts";
import { gatesOfOthers, runScheduler, SCHEDULER_COMPONENT } from "./run-scheduler.ts";
import { untilSignal } from "./until-signal.ts";

const { featureGates } = featureFlags;
const ownFlags = {
  config: pathFlag({
    default: undefined,
    doc: "File with profiles and what else upstream's configuration of schedulers says.",
  }),
  ...schedulerFlags,
  ...electionFlags(SCHEDULER_COMPONENT),
  featureGates,
} as const;
/** Upstream's port. */
const portFlags = listenerFlags(10_259);

const SECTIONS: readonly FlagSection[] = [
  { title: "Connection", flags: componentFlags },
  { title: "Scheduler", flags: ownFlags },
  { title: "Health and metrics", flags: portFlags },
  { title: "Of upstream's, without effect", flags: idleComponentFlags },
];

export async function scheduler(args: readonly string[]): Promise<void> {
  if (asksForHelp(args)) {
    const usage = "plinth scheduler --kubeconfig=PATH [flags]";
    process.stdout.write(flagHelp(usage, "Runs the scheduler as a client of a server.", SECTIONS));
    return;
  }
  const parsed = parseFlags({ ...componentFlags, ...ownFlags, ...portFlags, ...idleComponentFlags }, args);
  const { given, rest } = parsed;
  if (rest.length > 0) throw new UsageError(`unexpected argument ${JSON.stringify(rest[0])}`);
  const file = await configurationOf(parsed.options.config, given);
  const options = { ...parsed.options, ...file?.options };
  checkElectionFlags(options);
  const gates = serverGates(options.featureGates, options.dialect);
  const log = createLog({ verbosity: options.v, format: options.loggingFormat });
  reportBugs(log);
  for (const warning of idleFlagWarnings(options)) log.warn({}, warning);
  for (const warning of gates.warnings) log.warn({}, warning);
  const idle = gatesOfOthers(gates);
  if (idle.length > 0) log.warn({ gates: idle }, "feature gates without effect in the scheduler");
  if (file !== undefined && file.unused.length > 0)
    log.warn({ fields: file.unused }, "fields of the configuration that have no effect");
  const stop = untilSignal();
  const metrics = new Metrics({ release: RELEASE });
  const clients = new ComponentClients({ options, metrics, userAgent: SCHEDULER_COMPONENT });
  const connection = connectionFor(options.kubeconfig, options.master);
  const client = clients.of(connection);
  addProcessMetrics(metrics);
  addBuildInfo(metrics, client.names);
  const running = runScheduler({
    options,
    gates,
    ...(file === undefined ? {} : { placing: file }),
    delayCacheUntilActive: file?.delayCacheUntilActive,
    log,
    client,
    leaseClient: clients.forLease(connection),
    metrics,
  });
  await runComponent({
    options,
    isPortGiven: given.has("securePort"),
    log,
    metrics,
    client,
    clientOf: (kubeconfig) => clients.of(connectionFor(kubeconfig)),
    work: running,
    stop,
    endText: "the scheduler has ended",
  });
  await client.close();
}

/** Read only by who has one: it takes a parser along. */
async function configurationOf(path: string | undefined, given: ReadonlySet<string>) {
  if (path === undefined) return undefined;
  const { schedulerFile } = await import("./scheduler-file.ts");
  return schedulerFile(path, given);
}
