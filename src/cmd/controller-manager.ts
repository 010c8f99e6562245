// `plinth controller-manager`: the controllers alone, as clients of a server elsewhere.

import { type FlagSection, flagHelp } from "../base/flag-help.ts";
import { parseFlags } from "../base/flags.ts";
import { createLog } from "../base/log.ts";
import { Metrics } from "../base/metrics.ts";
import { addProcessMetrics } from "../base/process-metrics.ts";
import { UsageError } from "../base/start-error.ts";
import { checkElectionFlags } from "../client/election-flags.ts";
import { controllerFlags } from "../controllers/controller-options.ts";
import { addBuildInfo } from "../meta/build-info.ts";
import { RELEASE } from "../meta/version.ts";
import { featureFlags } from "../options/authorization-flags.ts";
import { serverGates } from "../options/feature-gate-table.ts";
import { accountTransport } from "./account-transport.ts";
import { ComponentClients, componentFlags } from "./component-client.ts";
import { listenerFlags } from "./component-listener.ts";
import { connectionFor } from "./connection.ts";
import { asksForHelp } from "./help-flag.ts";
import { idleComponentFlags, idleControllerFlags, idleFlagWarnings } from "./idle-flags.ts";
import { reportBugs } from "./report-bugs.ts";
import { runComponent } from "./run-component.ts";
import { gatesOfOthers, runControllers } from "./run-controllers.ts";
import { untilSignal } from "./until-signal.ts";

const { featureGates } = featureFlags;
/** Upstream's port. */
const ownFlags = { ...listenerFlags(10_257), featureGates } as const;
const idleFlags = { ...idleComponentFlags, ...idleControllerFlags } as const;

const SECTIONS: readonly FlagSection[] = [
  { title: "Connection", flags: componentFlags },
  { title: "Controllers", flags: controllerFlags },
  { title: "Features, health and metrics", flags: ownFlags },
  { title: "Of upstream's, without effect", flags: idleFlags },
];

export async function controllerManager(args: readonly string[]): Promise<void> {
  if (asksForHelp(args)) {
    const usage = "plinth controller-manager --kubeconfig=PATH [flags]";
    process.stdout.write(flagHelp(usage, "Runs the controllers as clients of a server.", SECTIONS));
    return;
  }
  const { options, given, rest } = parseFlags(
    { ...componentFlags, ...controllerFlags, ...ownFlags, ...idleFlags },
    args,
  );
  if (rest.length > 0) throw new UsageError(`unexpected argument ${JSON.stringify(rest[0])}`);
  checkElectionFlags(options);
  const { dialect } = options;
  const gates = serverGates(options.featureGates, dialect);
  const log = createLog({ verbosity: options.v, format: options.loggingFormat });
  reportBugs(log);
  for (const warning of idleFlagWarnings(options)) log.warn({}, warning);
  const stop = untilSignal();
  const connection = connectionFor(options.kubeconfig, options.master);
  for (const warning of gates.warnings) log.warn({}, warning);
  const idle = gatesOfOthers(gates);
  if (idle.length > 0) log.warn({ gates: idle }, "feature gates without effect in the controllers");
  const metrics = new Metrics({ release: RELEASE });
  const clients = new ComponentClients({ options, metrics, userAgent: "kube-controller-manager" });
  const client = clients.of(connection);
  addProcessMetrics(metrics);
  addBuildInfo(metrics, client.names);
  const controllers = runControllers({
    options,
    gates,
    log,
    metrics,
    client,
    leaseClient: clients.forLease(connection),
    clientFor: (account) =>
      options.useServiceAccountCredentials
        ? clients.of(connection, accountTransport({ client, connection, account }))
        : client,
  });
  await runComponent({
    options,
    isPortGiven: given.has("securePort"),
    log,
    metrics,
    client,
    clientOf: (kubeconfig) => clients.of(connectionFor(kubeconfig)),
    work: controllers,
    stop,
    endText: "the controllers have ended",
  });
  await client.close();
}
