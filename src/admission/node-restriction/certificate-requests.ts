// A node asks for certificates in its own name only. Requirements: document 2, "Node authorizer".

import type { Names } from "../../meta/names.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";
import { commonName } from "./common-name.ts";

const NODE_PREFIX = "system:node:";

export function csrProblem(names: Names, node: string, { operation, object }: AdmissionRequest): string | undefined {
  if (operation !== "CREATE") return undefined;
  const { signerName, request } = (object?.["spec"] ?? {}) as { signerName?: string; request?: string };
  const domain = names.certificateSignerDomain;
  if (signerName !== `${domain}/kubelet-serving` && signerName !== `${domain}/kube-apiserver-client-kubelet`)
    return undefined;
  const name = commonName(request ?? "");
  if (name === undefined) return "unable to parse csr: it is not a certificate request";
  if (!name.startsWith(NODE_PREFIX) || name === NODE_PREFIX + node) return undefined;
  return `can only create a node CSR with CN=${NODE_PREFIX}${node}`;
}
