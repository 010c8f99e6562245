// The files of a volume that shows objects of the API: keys of ConfigMaps and Secrets, fields of the pod, tokens,
// trusted certificates. Pure.

import type { Pod } from "../../kinds/core/pod.ts";
import type { DownwardAPIVolumeFile, KeyToPath } from "../../kinds/core/volumes/file-volumes.ts";
import type {
  ClusterTrustBundleProjection,
  ProjectedVolumeSource,
  ServiceAccountTokenProjection,
} from "../../kinds/core/volumes/projected-volume.ts";
import type { VolumeSource } from "../../kinds/core/volumes/volume.ts";
import type { KeysOf } from "../containers/environment.ts";
import { FactError, type PodAddresses, podField, resourceField } from "../containers/pod-facts.ts";
import type { FileContent } from "./atomic-directory.ts";

export interface FileFacts {
  readonly pod: Pod;
  readonly addresses: PodAddresses;
  readonly allocatable: Readonly<Record<string, string>>;
  readonly keysOf: KeysOf;
  readonly tokenOf: (projection: ServiceAccountTokenProjection) => string;
  /** Not given where there are no such files. */
  readonly anchorsOf?: ((projection: ClusterTrustBundleProjection) => Uint8Array) | undefined;
}

/** Sources whose volumes are made of files; undefined for all others. */
export type FileVolume = Pick<VolumeSource, "configMap" | "secret" | "downwardAPI" | "projected">;

export const isFileVolume = ({ configMap, secret, downwardAPI, projected }: FileVolume): boolean =>
  (configMap ?? secret ?? downwardAPI ?? projected) !== undefined;

/** Fails with FactError where something is missing that is not optional. */
export function volumeFiles(source: FileVolume, facts: FileFacts): Map<string, FileContent> {
  const { configMap, secret, downwardAPI, projected } = source;
  if (configMap) return keyFiles("ConfigMap", configMap, configMap.defaultMode, facts);
  if (secret) {
    const { secretName, ...rest } = secret;
    return keyFiles(
      "Secret",
      { ...rest, ...(secretName === undefined ? {} : { name: secretName }) },
      secret.defaultMode,
      facts,
    );
  }
  if (downwardAPI) return fieldFiles(downwardAPI.items, downwardAPI.defaultMode, facts);
  return projected ? projectedFiles(projected, facts) : new Map();
}

const DEFAULT_MODE = 0o644;
/** Only its owner reads what was made for the pod alone, where it is known who that is. */
const OWN_MODE = 0o600;

interface KeySource {
  readonly name?: string;
  readonly items?: readonly KeyToPath[];
  readonly optional?: boolean;
}

function keyFiles(
  kind: "ConfigMap" | "Secret",
  { name = "", items, optional = false }: KeySource,
  defaultMode: number | undefined,
  { keysOf }: FileFacts,
): Map<string, FileContent> {
  const files = new Map<string, FileContent>();
  const keys = keysOf(kind, name);
  if (keys === undefined) {
    if (optional) return files;
    throw new FactError(`${kind.toLowerCase()} "${name}" not found`);
  }
  const mode = defaultMode ?? DEFAULT_MODE;
  if (!items?.length) {
    for (const [key, bytes] of keys) files.set(key, { bytes, mode });
    return files;
  }
  for (const item of items) {
    const bytes = keys.get(item.key);
    if (bytes !== undefined) files.set(item.path, { bytes, mode: item.mode ?? mode });
    else if (!optional)
      throw new FactError(
        `${kind === "Secret" ? "references non-existent secret" : "configmap references non-existent config"} key: ${item.key}`,
      );
  }
  return files;
}

function fieldFiles(
  items: readonly DownwardAPIVolumeFile[] | undefined,
  defaultMode: number | undefined,
  { pod, addresses, allocatable }: FileFacts,
): Map<string, FileContent> {
  const files = new Map<string, FileContent>();
  for (const { path, fieldRef, resourceFieldRef, mode } of items ?? []) {
    const text = fieldRef
      ? podField(pod, fieldRef.fieldPath, addresses)
      : resourceFieldRef
        ? resourceField(pod, undefined, resourceFieldRef, allocatable)
        : "";
    files.set(path, { bytes: Buffer.from(text), mode: mode ?? defaultMode ?? DEFAULT_MODE });
  }
  return files;
}

function projectedFiles({ sources, defaultMode }: ProjectedVolumeSource, facts: FileFacts): Map<string, FileContent> {
  const files = new Map<string, FileContent>();
  const addAll = (more: ReadonlyMap<string, FileContent>) => {
    for (const [path, content] of more) files.set(path, content);
  };
  for (const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle, ...others } of sources ?? []) {
    if (configMap) addAll(keyFiles("ConfigMap", configMap, defaultMode, facts));
    else if (secret) addAll(keyFiles("Secret", secret, defaultMode, facts));
    else if (downwardAPI) addAll(fieldFiles(downwardAPI.items, defaultMode, facts));
    else if (serviceAccountToken)
      files.set(
        serviceAccountToken.path,
        ownFile(Buffer.from(facts.tokenOf(serviceAccountToken)), defaultMode, facts.pod),
      );
    else if (clusterTrustBundle && facts.anchorsOf)
      files.set(clusterTrustBundle.path, ownFile(facts.anchorsOf(clusterTrustBundle), defaultMode, facts.pod));
    else {
      const source = clusterTrustBundle ? "clusterTrustBundle" : Object.keys(others).join();
      throw new FactError(`the projected source ${source} is not supported on this node`);
    }
  }
  return files;
}

function ownFile(bytes: Uint8Array, defaultMode: number | undefined, pod: Pod): FileContent {
  const uid = commonUser(pod);
  const isOwned = uid !== undefined || pod.spec.securityContext?.fsGroup !== undefined;
  return { bytes, mode: isOwned ? OWN_MODE : (defaultMode ?? DEFAULT_MODE), uid };
}

/** The user that all containers run as, if they say so and it is the same. */
function commonUser({ spec }: Pod): number | undefined {
  const shared = spec.securityContext?.runAsUser;
  const all = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  const users = new Set(all.map(({ securityContext }) => securityContext?.runAsUser ?? shared));
  const [user] = users;
  return users.size === 1 && user !== undefined ? Number(user) : undefined;
}

/** The objects that the files of a volume are made of. */
export function fileSources({ configMap, secret, projected }: FileVolume): {
  readonly configMaps: readonly string[];
  readonly secrets: readonly string[];
  readonly tokens: readonly ServiceAccountTokenProjection[];
  readonly bundles: readonly ClusterTrustBundleProjection[];
} {
  const parts = projected?.sources ?? [];
  const names = (list: readonly (string | undefined)[]) => list.filter((name) => name !== undefined);
  return {
    configMaps: names([configMap?.name, ...parts.map((part) => part.configMap?.name)]),
    secrets: names([secret?.secretName, ...parts.map((part) => part.secret?.name)]),
    tokens: parts.flatMap(({ serviceAccountToken }) => serviceAccountToken ?? []),
    bundles: parts.flatMap(({ clusterTrustBundle }) => clusterTrustBundle ?? []),
  };
}
