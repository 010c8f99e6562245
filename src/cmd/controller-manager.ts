// `plinth controller-manager`: the controllers alone, as clients of a server elsewhere.

import { type FlagSection, flagHelp } from "../base/flag-help.ts";
import { parseFlags } from "../base/flags.ts";
import { createLog } from "../base/log.ts";
import { Metrics } from "../base/metrics.ts";
import { addProcessMetrics } from "../base/process-metrics.ts";
import { StartError, UsageError } from "../base/start-error.ts";
import { Client } from "../client/client.ts";
import { HttpsTransport } from "../client/https-transport.ts";
import { controllerFlags } from "../controllers/controller-options.ts";
import { addBuildInfo } from "../meta/build-info.ts";
import { RELEASE } from "../meta/version.ts";
import { featureFlags } from "../options/authorization-flags.ts";
import { serverGates } from "../options/feature-gate-table.ts";
import { accountTransport } from "./account-transport.ts";
import { listenAsComponent, listenerFlags } from "./component-listener.ts";
import { connectionFlags, connectionFor } from "./connection.ts";
import { asksForHelp } from "./help-flag.ts";
import { reportBugs } from "./report-bugs.ts";
import { gatesOfOthers, runControllers } from "./run-controllers.ts";
import { untilSignal } from "./until-signal.ts";

const { featureGates } = featureFlags;
/** Upstream's port. */
const ownFlags = { ...listenerFlags(10_257), featureGates } as const;

const SECTIONS: readonly FlagSection[] = [
  { title: "Connection", flags: connectionFlags },
  { title: "Controllers", flags: controllerFlags },
  { title: "Features, health and metrics", flags: ownFlags },
];

export async function controllerManager(args: readonly string[]): Promise<void> {
  if (asksForHelp(args)) {
    const usage = "plinth controller-manager --kubeconfig=PATH [flags]";
    process.stdout.write(flagHelp(usage, "Runs the controllers as clients of a server.", SECTIONS));
    return;
  }
  const { options, given, rest } = parseFlags({ ...connectionFlags, ...controllerFlags, ...ownFlags }, args);
  if (rest.length > 0) throw new UsageError(`unexpected argument ${JSON.stringify(rest[0])}`);
  const { dialect } = options;
  const gates = serverGates(options.featureGates, dialect);
  const log = createLog({ verbosity: options.v });
  reportBugs(log);
  const stop = untilSignal();
  const connection = connectionFor(options.kubeconfig);
  for (const warning of gates.warnings) log.warn({}, warning);
  const idle = gatesOfOthers(gates);
  if (idle.length > 0) log.warn({ gates: idle }, "feature gates without effect in the controllers");
  const client = new Client({
    transport: new HttpsTransport({ connection, userAgent: "kube-controller-manager" }),
    dialect,
  });
  const metrics = new Metrics({ release: RELEASE });
  addProcessMetrics(metrics);
  addBuildInfo(metrics, client.names);
  const controllers = runControllers({
    options,
    gates,
    log,
    metrics,
    client,
    clientFor: (account) =>
      options.useServiceAccountCredentials
        ? new Client({ transport: accountTransport({ client, connection, account }), dialect })
        : client,
  });
  const isPortGiven = given.has("securePort");
  const listener = await listenAsComponent({ options, isPortGiven, log, metrics, client }).catch(async (error) => {
    await controllers.stop();
    throw error;
  });
  // A leader that was silent for too long must not act on: it starts anew, and waits.
  const lost = controllers.ended.catch((error: unknown) => {
    throw new StartError(`the controllers have ended: ${error instanceof Error ? error.message : String(error)}`);
  });
  await Promise.race([stop.asked, lost]);
  log.info({}, "stopping");
  await listener?.stop();
  await controllers.stop();
}
