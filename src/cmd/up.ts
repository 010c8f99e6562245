// `plinth up`: the API server with an administrator's kubeconfig, in the foreground.

import { join, relative } from "node:path";
import { flagHelp } from "../base/flag-help.ts";
import { createLog } from "../base/log.ts";
import { adminCredentials } from "../http/certificates.ts";
import { SYSTEM_MASTERS } from "../meta/user.ts";
import { type ApiServerOptions, apiServerSections, parseApiServerOptions } from "../options/api-server-options.ts";
import { asksForHelp } from "./help-flag.ts";
import { writeKubeconfig } from "./kubeconfig.ts";
import { reportBugs } from "./report-bugs.ts";
import { runServer } from "./run-server.ts";
import { certDirOf } from "./serving-certificate.ts";
import { untilSignal } from "./until-signal.ts";

const SUMMARY = "Runs the API server on the embedded store and writes a kubeconfig for its administrator.";

export async function up(args: readonly string[]): Promise<void> {
  if (asksForHelp(args)) {
    process.stdout.write(flagHelp("plinth up [flags]", SUMMARY, apiServerSections));
    return;
  }
  const options = { ...withDefaults(parseApiServerOptions(args)), allowPrivileged: true };
  const log = createLog({ verbosity: options.v, quiet: true });
  reportBugs(log);
  const stop = untilSignal();
  const makeAdmin = () => adminCredentials(certDirOf(options), "admin", [SYSTEM_MASTERS]);
  const server = await runServer({
    options,
    log,
    makeClientCa: async () => (await makeAdmin()).clientCaPem,
    defaultServiceAccounts: true,
  });
  const admin = await makeAdmin();
  const kubeconfig = join(options.dataDir, "kubeconfig");
  await writeKubeconfig(kubeconfig, { server: server.url, caPem: server.caPem, ...admin });
  process.stdout.write(welcome(server.url, kubeconfig, options));
  await stop.asked;
  process.stdout.write("stopping\n");
  await server.stop();
}

/** Who starts everything with one command gets access control too. */
function withDefaults(options: ApiServerOptions): ApiServerOptions {
  if (options.authorizationMode.length > 0 || options.authorizationConfig !== undefined) return options;
  return { ...options, authorizationMode: ["Node", "RBAC"] };
}

function welcome(url: string, kubeconfig: string, options: ApiServerOptions): string {
  const path = relative(process.cwd(), kubeconfig).startsWith("..") ? kubeconfig : relative(process.cwd(), kubeconfig);
  const ca = join(relative(process.cwd(), certDirOf(options)), "ca.crt");
  return `Plinth is ready at ${url}
kubeconfig: ${path}

Try:
  export KUBECONFIG=${path}
  kubectl create configmap hello --from-literal=greeting=world
  kubectl get configmaps --watch
  curl --cacert ${ca} ${url}/readyz?verbose
`;
}
