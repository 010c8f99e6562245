// The built-in signers and what each of them asks of a request. Pure. Rules and words are upstream's.

import { NAME_OID } from "../../base/sign-certificate.ts";
import type { SigningRequest } from "../../base/signing-request.ts";
import type { Names } from "../../meta/names.ts";

export const SIGNERS = [
  "kube-apiserver-client",
  "kube-apiserver-client-kubelet",
  "kubelet-serving",
  "legacy-unknown",
] as const;
export type Signer = (typeof SIGNERS)[number];

/** Undefined for signers of others. */
export function signerOf(signerName: string | undefined, names: Names): Signer | undefined {
  return SIGNERS.find((signer) => signerName === `${names.certificateSignerDomain}/${signer}`);
}

/** Why a signer does not sign the request; undefined when it does. */
export function requestProblem(signer: Signer, request: SigningRequest, usages: readonly string[]): string | undefined {
  switch (signer) {
    case "kube-apiserver-client":
      return clientUsagesProblem(usages);
    case "kube-apiserver-client-kubelet":
      return nodeClientProblem(request, usages);
    case "kubelet-serving":
      return nodeServingProblem(request, usages);
    case "legacy-unknown":
      return undefined;
  }
}

/** Where there are several common names, whoever reads the certificate takes the last one. */
export function commonNameOf({ subject }: SigningRequest): string {
  return subject.findLast(({ type }) => type === NAME_OID.commonName)?.value ?? "";
}

function clientUsagesProblem(usages: readonly string[]): string | undefined {
  const strange = usages.find((usage) => !CLIENT_USAGES.has(usage));
  if (strange !== undefined) return `invalid usage for client certificate: ${strange}`;
  return usages.includes("client auth") ? undefined : "missing required usage for client certificate: client auth";
}

const CLIENT_USAGES: ReadonlySet<string> = new Set(["digital signature", "key encipherment", "client auth"]);

function nodeClientProblem(request: SigningRequest, usages: readonly string[]): string | undefined {
  if (!isOfNodes(request)) return NOT_OF_NODES;
  if (request.dnsNames.length > 0) return "DNS subjectAltNames are not allowed";
  if (request.emailAddresses.length > 0) return EMAIL_NOT_ALLOWED;
  if (request.ipAddresses.length > 0) return "IP subjectAltNames are not allowed";
  if (request.uris.length > 0) return URI_NOT_ALLOWED;
  if (!isNamedAsNode(request)) return NOT_NAMED_AS_NODE;
  return nodeUsagesProblem(usages, "client auth");
}

function nodeServingProblem(request: SigningRequest, usages: readonly string[]): string | undefined {
  if (!isOfNodes(request)) return NOT_OF_NODES;
  if (request.dnsNames.length === 0 && request.ipAddresses.length === 0) return "DNS or IP subjectAltName is required";
  if (request.emailAddresses.length > 0) return EMAIL_NOT_ALLOWED;
  if (request.uris.length > 0) return URI_NOT_ALLOWED;
  return nodeUsagesProblem(usages, "server auth") ?? (isNamedAsNode(request) ? undefined : NOT_NAMED_AS_NODE);
}

const NOT_OF_NODES = "subject organization is not system:nodes";
const NOT_NAMED_AS_NODE = "subject common name does not begin with system:node:";
const EMAIL_NOT_ALLOWED = "Email subjectAltNames are not allowed";
const URI_NOT_ALLOWED = "URI subjectAltNames are not allowed";

function isOfNodes({ subject }: SigningRequest): boolean {
  const organizations = subject.filter(({ type }) => type === NAME_OID.organization);
  return organizations.length === 1 && organizations[0]!.value === "system:nodes";
}

const isNamedAsNode = (request: SigningRequest): boolean => commonNameOf(request).startsWith("system:node:");

/** Only keys that encipher need the usage for it. */
function nodeUsagesProblem(usages: readonly string[], purpose: "client auth" | "server auth"): string | undefined {
  const required = [purpose, "digital signature"];
  const allowed = [...required, "key encipherment"];
  const given = new Set(usages);
  const fits = required.every((usage) => given.has(usage)) && usages.every((usage) => allowed.includes(usage));
  return fits ? undefined : `usages did not match [${allowed.sort().join(" ")}]`;
}
