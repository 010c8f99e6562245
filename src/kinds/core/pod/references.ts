// What a pod makes its node need: the names of the objects that it mentions. Pure.
// Requirements: document 2, "Node authorizer".

import type { ApiObject } from "../../../meta/object.ts";

export type ReferenceKind = "secret" | "configmap" | "persistentvolumeclaim" | "serviceaccount" | "resourceclaim";

interface Reference {
  readonly kind: ReferenceKind;
  readonly name: string;
}

type Part = { readonly [field: string]: unknown };

/** A pod with the annotation of mirror pods leads to nothing: its node made it, and must not give itself more by it. */
export function podReferences(pod: ApiObject, mirrorAnnotation?: string): Reference[] {
  if (mirrorAnnotation !== undefined && Object.hasOwn(pod.metadata.annotations ?? {}, mirrorAnnotation)) return [];
  const spec = part(pod["spec"]);
  const found: Reference[] = [];
  const add = (kind: ReferenceKind, name: unknown) => {
    if (typeof name === "string" && name !== "") found.push({ kind, name });
  };
  add("serviceaccount", spec["serviceAccountName"]);
  for (const secret of parts(spec["imagePullSecrets"])) add("secret", secret["name"]);
  for (const list of ["initContainers", "containers", "ephemeralContainers"]) {
    for (const container of parts(spec[list])) addContainer(container, add);
  }
  for (const volume of parts(spec["volumes"])) addVolume(volume, pod.metadata.name ?? "", add);
  const status = part(pod["status"]);
  for (const claim of parts(spec["resourceClaims"])) add("resourceclaim", claim["resourceClaimName"]);
  for (const claim of parts(status["resourceClaimStatuses"])) add("resourceclaim", claim["resourceClaimName"]);
  add("resourceclaim", part(status["extendedResourceClaimStatus"])["resourceClaimName"]);
  return found;
}

type Add = (kind: ReferenceKind, name: unknown) => void;

function addContainer(container: Part, add: Add): void {
  for (const variable of parts(container["env"])) {
    const from = part(variable["valueFrom"]);
    add("secret", part(from["secretKeyRef"])["name"]);
    add("configmap", part(from["configMapKeyRef"])["name"]);
  }
  for (const source of parts(container["envFrom"])) {
    add("secret", part(source["secretRef"])["name"]);
    add("configmap", part(source["configMapRef"])["name"]);
  }
}

/** Volume types whose secret stands below `secretRef`. */
const WITH_SECRET_REF = ["cephfs", "cinder", "flexVolume", "rbd", "scaleIO", "iscsi", "storageos"];

function addVolume(volume: Part, podName: string, add: Add): void {
  add("secret", part(volume["secret"])["secretName"]);
  add("secret", part(volume["azureFile"])["secretName"]);
  add("secret", part(part(volume["csi"])["nodePublishSecretRef"])["name"]);
  for (const type of WITH_SECRET_REF) add("secret", part(part(volume[type])["secretRef"])["name"]);
  add("configmap", part(volume["configMap"])["name"]);
  for (const source of parts(part(volume["projected"])["sources"])) {
    add("secret", part(source["secret"])["name"]);
    add("configmap", part(source["configMap"])["name"]);
  }
  add("persistentvolumeclaim", part(volume["persistentVolumeClaim"])["claimName"]);
  if (volume["ephemeral"] !== undefined && volume["ephemeral"] !== null) {
    add("persistentvolumeclaim", `${podName}-${String(volume["name"])}`);
  }
}

/** The secrets that a node needs for a persistent volume, with their namespaces. */
export function volumeSecrets(volume: ApiObject): { readonly namespace: string; readonly name: string }[] {
  const spec = part(volume["spec"]);
  const claimNamespace = String(part(spec["claimRef"])["namespace"] ?? "");
  const found: { namespace: string; name: string }[] = [];
  const add = (ref: Part, byDefault = "") => {
    const namespace = String(ref["namespace"] ?? "") || byDefault;
    if (typeof ref["name"] === "string" && ref["name"] !== "" && namespace !== "")
      found.push({ namespace, name: ref["name"] });
  };
  const azure = part(spec["azureFile"]);
  add({ name: azure["secretName"], namespace: azure["secretNamespace"] }, claimNamespace);
  for (const type of WITH_SECRET_REF) add(part(part(spec[type])["secretRef"]), claimNamespace);
  const csi = part(spec["csi"]);
  for (const field of ["nodePublishSecretRef", "nodeStageSecretRef", "nodeExpandSecretRef"]) add(part(csi[field]));
  return found;
}

const part = (value: unknown): Part => (typeof value === "object" && value !== null ? (value as Part) : {});
const parts = (value: unknown): Part[] => (Array.isArray(value) ? value.map(part) : []);
