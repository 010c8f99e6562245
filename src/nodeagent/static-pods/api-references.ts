// What a pod needs of the API besides itself. Pods of the node's own run without it, so that they may not need anything.

import type { Container } from "../../kinds/core/pod/container.ts";
import type { EphemeralContainer } from "../../kinds/core/pod/ephemeral-container.ts";
import type { Pod } from "../../kinds/core/pod.ts";

/** The resource that it names first; undefined for none. */
export function apiReference({ spec }: Pod): string | undefined {
  if (spec.serviceAccountName) return "serviceaccounts";
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
  const named = containers.map(variableSource);
  const hasDriverSecret = (spec.volumes ?? []).some(({ flexVolume }) => flexVolume?.secretRef);
  if ((spec.imagePullSecrets ?? []).length > 0 || hasDriverSecret || named.includes("secrets")) return "secrets";
  if (named.includes("configmaps")) return "configmaps";
  if ((spec.resourceClaims ?? []).length > 0) return "resourceclaims";
  for (const volume of spec.volumes ?? []) {
    const found = volumeReference(volume);
    if (found !== undefined) return found;
  }
  return undefined;
}

function variableSource({ env, envFrom }: Container | EphemeralContainer): "secrets" | "configmaps" | undefined {
  const values = (env ?? []).map(({ valueFrom }) => valueFrom);
  const sources = envFrom ?? [];
  if (values.some((value) => value?.secretKeyRef) || sources.some(({ secretRef }) => secretRef)) return "secrets";
  if (values.some((value) => value?.configMapKeyRef) || sources.some(({ configMapRef }) => configMapRef))
    return "configmaps";
  return undefined;
}

type Volume = NonNullable<Pod["spec"]["volumes"]>[number];

function volumeReference({ configMap, secret, csi, persistentVolumeClaim, ephemeral, projected }: Volume) {
  if (configMap) return "configmaps (via configmap volumes)";
  if (secret) return "secrets (via secret volumes)";
  if (csi) return "csidrivers (via CSI volumes)";
  if (persistentVolumeClaim) return "persistentvolumeclaims";
  if (ephemeral) return "persistentvolumeclaims (via ephemeral volumes)";
  for (const source of projected?.sources ?? []) {
    if (source.configMap) return "configmaps (via projected volumes)";
    if (source.secret) return "secrets (via projected volumes)";
    if (source.serviceAccountToken) return "serviceaccounts (via projected volumes)";
    if (source.clusterTrustBundle) return "clustertrustbundles";
    if (source.podCertificate) return "podcertificates";
  }
  return undefined;
}
