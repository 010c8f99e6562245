// Controller: approves the requests of node agents for their client certificates, where whoever asks may have one: for itself,
// or for any node.

import { DerError } from "../../base/der-reader.ts";
import { readSigningRequest, type SigningRequest } from "../../base/signing-request.ts";
import { isApiError } from "../../client/api-error.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import type { CertificateSigningRequest } from "../../kinds/certificates/certificate-signing-request.ts";
import { timeOfMs } from "../../meta/time.ts";
import { againAfterMs, type ControllerDefinition, done } from "../framework/controller.ts";
import { enqueueItself } from "../framework/enqueue.ts";
import { decisionOn, isIssued } from "./request-state.ts";
import { commonNameOf, requestProblem, signerOf } from "./signers.ts";

interface Recognition {
  /** The subresource that the requester must be allowed to create. */
  readonly subresource: "selfnodeclient" | "nodeclient";
  readonly message: string;
}

const SELF: Recognition = {
  subresource: "selfnodeclient",
  message: "Auto approving self kubelet client certificate after SubjectAccessReview.",
};
const ANY: Recognition = {
  subresource: "nodeclient",
  message: "Auto approving kubelet client certificate after SubjectAccessReview.",
};

/** What a request for the client certificate of a node may be approved as, best first; nothing for any other. Pure. */
export function recognize(
  request: SigningRequest,
  { username = "", usages = [] }: Pick<CertificateSigningRequest["spec"], "username" | "usages">,
): readonly Recognition[] {
  if (requestProblem("kube-apiserver-client-kubelet", request, usages) !== undefined) return [];
  return username === commonNameOf(request) ? [SELF, ANY] : [ANY];
}

/** A requester who may not now may be allowed soon; the longer it waits, the more rarely it is asked. */
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 10 * 60_000;

export const certificateApprovingController: ControllerDefinition = {
  name: "certificatesigningrequest-approving-controller",
  aliases: ["csrapproving"],
  account: "certificate-controller",
  workers: () => 5,
  build({ client, informers, names, clock }) {
    const requests = informers.of(kinds.certificates.v1.certificateSigningRequests);
    const live = client.certificates.v1.certificateSigningRequests();
    const waits = (request: CertificateSigningRequest): boolean =>
      decisionOn(request) === "pending" &&
      !isIssued(request) &&
      signerOf(request.spec.signerName, names) === "kube-apiserver-client-kubelet";

    const isAllowed = async ({ spec }: CertificateSigningRequest, subresource: string): Promise<boolean> => {
      const { username = "", uid, groups, extra } = spec;
      const review = await client.authorization.v1.subjectAccessReviews().create({
        spec: {
          user: username,
          ...(uid === undefined ? {} : { uid }),
          ...(groups === undefined ? {} : { groups }),
          ...(extra === undefined ? {} : { extra }),
          resourceAttributes: {
            group: names.group("certificates"),
            version: "*",
            resource: "certificatesigningrequests",
            subresource,
            verb: "create",
          },
        },
      });
      return review.status?.allowed === true;
    };

    return {
      watch: (queue) => void requests.addHandlers(enqueueItself(queue, waits)),
      async reconcile(name) {
        const request = requests.cache.get(name);
        if (request === undefined || !waits(request)) return done;
        const recognitions = recognitionsOf(request);
        for (const { subresource, message } of recognitions) {
          if (!(await isAllowed(request, subresource))) continue;
          const approved = {
            type: "Approved",
            status: "True",
            reason: "AutoApproved",
            message,
            lastUpdateTime: timeOfMs(clock.nowMs()),
            lastTransitionTime: null,
          };
          const conditions = [...(request.status.conditions ?? []), approved];
          try {
            await live
              .subresource<CertificateSigningRequest>("approval", "CertificateSigningRequest")
              .update({ ...request, status: { ...request.status, conditions } });
          } catch (error) {
            if (!isApiError(error, "NotFound")) throw error;
          }
          return done;
        }
        if (recognitions.length === 0) return done;
        const ageMs = clock.nowMs() - Date.parse(request.metadata.creationTimestamp);
        return againAfterMs(Math.min(MAX_WAIT_MS, Math.max(FIRST_WAIT_MS, ageMs)));
      },
    };
  },
};

/** What cannot be read is for people to decide. */
function recognitionsOf({ spec }: CertificateSigningRequest): readonly Recognition[] {
  try {
    return recognize(readSigningRequest(Buffer.from(spec.request, "base64").toString("latin1")), spec);
  } catch (error) {
    if (error instanceof DerError) return [];
    throw error;
  }
}
