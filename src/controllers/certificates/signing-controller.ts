// Controller: signs requests for certificates that are approved, and says of those that break a rule of their signer that
// they have failed.

import { createPrivateKey, X509Certificate } from "node:crypto";
import { DerError } from "../../base/der-reader.ts";
import { readSmallFile } from "../../base/read-small-file.ts";
import type { Authority } from "../../base/sign-certificate.ts";
import { readSigningRequest, type SigningRequest } from "../../base/signing-request.ts";
import { isApiError } from "../../client/api-error.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import type { Stored } from "../../client/informer.ts";
import type { CertificateSigningRequest } from "../../kinds/certificates/certificate-signing-request.ts";
import { timeOfMs } from "../../meta/time.ts";
import type { ControllerOptions } from "../controller-options.ts";
import { type ControllerDefinition, done } from "../framework/controller.ts";
import { enqueueItself } from "../framework/enqueue.ts";
import { issueFor, lifeMs } from "./issue.ts";
import { decisionOn, isIssued } from "./request-state.ts";
import { requestProblem, SIGNERS, type Signer, signerOf } from "./signers.ts";

export const certificateSigningController: ControllerDefinition = {
  name: "certificatesigningrequest-signing-controller",
  aliases: ["csrsigning"],
  account: "certificate-controller",
  workers: () => 5,
  missing: (options) =>
    SIGNERS.every((signer) => authorityFiles(signer, options) === undefined)
      ? "--cluster-signing-cert-file and --cluster-signing-key-file"
      : undefined,
  build({ client, informers, names, clock, options }) {
    const requests = informers.of(kinds.certificates.v1.certificateSigningRequests);
    const live = client.certificates.v1.certificateSigningRequests();
    const filesFor = ({ spec }: CertificateSigningRequest): AuthorityFiles | undefined => {
      const signer = signerOf(spec.signerName, names);
      return signer === undefined ? undefined : authorityFiles(signer, options);
    };
    const waits = (request: CertificateSigningRequest): boolean =>
      decisionOn(request) === "approved" && !isIssued(request) && filesFor(request) !== undefined;

    const writeStatus = async (
      request: Stored<CertificateSigningRequest>,
      change: Partial<CertificateSigningRequest["status"]>,
    ): Promise<void> => {
      try {
        // With its version: a request that was denied meanwhile gets nothing.
        await live.status.update({ ...request, status: { ...request.status, ...change } });
      } catch (error) {
        if (!isApiError(error, "NotFound")) throw error;
      }
    };
    const fail = (request: Stored<CertificateSigningRequest>, message: string): Promise<void> => {
      const failed = {
        type: "Failed",
        status: "True",
        reason: "SignerValidationFailure",
        message: message.slice(0, MAX_MESSAGE_CHARS),
        lastUpdateTime: timeOfMs(clock.nowMs()),
        lastTransitionTime: null,
      };
      return writeStatus(request, { conditions: [...(request.status.conditions ?? []), failed] });
    };

    return {
      watch: (queue) => void requests.addHandlers(enqueueItself(queue, waits)),
      async reconcile(name) {
        const request = requests.cache.get(name);
        const signer = signerOf(request?.spec.signerName, names);
        if (request === undefined || signer === undefined || !waits(request)) return done;
        const { usages = [], expirationSeconds, request: encoded } = request.spec;
        const read = readRequest(encoded);
        const problem = typeof read === "string" ? read : requestProblem(signer, read, usages);
        if (typeof read === "string" || problem !== undefined) {
          await fail(request, problem ?? "");
          return done;
        }
        // Read anew each time: an authority that was renewed signs from then on.
        const authority = await readAuthority(filesFor(request)!);
        const certificate = await issueFor(read, authority, {
          usages,
          nowMs: clock.nowMs(),
          lifeMs: lifeMs(expirationSeconds, options.clusterSigningDurationMs),
        });
        await writeStatus(request, { certificate: Buffer.from(certificate).toString("base64") });
        return done;
      },
    };
  },
};

const MAX_MESSAGE_CHARS = 1_024;

/** The request, or why it is none. */
function readRequest(encoded: string): SigningRequest | string {
  try {
    const read = readSigningRequest(Buffer.from(encoded, "base64").toString("latin1"));
    return read.isSignedByItsKey() ? read : "the request is not signed by the key that it is for";
  } catch (error) {
    if (error instanceof DerError) return `unable to parse csr: ${error.message}`;
    throw error;
  }
}

interface AuthorityFiles {
  readonly certificateFile: string;
  readonly keyFile: string;
}

/** The signer's own, or else those of all signers; undefined when it does not sign here. */
export function authorityFiles(signer: Signer, options: ControllerOptions): AuthorityFiles | undefined {
  const own = {
    "kubelet-serving": [options.clusterSigningKubeletServingCertFile, options.clusterSigningKubeletServingKeyFile],
    "kube-apiserver-client-kubelet": [
      options.clusterSigningKubeletClientCertFile,
      options.clusterSigningKubeletClientKeyFile,
    ],
    "kube-apiserver-client": [
      options.clusterSigningKubeApiserverClientCertFile,
      options.clusterSigningKubeApiserverClientKeyFile,
    ],
    "legacy-unknown": [options.clusterSigningLegacyUnknownCertFile, options.clusterSigningLegacyUnknownKeyFile],
  } as const satisfies Record<Signer, unknown>;
  const [certificateFile = options.clusterSigningCertFile, keyFile = options.clusterSigningKeyFile] = own[signer];
  return certificateFile === undefined || keyFile === undefined ? undefined : { certificateFile, keyFile };
}

async function readAuthority({ certificateFile, keyFile }: AuthorityFiles): Promise<Authority> {
  const [certificate, key] = await Promise.all([readSmallFile(certificateFile), readSmallFile(keyFile)]);
  return { certificate: new X509Certificate(certificate), key: createPrivateKey(key) };
}
