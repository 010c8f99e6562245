// A whole server in this process, with real TLS and a real store, for end-to-end tests.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KubeConfig } from "@kubernetes/client-node";
import { silentLog } from "../../src/base/log.ts";
import { runServer } from "../../src/cmd/run-server.ts";
import { parseApiServerOptions } from "../../src/options/api-server-options.ts";

export const ADMIN_TOKEN = "admin-token";

export interface TestServer {
  readonly url: string;
  readonly dir: string;
  /** The authority that vouches for the server. */
  readonly caFile: string;
  /** For @kubernetes/client-node, as an administrator. */
  readonly kubeConfig: KubeConfig;
  stop(): Promise<void>;
}

export async function startTestServer(flags: readonly string[] = []): Promise<TestServer> {
  const dir = mkdtempSync(join(tmpdir(), "plinth-e2e-"));
  writeFileSync(join(dir, "tokens.csv"), `${ADMIN_TOKEN},admin,1,"system:masters"\n`);
  const options = parseApiServerOptions([
    "--dialect=kubernetes",
    "--secure-port=0",
    `--data-dir=${join(dir, "store")}`,
    `--cert-dir=${join(dir, "pki")}`,
    `--token-auth-file=${join(dir, "tokens.csv")}`,
    "--authorization-mode=RBAC",
    ...flags,
  ]);
  const server = await runServer({ options, log: silentLog });
  const caFile = join(dir, "server-ca.crt");
  writeFileSync(caFile, server.caPem ?? "");
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromOptions({
    clusters: [{ name: "test", server: server.url, caData: Buffer.from(server.caPem ?? "").toString("base64") }],
    users: [{ name: "admin", token: ADMIN_TOKEN }],
    contexts: [{ name: "test", cluster: "test", user: "admin" }],
    currentContext: "test",
  });
  return {
    url: server.url,
    dir,
    caFile,
    kubeConfig,
    async stop() {
      await server.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
