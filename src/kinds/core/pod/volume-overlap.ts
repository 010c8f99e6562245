// Files of one volume that would lie over each other, for warnings.

import { append } from "../../../base/append.ts";
import type { VolumeProjection } from "../volumes/projected-volume.ts";
import type { Volume } from "../volumes/volume.ts";

/** Of one volume; a header holds no more, and equal files overlap each with each. */
const MAX_OVERLAPS = 100;
/** Folders below this depth are not told apart. */
const MAX_DEPTH = 64;

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

/** In the order of the files, each with those before it. */
function overlapsOf(shown: readonly ShownFile[]): string[] {
  if (areApart(shown)) return [];
  const overlaps: string[] = [];
  const earlier = new Folders();
  for (const { path: given, source } of shown) {
    if (overlaps.length >= MAX_OVERLAPS) break;
    const path = withoutEndSlashes(given);
    if (path === "") continue;
    const file = { path, source };
    for (const other of earlier.overlapping(path)) overlaps.push(`${textOf(file)} with ${textOf(other)}`);
    earlier.add(file);
  }
  return overlaps.slice(0, MAX_OVERLAPS);
}

/** Whether they have names of their own in one folder: as most have, among them the files of every pod's account. */
function areApart(shown: readonly ShownFile[]): boolean {
  const names = new Set<string>();
  for (const { path } of shown) {
    if (path.includes("/") || names.has(path)) return false;
    names.add(path);
  }
  return true;
}

/** The files seen so far, found by what lies above and below a path without looking at each. */
class Folders {
  #count = 0;
  readonly #at = new Map<string, NumberedFile[]>();
  /** Files at or below a path. */
  readonly #below = new Map<string, NumberedFile[]>();

  add(file: ShownFile): void {
    const numbered = { ...file, number: this.#count++ };
    remember(this.#at, file.path, numbered);
    for (const folder of foldersOf(file.path)) remember(this.#below, folder, numbered);
    remember(this.#below, file.path, numbered);
  }

  overlapping(path: string): ShownFile[] {
    const found = [...(this.#below.get(path) ?? [])];
    for (const folder of foldersOf(path)) append(found, this.#at.get(folder) ?? []);
    return found.sort((a, b) => a.number - b.number);
  }
}

interface NumberedFile extends ShownFile {
  readonly number: number;
}

function remember(files: Map<string, NumberedFile[]>, path: string, file: NumberedFile): void {
  const known = files.get(path);
  if (known === undefined) files.set(path, [file]);
  else if (known.length < MAX_OVERLAPS) known.push(file);
}

/** `a` and `a/b` for `a/b/c`. */
function* foldersOf(path: string): Generator<string> {
  let slash = path.indexOf("/");
  for (let depth = 0; slash >= 0 && depth < MAX_DEPTH; depth++) {
    yield path.slice(0, slash);
    slash = path.indexOf("/", slash + 1);
  }
}

function withoutEndSlashes(path: string): string {
  let end = path.length;
  while (end > 0 && path[end - 1] === "/") end -= 1;
  return path.slice(0, end);
}

const textOf = ({ path, source }: ShownFile): string =>
  source === "" ? JSON.stringify(path) : `${JSON.stringify(path)} (${source})`;
