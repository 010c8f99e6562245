// Asks the API server for a certificate: a CertificateSigningRequest is made, and waited for until it is signed or refused.

import type { Clock } from "../../base/clock.ts";
import { makeSigningRequest, type WantedCertificate } from "../../base/make-signing-request.ts";
import type { Client } from "../../client/client.ts";
import type { KeyedCertificate } from "../../http/certificates.ts";
import type { CertificateSigningRequest } from "../../kinds/certificates/certificate-signing-request.ts";

type CertificateUse = "client" | "serving";

interface RequestOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly nodeName: string;
  readonly use: CertificateUse;
  /** For the serving certificate: DNS names and IP addresses. */
  readonly names?: readonly string[];
  readonly signal: AbortSignal;
}

/** A request that nobody has decided by then is made anew. */
const WAIT_MS = 15 * 60_000;
const SIGNERS = { client: "kube-apiserver-client-kubelet", serving: "kubelet-serving" } as const;
const USAGES = { client: ["digital signature", "client auth"], serving: ["digital signature", "server auth"] } as const;

const nodeUser = (nodeName: string): WantedCertificate => ({
  commonName: `system:node:${nodeName}`,
  organizations: ["system:nodes"],
});

/** Fails when the request is denied, has failed, or is not decided in time. */
export async function requestCertificate(options: RequestOptions): Promise<KeyedCertificate> {
  const { client, clock, nodeName, use, names = [] } = options;
  const { requestPem, keyPem } = await makeSigningRequest({ ...nodeUser(nodeName), names });
  const requests = client.certificates.v1.certificateSigningRequests();
  const signal = AbortSignal.any([options.signal, clock.timeoutSignal(WAIT_MS)]);
  const created = await requests.create(
    {
      metadata: { generateName: "csr-" },
      spec: {
        request: Buffer.from(requestPem).toString("base64"),
        signerName: `${client.names.certificateSignerDomain}/${SIGNERS[use]}`,
        usages: [...USAGES[use]],
      },
    },
    { signal },
  );
  const { name } = created.metadata;
  for await (const change of requests.watch({ fieldSelector: `metadata.name=${name}`, signal })) {
    if (change.type === "BOOKMARK") continue;
    if (change.type === "DELETED") throw new Error(`the certificate request ${name} was deleted`);
    const request = change.type === "SYNC" ? change.items.find((each) => each.metadata.name === name) : change.object;
    if (request === undefined) throw new Error(`the certificate request ${name} is gone`);
    const certificate = issued(request);
    if (certificate !== undefined) return { certificatePem: certificate, keyPem };
  }
  throw new Error(`the certificate request ${name} was not decided`);
}

/** Undefined while it is pending. Fails when there will be none. */
function issued({ metadata, status }: CertificateSigningRequest): string | undefined {
  for (const { type, reason, message } of status.conditions ?? []) {
    if (type === "Denied" || type === "Failed")
      throw new Error(
        `the certificate request ${metadata.name} was ${type.toLowerCase()}: ${reason ?? ""} ${message ?? ""}`,
      );
  }
  return status.certificate ? Buffer.from(status.certificate, "base64").toString("utf8") : undefined;
}
