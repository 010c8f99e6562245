// `plinth proxy`: the traffic of Services on this machine, as a client of a server elsewhere.

import { hostname } from "node:os";
import { systemClock } from "../base/clock.ts";
import { type FlagSection, flagHelp } from "../base/flag-help.ts";
import { parseFlags } from "../base/flags.ts";
import { createLog } from "../base/log.ts";
import { setOomScore } from "../base/oom-score.ts";
import { StartError, UsageError } from "../base/start-error.ts";
import { Client } from "../client/client.ts";
import { HttpsTransport } from "../client/https-transport.ts";
import { untilOtherDialect } from "../client/other-dialect.ts";
import { PacedTransport } from "../client/paced-transport.ts";
import { dns1123SubdomainProblems } from "../meta/name-formats.ts";
import { serverGates } from "../options/feature-gate-table.ts";
import { loadConfiguration } from "../proxy/proxy-configuration.ts";
import { configurationOf, proxyFlags } from "../proxy/proxy-flags.ts";
import { removeTables } from "../proxy/run-proxy.ts";
import { connectionFlags, connectionFor } from "./connection.ts";
import { asksForHelp } from "./help-flag.ts";
import { reportBugs } from "./report-bugs.ts";
import { runCheckedProxy } from "./run-proxy.ts";
import { untilSignal } from "./until-signal.ts";

const SECTIONS: readonly FlagSection[] = [
  { title: "Connection", flags: connectionFlags },
  { title: "Proxy", flags: proxyFlags },
];

export async function proxy(args: readonly string[]): Promise<void> {
  if (asksForHelp(args)) {
    const usage = "plinth proxy --kubeconfig=PATH [flags]\n       plinth proxy --cleanup";
    const summary = "Runs the service proxy of this machine (nftables), as a client of a server.";
    process.stdout.write(flagHelp(usage, summary, SECTIONS));
    return;
  }
  const { options, rest } = parseFlags({ ...connectionFlags, ...proxyFlags }, args);
  if (rest.length > 0) throw new UsageError(`unexpected argument ${JSON.stringify(rest[0])}`);
  if (options.cleanup) return await cleanUp();
  const { configuration, shown, unused } = loadConfiguration(options.config, configurationOf(options));
  const { featureGates, clientConnection, logging } = configuration;
  const settings = new Map(Object.entries(featureGates).map(([name, value]) => [name, String(value)]));
  const gates = serverGates(settings, options.dialect);
  const nodeName = (configuration.hostnameOverride || hostname()).toLowerCase();
  const [problem] = dns1123SubdomainProblems(nodeName);
  if (problem !== undefined) throw new StartError(`--hostname-override: ${JSON.stringify(nodeName)}: ${problem}`);
  const log = createLog({ verbosity: Math.max(options.v, logging.verbosity), format: logging.format });
  reportBugs(log);
  for (const warning of gates.warnings) log.warn({}, warning);
  for (const field of unused) log.warn({ field }, "the field is known but has no effect");
  await setOomScore(process.pid, configuration.oomScoreAdj).catch((error: unknown) =>
    log.warn({ err: error }, "oomScoreAdj could not be set"),
  );
  const stop = untilSignal();
  const kubeconfig = options.kubeconfig ?? (clientConnection.kubeconfig || undefined);
  const transport = new HttpsTransport({ connection: connectionFor(kubeconfig), userAgent: "plinth-proxy" });
  const { qps: perSecond, burst } = clientConnection;
  const paced = new PacedTransport(transport, { clock: systemClock, perSecond, burst });
  const client = new Client({ transport: paced, dialect: options.dialect });
  const running = await runCheckedProxy({
    client,
    nodeName,
    nodeIps: options.nodeIp,
    log,
    clock: systemClock,
    configuration,
    shown,
    gates,
  });
  void running.ready.then(() => log.info({ node: nodeName }, "the rules of all Services are in the kernel"));
  const ending = new AbortController();
  await Promise.race([stop.asked, untilOtherDialect(client, ending.signal)]);
  ending.abort();
  log.info({}, "stopping");
  await running.stop();
  await client.close();
}

async function cleanUp(): Promise<void> {
  try {
    await removeTables();
  } catch (error) {
    throw new StartError(`--cleanup: ${error instanceof Error ? error.message : String(error)}`);
  }
}
