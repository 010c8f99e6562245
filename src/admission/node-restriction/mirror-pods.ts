// A pod that a node creates only mirrors one that it runs already: bound to it, owned by it, and leading nowhere else. Pure
// but for the look at the node. Requirements: document 2, "Node authorizer".

import { podReferences } from "../../kinds/core/pod/references.ts";
import type { Names } from "../../meta/names.ts";
import type { ApiObject } from "../../meta/object.ts";
import { notFoundObject } from "../../meta/status-error.ts";

export async function mirrorPodProblem(
  names: Names,
  node: string,
  pod: ApiObject,
  readNode: () => Promise<ApiObject | undefined>,
): Promise<string | undefined> {
  const { annotations = {}, ownerReferences = [] } = pod.metadata;
  const spec = (pod["spec"] ?? {}) as { nodeName?: string; serviceAccountName?: string; resourceClaims?: unknown[] };
  if (!Object.hasOwn(annotations, names.mirrorPodAnnotation)) {
    return `pod does not have "${names.mirrorPodAnnotation}" annotation, node "${node}" can only create mirror pods`;
  }
  if (spec.nodeName !== node) return `node "${node}" can only create pods with spec.nodeName set to itself`;
  if (ownerReferences.length > 1)
    return `node "${node}" can only create pods with a single owner reference set to itself`;
  const [owner] = ownerReferences;
  if (owner === undefined || owner.apiVersion !== "v1" || owner.kind !== "Node" || owner.name !== node) {
    return `node "${node}" can only create pods with an owner reference set to itself`;
  }
  if (owner.controller !== true)
    return `node "${node}" can only create pods with a controller owner reference set to itself`;
  if (owner.blockOwnerDeletion === true) return `node "${node}" must not set blockOwnerDeletion on an owner reference`;
  const own = await readNode();
  if (own === undefined) throw notFoundObject({ group: "", resource: "nodes" }, node);
  if (owner.uid !== own.metadata.uid) return `node ${node} UID mismatch: expected ${owner.uid} got ${own.metadata.uid}`;
  return referenceProblem(node, pod);
}

/** A node may read whatever its pods refer to, so the pods that it creates itself must refer to nothing. */
function referenceProblem(node: string, pod: ApiObject): string | undefined {
  const kinds = new Set(podReferences(pod).map(({ kind }) => kind));
  if (kinds.has("serviceaccount")) return `node "${node}" can not create pods that reference serviceaccounts`;
  if (kinds.has("secret")) return `node "${node}" can not create pods that reference secrets`;
  if (kinds.has("configmap")) return `node "${node}" can not create pods that reference configmaps`;
  if (kinds.has("persistentvolumeclaim"))
    return `node "${node}" can not create pods that reference persistentvolumeclaims`;
  const { resourceClaims, volumes } = (pod["spec"] ?? {}) as { resourceClaims?: unknown[]; volumes?: object[] };
  if (kinds.has("resourceclaim") || (resourceClaims ?? []).length > 0) {
    return `node "${node}" can not create pods that reference resourceclaims`;
  }
  const sources = (volumes ?? []).flatMap(
    (volume) => (volume as { projected?: { sources?: object[] } }).projected?.sources ?? [],
  );
  if (sources.some((source) => "clusterTrustBundle" in source)) {
    return `node "${node}" can not create pods that reference clustertrustbundles`;
  }
  return undefined;
}
