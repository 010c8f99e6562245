// The client certificates that `plinth up` makes for its administrator and for its calls to node agents: made anew while
// it runs, as the one that it serves with is. Who follows their files sees the new ones.

import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { adminCredentials, agentCallerCertificate } from "../http/certificates.ts";
import { followCertificate } from "../http/follow-certificate.ts";
import { SYSTEM_MASTERS } from "../meta/user.ts";
import { writeKubeconfig } from "./kubeconfig.ts";

interface OwnCertificatesDeps {
  readonly certDir: string;
  readonly kubeconfig: string;
  /** Whether flags name no other certificate for calls to node agents. */
  readonly callsAgents: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

type Admin = Awaited<ReturnType<typeof administrator>>;

/** Who may do everything, with a certificate of our own authority. */
export const administrator = (certDir: string) => adminCredentials(certDir, "admin", [SYSTEM_MASTERS]);

/** Writes the kubeconfig, now and whenever its certificate has been made anew. */
export async function keepKubeconfig(
  { certDir, kubeconfig, callsAgents, clock, log }: OwnCertificatesDeps,
  cluster: { readonly url: string; readonly caPem: string | undefined },
): Promise<{ stop(): void }> {
  const write = ({ certificatePem, keyPem }: Admin) =>
    writeKubeconfig(kubeconfig, { server: cluster.url, caPem: cluster.caPem, certificatePem, keyPem });
  const current = await administrator(certDir);
  await write(current);
  const load = async (): Promise<Admin> => {
    if (callsAgents) await agentCallerCertificate(certDir);
    return administrator(certDir);
  };
  return followCertificate({ current, load, files: [], clock, log }, write);
}
