// The serving certificate that the API server's authority signs (`serverTLSBootstrap`). Until it is there, and where nobody
// signs, the agent shows the one that it has made itself.

import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Client } from "../../client/client.ts";
import type { KeyedCertificate } from "../../http/certificates.ts";
import { readCertificateFile, writeCertificateFile } from "./certificate-file.ts";
import { requestCertificate } from "./request-certificate.ts";
import { CertificateRotation } from "./rotation.ts";

interface SignedServingOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly nodeName: string;
  readonly names: readonly string[];
  /** Where the certificate is kept. */
  readonly file: string;
  readonly fallback: () => Promise<KeyedCertificate>;
}

export async function signedServingCertificate(options: SignedServingOptions) {
  const { client, clock, random, log, nodeName, names, file } = options;
  const kept = await readCertificateFile(file);
  const isGood = kept !== undefined && fits(kept, names, clock.nowMs());
  return {
    current: isGood ? kept : await options.fallback(),
    follow(apply: (certificate: KeyedCertificate) => void): { stop(): void } {
      return new CertificateRotation({
        clock,
        random,
        current: isGood ? kept : undefined,
        request: (signal) => requestCertificate({ client, clock, nodeName, use: "serving", names, signal }),
        apply: async (next) => {
          await writeCertificateFile(file, next);
          apply(next);
          log.info({ until: new X509Certificate(next.certificatePem).validTo }, "serving with a signed certificate");
        },
        onError: (error) => log.warn({ err: error }, "no signed serving certificate yet; trying again"),
      });
    },
  };
}

/** Not run out, and for all names that the node has now. */
function fits({ certificatePem }: KeyedCertificate, names: readonly string[], nowMs: number): boolean {
  const certificate = new X509Certificate(certificatePem);
  if (Date.parse(certificate.validTo) <= nowMs) return false;
  return names.every(
    (name) => (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined,
  );
}
