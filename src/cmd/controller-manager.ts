// `plinth controller-manager`: the controllers alone, as clients of a server elsewhere.

import { type FlagSection, flagHelp } from "../base/flag-help.ts";
import { parseFlags } from "../base/flags.ts";
import { createLog } from "../base/log.ts";
import { Metrics } from "../base/metrics.ts";
import { StartError, UsageError } from "../base/start-error.ts";
import { Client } from "../client/client.ts";
import { HttpsTransport } from "../client/https-transport.ts";
import { controllerFlags } from "../controllers/controller-options.ts";
import { RELEASE } from "../meta/version.ts";
import { accountTransport } from "./account-transport.ts";
import { connectionFlags, connectionFor } from "./connection.ts";
import { asksForHelp } from "./help-flag.ts";
import { reportBugs } from "./report-bugs.ts";
import { runControllers } from "./run-controllers.ts";
import { untilSignal } from "./until-signal.ts";

const SECTIONS: readonly FlagSection[] = [
  { title: "Connection", flags: connectionFlags },
  { title: "Controllers", flags: controllerFlags },
];

export async function controllerManager(args: readonly string[]): Promise<void> {
  if (asksForHelp(args)) {
    const usage = "plinth controller-manager --kubeconfig=PATH [flags]";
    process.stdout.write(flagHelp(usage, "Runs the controllers as clients of a server.", SECTIONS));
    return;
  }
  const { options, rest } = parseFlags({ ...connectionFlags, ...controllerFlags }, args);
  if (rest.length > 0) throw new UsageError(`unexpected argument ${JSON.stringify(rest[0])}`);
  const log = createLog({ verbosity: options.v });
  reportBugs(log);
  const stop = untilSignal();
  const connection = connectionFor(options.kubeconfig);
  const { dialect } = options;
  const client = new Client({
    transport: new HttpsTransport({ connection, userAgent: "plinth-controllers" }),
    dialect,
  });
  const metrics = new Metrics({ release: RELEASE });
  const controllers = runControllers({
    options,
    log,
    metrics,
    client,
    clientFor: (account) =>
      options.useServiceAccountCredentials
        ? new Client({ transport: accountTransport({ client, connection, account }), dialect })
        : client,
  });
  // A leader that was silent for too long must not act on: it starts anew, and waits.
  const lost = controllers.ended.catch((error: unknown) => {
    throw new StartError(`the controllers have ended: ${error instanceof Error ? error.message : String(error)}`);
  });
  await Promise.race([stop.asked, lost]);
  log.info({}, "stopping");
  await controllers.stop();
}
