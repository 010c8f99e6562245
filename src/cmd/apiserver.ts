// `plinth apiserver`: the API server alone, and namespaces that end are emptied.

import { InProcessUsers } from "../authn/in-process-users.ts";
import { flagHelp } from "../base/flag-help.ts";
import { createLog } from "../base/log.ts";
import { apiServerSections, parseApiServerOptions } from "../options/api-server-options.ts";
import { serverGates } from "../options/feature-gate-table.ts";
import { asksForHelp } from "./help-flag.ts";
import { reportBugs } from "./report-bugs.ts";
import { runElectionControllers } from "./run-election-controllers.ts";
import { runNamespaceController } from "./run-namespace-controller.ts";
import { runServer } from "./run-server.ts";
import { untilSignal } from "./until-signal.ts";
import { usableCores } from "./workers/usable-cores.ts";
import { workerCount } from "./workers/worker-count.ts";

export async function apiserver(args: readonly string[]): Promise<void> {
  if (asksForHelp(args)) {
    process.stdout.write(flagHelp("plinth apiserver [flags]", "Runs the API server alone.", apiServerSections));
    return;
  }
  const options = parseApiServerOptions(args);
  const log = createLog({ verbosity: options.v });
  reportBugs(log);
  const stop = untilSignal();
  const count = workerCount(options, { cores: usableCores(), inMemory: false });
  const users = new InProcessUsers();
  const server = await runServer({ options, log, inProcessUsers: users, workers: { count, quiet: false } });
  const namespaces = runNamespaceController({ server, users, dialect: options.dialect, log });
  const gates = serverGates(options.featureGates, options.dialect);
  const elections = runElectionControllers({ server, users, options, gates, log });
  log.info({ url: server.url }, "serving");
  await stop.asked;
  log.info({}, "stopping");
  server.announceStop();
  await elections.stop();
  await namespaces.stop();
  await server.stop();
  log.info({}, "stopped");
}
