// Admission: nobody asks for a client certificate of the group that may do everything.

import type { CertificateSigningRequest } from "../kinds/certificates/certificate-signing-request.ts";
import type { Names } from "../meta/names.ts";
import { SYSTEM_MASTERS } from "../meta/user.ts";
import type { AdmissionPlugin } from "../registry/admission.ts";
import { subjectOfRequest } from "./certificate-request.ts";
import { concerns } from "./match-request.ts";
import { refusal } from "./refusal.ts";

export function certificateSubjectRestriction(names: Names): AdmissionPlugin {
  const clientSigner = `${names.certificateSignerDomain}/kube-apiserver-client`;
  return {
    name: "CertificateSubjectRestriction",
    resources: ["certificatesigningrequests"],
    handles: (request) =>
      request.operation === "CREATE" && concerns(request, names.group("certificates"), "certificatesigningrequests"),
    validate(request) {
      const { spec } = request.object as unknown as CertificateSigningRequest;
      if (spec.signerName !== clientSigner) return;
      const subject = subjectOfRequest(spec.request ?? "");
      if (subject === undefined) throw refusal(request, "failed to parse CSR");
      if (!subject.organizations.includes(SYSTEM_MASTERS)) return;
      throw refusal(request, `use of ${spec.signerName} signer with ${SYSTEM_MASTERS} group is not allowed`);
    },
  };
}
