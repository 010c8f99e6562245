// Admission: approving, signing and attesting need a permission for the signer that is named.

import { equalJson } from "../base/json.ts";
import type { CertificateSigningRequest } from "../kinds/certificates/certificate-signing-request.ts";
import type { ClusterTrustBundle } from "../kinds/certificates/cluster-trust-bundle.ts";
import type { Names } from "../meta/names.ts";
import type { UserInfo } from "../meta/user.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../registry/admission.ts";
import type { Authorizer } from "../registry/authorizer.ts";
import { concerns, concernsPart } from "./match-request.ts";
import { refusal } from "./refusal.ts";

export function certificateApproval(names: Names, authorizer: Authorizer): AdmissionPlugin {
  return {
    name: "CertificateApproval",
    resources: ["certificatesigningrequests"],
    handles: (request) =>
      request.operation === "UPDATE" &&
      concernsPart(request, names.group("certificates"), "certificatesigningrequests", "approval"),
    validate: (request) => demand(names, authorizer, request, "approve", signerOfOld(request)),
  };
}

export function certificateSigning(names: Names, authorizer: Authorizer): AdmissionPlugin {
  return {
    name: "CertificateSigning",
    resources: ["certificatesigningrequests"],
    handles: (request) =>
      request.operation === "UPDATE" &&
      concernsPart(request, names.group("certificates"), "certificatesigningrequests", "status"),
    validate(request) {
      const { status = {} } = request.object as unknown as CertificateSigningRequest;
      const { status: old = {} } = request.oldObject as unknown as CertificateSigningRequest;
      const same =
        (status.certificate ?? "") === (old.certificate ?? "") &&
        equalJson(status.conditions ?? [], old.conditions ?? []);
      return same ? undefined : demand(names, authorizer, request, "sign", signerOfOld(request));
    },
  };
}

export function clusterTrustBundleAttest(names: Names, authorizer: Authorizer): AdmissionPlugin {
  return {
    name: "ClusterTrustBundleAttest",
    resources: ["clustertrustbundles"],
    handles: (request) =>
      (request.operation === "CREATE" || request.operation === "UPDATE") &&
      concerns(request, names.group("certificates"), "clustertrustbundles"),
    validate(request) {
      const { signerName = "" } = (request.object as unknown as ClusterTrustBundle).spec;
      return signerName === "" ? undefined : demand(names, authorizer, request, "attest", signerName);
    },
  };
}

const WORDS = { approve: "approve requests with", sign: "sign requests with", attest: "attest for" } as const;

async function demand(
  names: Names,
  authorizer: Authorizer,
  request: AdmissionRequest,
  verb: keyof typeof WORDS,
  signerName: string,
): Promise<void> {
  if (await maySign(names, authorizer, request.user, verb, signerName)) return;
  throw refusal(request, `user not permitted to ${WORDS[verb]} signerName ${JSON.stringify(signerName)}`);
}

/** For the signer itself, or for all signers of its domain. */
async function maySign(
  names: Names,
  authorizer: Authorizer,
  user: UserInfo,
  verb: string,
  signerName: string,
): Promise<boolean> {
  const domain = signerName.split("/", 1)[0]!;
  for (const name of [signerName, `${domain}/*`]) {
    const decision = await authorizer.authorize({
      user,
      verb,
      resource: {
        group: names.group("certificates"),
        version: "*",
        resource: "signers",
        subresource: "",
        namespace: "",
        name,
      },
    });
    if (decision.verdict === "allow") return true;
  }
  return false;
}

function signerOfOld({ oldObject }: AdmissionRequest): string {
  return (oldObject as unknown as CertificateSigningRequest).spec.signerName ?? "";
}
