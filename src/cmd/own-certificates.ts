// The certificates that `plinth up` makes for its administrator, for its calls to node agents and for a node of its own: made
// anew while it runs, as the one that it serves with is. Who follows their files sees the new ones.

import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { adminCredentials, agentCallerCertificate, type OwnNodeCertificates } from "../http/certificates.ts";
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
  const write = (client: Admin) => writeKubeconfig(kubeconfig, { server: cluster.url, caPem: cluster.caPem, client });
  const current = await administrator(certDir);
  await write(current);
  const load = async (): Promise<Admin> => {
    if (callsAgents) await agentCallerCertificate(certDir);
    return administrator(certDir);
  };
  return followCertificate({ current, load, files: [], clock, log }, write);
}

/** Has the certificates of a node made anew in time. Its agent reads the files again, those that its kubeconfig names too. */
export function keepNodeCertificates({
  certificates,
  renew,
  clock,
  log,
}: {
  readonly certificates: OwnNodeCertificates;
  /** Answers what is there, where nothing ends soon. */
  readonly renew: () => Promise<OwnNodeCertificates>;
  readonly clock: Clock;
  readonly log: Log;
}): { stop(): void } {
  const load = async () => (await renew()).client;
  return followCertificate({ current: certificates.client, load, files: [], clock, log }, () => undefined);
}
