// Which secrets a pod may refer to: a mirror pod none; where the service account enforces its list of secrets, those in it.

import type { Pod } from "../kinds/core/pod.ts";
import type { ServiceAccount } from "../kinds/core/service-account.ts";
import type { AdmissionRequest } from "../registry/admission.ts";
import { refusal } from "./refusal.ts";

/** A mirror pod stands for one that a node runs on its own: it must not reach for anything in the cluster. */
export function checkMirrorPod(request: AdmissionRequest, { spec }: Pod): void {
  if ((spec.serviceAccountName ?? "") !== "") throw refusal(request, "a mirror pod may not reference service accounts");
  if (secretReferences(spec).length > 0) throw refusal(request, "a mirror pod may not reference secrets");
  if (mentions(spec, CONFIG_MAP_KEYS).length > 0) throw refusal(request, "a mirror pod may not reference configmaps");
  const projected = (spec.volumes ?? []).flatMap((volume) => volume.projected?.sources ?? []);
  if (projected.some(({ serviceAccountToken }) => serviceAccountToken != null)) {
    throw refusal(request, "a mirror pod may not use ServiceAccountToken volume projections");
  }
}

/** Why a pod may not use a secret that this part of it names; undefined where all are listed. */
export function unlistedSecret(account: ServiceAccount, spec: Partial<Pod["spec"]>): string | undefined {
  const accountName = account.metadata.name ?? "";
  const mountable = new Set((account.secrets ?? []).map(({ name }) => name));
  for (const { secret, name } of spec.volumes ?? []) {
    if (secret?.secretName && !mountable.has(secret.secretName)) {
      return `volume with secret.secretName=${JSON.stringify(secret.secretName)} is not allowed because service account ${accountName} does not reference that secret (volume ${name})`;
    }
  }
  const groups = [
    ["init container", spec.initContainers],
    ["container", spec.containers],
    ["ephemeral container", spec.ephemeralContainers],
  ] as const;
  for (const [what, containers] of groups) {
    for (const container of containers ?? []) {
      for (const env of container.env ?? []) {
        const secret = env.valueFrom?.secretKeyRef?.name;
        if (secret && !mountable.has(secret)) {
          return `${what} ${container.name} with envVar ${env.name} referencing secret.secretName=${JSON.stringify(secret)} is not allowed because service account ${accountName} does not reference that secret`;
        }
      }
      for (const { secretRef } of container.envFrom ?? []) {
        if (secretRef?.name && !mountable.has(secretRef.name)) {
          return `${what} ${container.name} with envFrom referencing secret.secretName=${JSON.stringify(secretRef.name)} is not allowed because service account ${accountName} does not reference that secret`;
        }
      }
    }
  }
  const pullable = new Set((account.imagePullSecrets ?? []).map(({ name }) => name));
  const pull = (spec.imagePullSecrets ?? []).find(({ name }) => !pullable.has(name));
  if (pull === undefined) return undefined;
  return `imagePullSecrets with name=${JSON.stringify(pull.name)} is not allowed because service account ${accountName} does not reference that imagePullSecret`;
}

/** Members of a pod that name a secret or a config map, wherever they stand in it. */
const SECRET_KEYS: ReadonlySet<string> = new Set([
  "secret",
  "secretRef",
  "secretKeyRef",
  "imagePullSecrets",
  "nodePublishSecretRef",
]);
const CONFIG_MAP_KEYS: ReadonlySet<string> = new Set(["configMap", "configMapRef", "configMapKeyRef"]);

const secretReferences = (spec: Pod["spec"]): unknown[] => mentions(spec, SECRET_KEYS);

function mentions(value: unknown, keys: ReadonlySet<string>): unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => mentions(item, keys));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const empty = inner == null || (Array.isArray(inner) && inner.length === 0);
    return keys.has(key) && !empty ? [inner] : mentions(inner, keys);
  });
}
