// A node asks for certificates in its own name only. Requirements: document 2, "Node authorizer".

import type { Names } from "../../meta/names.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";
import { subjectOfRequest } from "../certificate-request.ts";

const NODE_PREFIX = "system:node:";

export function csrProblem(names: Names, node: string, { operation, object }: AdmissionRequest): string | undefined {
  if (operation !== "CREATE") return undefined;
  const { signerName, request } = (object?.["spec"] ?? {}) as { signerName?: string; request?: string };
  const domain = names.certificateSignerDomain;
  if (signerName !== `${domain}/kubelet-serving` && signerName !== `${domain}/kube-apiserver-client-kubelet`)
    return undefined;
  const subject = subjectOfRequest(request ?? "");
  if (subject === undefined) return "unable to parse csr: it is not a certificate request";
  const [name = "", ...others] = subject.commonNames;
  // A signer that takes another one of them would hand out the certificate of another node.
  if (others.length > 0) return "can only create a node CSR with a single CN";
  return name === NODE_PREFIX + node ? undefined : `can only create a node CSR with CN=${NODE_PREFIX}${node}`;
}
