// Files of one volume that would lie over each other, for warnings.

import type { VolumeProjection } from "../volumes/projected-volume.ts";
import type { Volume } from "../volumes/volume.ts";

/** More files than this are not compared with each other: it takes quadratic time. */
const MAX_FILES = 1000;

interface ShownFile {
  readonly path: string;
  /** What puts it there, in a projected volume. */
  readonly source: string;
}

export function overlappingPaths(volumes: readonly Volume[]): string[] {
  const warnings: string[] = [];
  for (const volume of volumes) {
    const say = (kind: string, files: readonly ShownFile[]) => {
      for (const overlap of overlapsOf(files)) {
        warnings.push(`volume ${JSON.stringify(volume.name)} (${kind}): overlapping paths: ${overlap}`);
      }
    };
    const { configMap, secret, downwardAPI, projected } = volume;
    if (configMap?.items) say(`ConfigMap ${JSON.stringify(configMap.name ?? "")}`, files(configMap.items, ""));
    if (secret?.items) say(`Secret ${JSON.stringify(secret.secretName ?? "")}`, files(secret.items, ""));
    if (downwardAPI?.items) say("DownwardAPI", files(downwardAPI.items, ""));
    if (!projected) continue;
    const sources = projected.sources ?? [];
    for (const source of sources) {
      if (Object.keys(source).length > 0) continue;
      warnings.push(`volume ${JSON.stringify(volume.name)} (Projected) has no sources provided`);
    }
    say("Projected", sources.flatMap(projectedFiles));
  }
  return warnings;
}

const files = (items: readonly { path: string }[], source: string): ShownFile[] =>
  items.map(({ path }) => ({ path, source }));

function projectedFiles(source: VolumeProjection): ShownFile[] {
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source;
  if (configMap?.items) return files(configMap.items, `ConfigMap ${JSON.stringify(configMap.name ?? "")}`);
  if (secret?.items) return files(secret.items, `Secret ${JSON.stringify(secret.name ?? "")}`);
  if (downwardAPI?.items) return files(downwardAPI.items, "DownwardAPI");
  if (serviceAccountToken) return files([serviceAccountToken], "ServiceAccountToken");
  if (clusterTrustBundle) {
    const name = clusterTrustBundle.name ?? clusterTrustBundle.signerName ?? "";
    return files([clusterTrustBundle], `ClusterTrustBundle ${JSON.stringify(name)}`);
  }
  const { certificateChainPath = "", keyPath = "", credentialBundlePath = "" } = podCertificate ?? {};
  return [
    { path: certificateChainPath, source: "PodCertificate chain" },
    { path: keyPath, source: "PodCertificate key" },
    { path: credentialBundlePath, source: "PodCertificate credential bundle" },
  ].filter(({ path }) => path !== "");
}

function overlapsOf(shown: readonly ShownFile[]): string[] {
  const overlaps: string[] = [];
  const earlier: ShownFile[] = [];
  for (const file of shown.slice(0, MAX_FILES)) {
    const path = withoutEndSlashes(file.path);
    const trimmed = { path, source: file.source };
    for (const other of earlier) {
      if (path === "" || other.path === "") continue;
      const covers = `${other.path}/`.startsWith(`${path}/`) || `${path}/`.startsWith(`${other.path}/`);
      if (covers) overlaps.push(`${textOf(trimmed)} with ${textOf(other)}`);
    }
    earlier.push(trimmed);
  }
  return overlaps;
}

function withoutEndSlashes(path: string): string {
  let end = path.length;
  while (end > 0 && path[end - 1] === "/") end -= 1;
  return path.slice(0, end);
}

const textOf = ({ path, source }: ShownFile): string =>
  source === "" ? JSON.stringify(path) : `${JSON.stringify(path)} (${source})`;
