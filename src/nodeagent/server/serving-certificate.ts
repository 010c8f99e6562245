// The certificate that the agent's server shows: of files that are named, or one that the agent makes itself and keeps in
// --cert-dir.

import { X509Certificate } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import {
  generatedAgentCertificate,
  type KeyedCertificate,
  readKeyedCertificate,
  watchFiles,
} from "../../http/certificates.ts";
import type { NodeAgentConfiguration } from "../config/configuration.ts";

interface ServingCertificateOptions {
  readonly config: Pick<NodeAgentConfiguration, "tlsCertFile" | "tlsPrivateKeyFile">;
  readonly certDir: string;
  /** Whether files that change are read again: the gate ReloadKubeletServerCertificateFile. */
  readonly reloads: boolean;
  /** Names and addresses of the node. */
  readonly names: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
}

export interface FollowedCertificate {
  readonly current: KeyedCertificate;
  /** Hands on every certificate that replaces the current one. */
  follow(apply: (certificate: KeyedCertificate) => void): { stop(): void };
}

/** How often a certificate of our own is looked at. */
const RENEW_CHECK_MS = 12 * 3_600_000;

/** Fails with StartError. */
export async function chooseServingCertificate(options: ServingCertificateOptions): Promise<FollowedCertificate> {
  const { config, certDir, names, clock, log, reloads } = options;
  const { tlsCertFile, tlsPrivateKeyFile } = config;
  const isGiven = tlsCertFile !== undefined && tlsPrivateKeyFile !== undefined;
  const load = () =>
    isGiven
      ? readKeyedCertificate(
          { flag: "tlsCertFile", file: tlsCertFile },
          { flag: "tlsPrivateKeyFile", file: tlsPrivateKeyFile },
        )
      : generatedAgentCertificate(certDir, names);
  const current = await load();
  return {
    current,
    follow(apply) {
      let known = current.certificatePem;
      const look = async () => {
        try {
          const next = await load();
          if (next.certificatePem === known) return;
          apply(next);
          known = next.certificatePem;
          log.info({ until: new X509Certificate(known).validTo }, "serving with a new certificate");
        } catch (error) {
          // Two files cannot be replaced in one step: the next look may find a matching pair.
          log.warn({ err: error }, "the new serving certificate cannot be used; the old one stays");
        }
      };
      if (isGiven && !reloads) return { stop: () => undefined };
      if (isGiven) return watchFiles([tlsCertFile, tlsPrivateKeyFile], () => void look());
      const timer = clock.every(RENEW_CHECK_MS, () => void look());
      return { stop: () => timer.cancel() };
    },
  };
}
