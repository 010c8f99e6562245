// A node asks for certificates of pods only that run on it, in the name that they run in. Requirements: document 2, "Node authorizer".

import type { Names } from "../../meta/names.ts";
import type { ApiObject } from "../../meta/object.ts";
import { notFoundObject } from "../../meta/status-error.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";
import type { ReadObject } from "./token-audience.ts";

interface Asked {
  readonly nodeName?: string;
  readonly nodeUID?: string;
  readonly podName?: string;
  readonly podUID?: string;
  readonly serviceAccountName?: string;
  readonly serviceAccountUID?: string;
}

export async function podCertificateProblem(
  names: Names,
  read: ReadObject,
  node: string,
  { operation, subresource, namespace, object }: AdmissionRequest,
): Promise<string | undefined> {
  if (operation !== "CREATE") return `unexpected operation ${operation}`;
  if (subresource !== "") return `unexpected subresource ${subresource}`;
  const asked = (object?.["spec"] ?? {}) as Asked;
  const found = async (resource: string, name = "", space = namespace): Promise<ApiObject> => {
    const there = await read("", resource, space, name);
    if (there === undefined) throw notFoundObject({ group: "", resource }, name);
    return there;
  };
  if (asked.nodeName !== node)
    return `PodCertificateRequest.Spec.NodeName="${asked.nodeName}", which is not the requesting node "${node}"`;
  const podName = `"${namespace}/${asked.podName}"`;
  const { metadata: ownNode } = await found("nodes", asked.nodeName, "");
  if (ownNode.uid !== asked.nodeUID)
    return `PodCertificateRequest for pod ${podName} names node UID "${asked.nodeUID}", inconsistent with the running node ("${ownNode.uid}")`;
  const pod = await found("pods", asked.podName);
  if (pod.metadata.uid !== asked.podUID)
    return `PodCertificateRequest for pod ${podName} contains pod UID ("${asked.podUID}") which differs from running pod "${pod.metadata.uid}"`;
  const spec = (pod["spec"] ?? {}) as { readonly nodeName?: string; readonly serviceAccountName?: string };
  if (spec.nodeName !== node)
    return `pod ${podName} is not running on node "${asked.nodeName}" named in the PodCertificateRequest`;
  if (Object.hasOwn(pod.metadata.annotations ?? {}, names.mirrorPodAnnotation)) return `pod ${podName} is a mirror pod`;
  if (asked.serviceAccountName !== spec.serviceAccountName)
    return `PodCertificateRequest for pod ${podName} contains serviceAccountName ("${asked.serviceAccountName}") that differs from running pod ("${spec.serviceAccountName}")`;
  const { metadata: account } = await found("serviceaccounts", asked.serviceAccountName);
  return account.uid === asked.serviceAccountUID
    ? undefined
    : `PodCertificateRequest for pod ${podName} names service account UID "${asked.serviceAccountUID}", which differs from the running service account ("${account.uid}")`;
}
