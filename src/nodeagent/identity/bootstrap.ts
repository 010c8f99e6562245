// The first contact of a node: with a bootstrap token it asks for a client certificate of its own, and writes a kubeconfig
// that shows it. Requirements: document 2, "Bootstrap tokens".

import { X509Certificate } from "node:crypto";
import { existsSync } from "node:fs";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { Client } from "../../client/client.ts";
import { HttpsTransport } from "../../client/https-transport.ts";
import { type Connection, readPem } from "../../client/kubeconfig.ts";
import type { Dialect } from "../../meta/names.ts";
import { readCertificateFile, writeCertificateFile, writeWhole } from "./certificate-file.ts";
import { requestCertificate } from "./request-certificate.ts";

interface BootstrapOptions {
  /** Where the kubeconfig shall stand. */
  readonly kubeconfig: string;
  /** The file of the client certificate. */
  readonly certificateFile: string;
  /** How to reach the API server before the node has an identity. */
  readonly bootstrap: () => Connection;
  readonly nodeName: string;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

const RETRY_MS = 5_000;

/** Does nothing when there is a kubeconfig and the certificate that it shows has not run out. */
export async function bootstrapIdentity(options: BootstrapOptions): Promise<void> {
  const { kubeconfig, certificateFile, clock, log } = options;
  const known = await readCertificateFile(certificateFile);
  const isGood = known !== undefined && Date.parse(new X509Certificate(known.certificatePem).validTo) > clock.nowMs();
  // A kubeconfig that shows something else than our certificate is not ours to judge.
  if (existsSync(kubeconfig) && (isGood || known === undefined)) return;
  const connection = options.bootstrap();
  if (!isGood) {
    log.info({ node: options.nodeName }, "asking for a client certificate");
    await writeCertificateFile(certificateFile, await ask(options, connection));
  }
  await writeWhole(kubeconfig, kubeconfigText(connection, certificateFile));
  log.info({ kubeconfig }, "the node has an identity of its own");
}

/** Until it works: a node waits for a server that is not there yet, and for somebody who approves. */
async function ask({ nodeName, dialect, clock, log, signal }: BootstrapOptions, connection: Connection) {
  const transport = new HttpsTransport({ connection, userAgent: "plinth-nodeagent", clock });
  const client = new Client({ transport, dialect, clock });
  try {
    for (;;) {
      try {
        return await requestCertificate({ client, clock, nodeName, use: "client", signal });
      } catch (error) {
        if (signal.aborted) throw error;
        log.warn({ err: error }, "no client certificate yet; trying again");
        await clock.sleep(RETRY_MS, signal);
      }
    }
  } finally {
    await client.close();
  }
}

function kubeconfigText({ cluster }: Connection, certificateFile: string): string {
  const authority = cluster.certificateAuthority;
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name: "default-cluster",
        cluster: {
          server: cluster.server,
          ...(authority === undefined
            ? {}
            : { "certificate-authority-data": Buffer.from(readPem(authority)).toString("base64") }),
          ...(cluster.insecureSkipTlsVerify ? { "insecure-skip-tls-verify": true } : {}),
          ...(cluster.tlsServerName === undefined ? {} : { "tls-server-name": cluster.tlsServerName }),
          ...(cluster.proxyUrl === undefined ? {} : { "proxy-url": cluster.proxyUrl }),
        },
      },
    ],
    users: [{ name: "default-auth", user: { "client-certificate": certificateFile, "client-key": certificateFile } }],
    contexts: [{ name: "default-context", context: { cluster: "default-cluster", user: "default-auth" } }],
    "current-context": "default-context",
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}
