// The certificate that the agent's server shows: of files that are named, or one that the agent makes itself and keeps in
// --cert-dir.

import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { generatedAgentCertificate, type KeyedCertificate, readKeyedCertificate } from "../../http/certificates.ts";
import { followCertificate } from "../../http/follow-certificate.ts";
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
    follow: (apply) =>
      isGiven && !reloads
        ? { stop: () => undefined }
        : followCertificate(
            { current, load, files: isGiven ? [tlsCertFile, tlsPrivateKeyFile] : [], clock, log },
            apply,
          ),
  };
}
