// A whole server in this process, in memory, that nobody can reach and that keeps nothing: the rules for `pctl validate`.

import { buildApiServer } from "../apiserver/server.ts";
import { silentLog } from "../base/log.ts";
import type { OfflineServer } from "../cli/offline-server.ts";
import { InProcessTransport } from "../client/in-process-transport.ts";
import { type Dialect, namesFor } from "../meta/names.ts";
import { SYSTEM_MASTERS } from "../meta/user.ts";
import { parseApiServerOptions } from "../options/api-server-options.ts";
import { serverGates } from "../options/feature-gate-table.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";

/** What depends on the state of a cluster, or on other servers, and not on the object: nobody can know it offline. */
const NEEDS_A_CLUSTER = [
  "NamespaceLifecycle",
  "ServiceAccount",
  "Priority",
  "RuntimeClass",
  "ResourceQuota",
  "MutatingAdmissionWebhook",
  "ValidatingAdmissionWebhook",
];

export async function offlineServer(dialect: Dialect): Promise<OfflineServer> {
  const options = parseApiServerOptions([
    `--dialect=${dialect}`,
    "--enable-admission-plugins=NamespaceAutoProvision",
    `--disable-admission-plugins=${NEEDS_A_CLUSTER.join(",")}`,
  ]);
  const server = buildApiServer({
    names: namesFor(dialect),
    options,
    gates: serverGates(options.featureGates, dialect),
    engine: new MemoryEngine(),
    log: silentLog,
    authenticator: {
      authenticate: () => ({ result: "user", user: { name: "validate", groups: [SYSTEM_MASTERS] } }),
    },
    authorizer: { authorize: () => ({ verdict: "allow", reason: "" }) },
  });
  await server.start();
  const transport = new InProcessTransport({ handler: server.handler, headers: { "user-agent": "pctl-validate" } });
  return {
    transport,
    async close() {
      await transport.close();
      await server.close();
    },
  };
}
