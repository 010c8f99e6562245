// The volumes of a pod on this node: made before its containers, kept up to date while they run, removed at its end.
//
//   <root>/pods/<uid>/volumes/<domain>~empty-dir/<name>
//   <root>/pods/<uid>/volumes/<domain>~configmap/<name>     and secret, projected, downward-api

import { chmod, chown, mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Pod } from "../../kinds/core/pod.ts";
import type {
  ClusterTrustBundleProjection,
  ServiceAccountTokenProjection,
} from "../../kinds/core/volumes/projected-volume.ts";
import type { VolumeSource } from "../../kinds/core/volumes/volume.ts";
import type { KeysOf } from "../containers/environment.ts";
import type { PodAddresses } from "../containers/pod-facts.ts";
import { type FileContent, writeFiles } from "./atomic-directory.ts";
import { ensureHostPath } from "./host-path.ts";
import { memoryVolumeBytes } from "./memory-size.ts";
import type { MadeVolume, StorageOperations } from "./storage-operations.ts";
import { fileSources, isFileVolume, volumeFiles } from "./volume-files.ts";

export interface ReadyVolume extends MadeVolume {
  /** On the host. */
  readonly path: string;
  /** What is at the path is a device, not a directory. */
  readonly isDevice?: boolean;
  /** A path of the node that is not the pod's: how full it is says nothing of the pod. */
  readonly isOfHost?: boolean;
  /** It lies on another machine, which may not answer. */
  readonly isRemote?: boolean;
  /** The claim that has it. */
  readonly claim?: string;
  /** Asks who made it how full it is; without, its file system or its files say so. */
  readonly measure?: () => Promise<VolumeCapacity | undefined>;
  /** The runtime mounts the files of this image instead of a path. */
  readonly image?: string;
  /** Whether containers may only read it, whatever they ask for. */
  readonly readOnly: boolean;
}

/** What the maker of a volume knows of it; what it does not is undefined. */
export interface VolumeCapacity {
  readonly bytes?: AmountsOf;
  readonly inodes?: AmountsOf;
}

interface AmountsOf {
  readonly total: number;
  readonly available: number;
  readonly used: number;
}

/** A volume that cannot be made; the message is told to the owner of the pod. */
export class VolumeError extends Error {
  readonly volume: string;

  constructor(volume: string, message: string) {
    super(message);
    this.volume = volume;
  }
}

interface PodVolumesDeps {
  /** The directory of the pod with this uid. */
  readonly podDirectory: (uid: string) => string;
  /** The platform's own, which the names of directories begin with. */
  readonly domain: string;
  readonly keys: (namespace: string, wanted: { configMaps: string[]; secrets: string[] }) => Promise<KeysOf>;
  readonly token: (pod: Pod, projection: ServiceAccountTokenProjection) => Promise<string>;
  /** Trusted certificates (PEM). Not given where pods get none in their volumes. */
  readonly anchors?:
    | ((projection: ClusterTrustBundleProjection, signal: AbortSignal | undefined) => Promise<Uint8Array>)
    | undefined;
  readonly allocatable: () => Readonly<Record<string, string>>;
  readonly version: () => string;
  /** Mounts memory at a directory, unless it is there already; says whether it did. */
  readonly mountMemory: (directory: string, sizeBytes: number | undefined) => Promise<boolean>;
  /** Volumes that outlive pods or are made by others; undefined for all other kinds. */
  readonly prepareOther: (
    pod: Pod,
    volume: Volume,
    signal: AbortSignal | undefined,
  ) => Promise<ReadyVolume | undefined>;
  readonly operations: StorageOperations;
}

interface PrepareOptions {
  readonly onStale: (error: VolumeError) => void;
  /** Nobody wants them any more. */
  readonly signal?: AbortSignal;
}

export type Volume = NonNullable<Pod["spec"]["volumes"]>[number];

export class PodVolumes {
  readonly #deps: PodVolumesDeps;
  /** By the uid of the pod. */
  readonly #ready = new Map<string, ReadonlyMap<string, ReadyVolume>>();

  constructor(deps: PodVolumesDeps) {
    this.#deps = deps;
  }

  /**
   * All volumes that containers of the pod use, as they shall be now. One that was made before and cannot be brought up to date
   * stays as it is, and `onStale` hears why: what runs does not end for it. Fails with VolumeError at the first that cannot be
   * made, when all have been tried: none is still being made at the next attempt.
   */
  async prepare(
    pod: Pod,
    addresses: PodAddresses,
    { onStale, signal }: PrepareOptions,
  ): Promise<Map<string, ReadyVolume>> {
    const uid = pod.metadata.uid ?? "";
    const used = usedVolumes(pod);
    const volumes = (pod.spec.volumes ?? []).filter(({ name }) => used.has(name));
    const ready = new Map<string, ReadyVolume>();
    if (volumes.length === 0) return ready;
    const before = this.readyOf(uid);
    const made = await Promise.all(
      volumes.map(async (volume): Promise<ReadyVolume | VolumeError> => {
        const known = before.get(volume.name);
        // What an image's name stands for is looked up once: another image of that name is for other pods. A path of the node
        // is looked at once too: it may lead to a server that has stopped to answer since.
        if (known !== undefined && (known.image !== undefined || known.isOfHost)) return known;
        try {
          return await this.#deps.operations.making(volume, () => this.#prepareOne(pod, volume, addresses, signal));
        } catch (error) {
          const failed = new VolumeError(volume.name, error instanceof Error ? error.message : String(error));
          if (known === undefined) return failed;
          onStale(failed);
          return known;
        }
      }),
    );
    for (const [index, { name }] of volumes.entries()) {
      const volume = made[index]!;
      if (volume instanceof VolumeError) throw volume;
      ready.set(name, volume);
    }
    this.#ready.set(uid, ready);
    return ready;
  }

  /** Those that were made, by name. */
  readyOf(uid: string): ReadonlyMap<string, ReadyVolume> {
    return this.#ready.get(uid) ?? new Map();
  }

  /** `remove` takes away what was made for the pod. */
  async remove(uid: string, remove: () => Promise<void>): Promise<void> {
    await this.#deps.operations.removing(this.readyOf(uid).values(), remove);
    this.#ready.delete(uid);
  }

  async #prepareOne(
    pod: Pod,
    volume: Volume,
    addresses: PodAddresses,
    signal: AbortSignal | undefined,
  ): Promise<ReadyVolume> {
    const { hostPath, emptyDir } = volume;
    if (hostPath) return { path: await ensureHostPath(hostPath), readOnly: false, isOfHost: true };
    if (isFileVolume(volume)) return { path: await this.#writeFiles(pod, volume, addresses, signal), readOnly: true };
    const kind = sourceKind(volume);
    if (emptyDir || kind === undefined) return { path: await this.#makeEmpty(pod, volume), readOnly: false };
    const other = await this.#deps.prepareOther(pod, volume, signal);
    if (other !== undefined) return other;
    throw new Error(`the volume is of the kind ${kind}, which this node agent does not support`);
  }

  async #makeEmpty(pod: Pod, volume: Volume): Promise<string> {
    const path = this.#pathOf(pod, "empty-dir", volume.name);
    const { medium = "", sizeLimit } = volume.emptyDir ?? {};
    if (medium !== "" && medium !== "Memory") throw new Error(`unknown storage medium ${JSON.stringify(medium)}`);
    const isThere = (await stat(path).catch(() => undefined)) !== undefined;
    await mkdir(path, { recursive: true, mode: 0o777 });
    // Memory is gone when the machine starts anew, its directory is not.
    const isNew = (medium === "Memory" && (await this.#mountMemory(pod, path, sizeLimit))) || !isThere;
    if (!isNew) return path;
    const group = pod.spec.securityContext?.fsGroup;
    if (group !== undefined) await chown(path, process.getuid?.() ?? 0, Number(group));
    // Set here: the mode of a new directory is cut by the process's mask. In memory it is as the kernel makes it, where
    // nobody removes what others have made.
    const mode = (medium === "Memory" ? 0o1777 : 0o777) | (group === undefined ? 0 : 0o2000);
    await chmod(path, mode);
    return path;
  }

  async #writeFiles(
    pod: Pod,
    volume: Volume,
    addresses: PodAddresses,
    signal: AbortSignal | undefined,
  ): Promise<string> {
    const { keys, token, anchors, allocatable, version } = this.#deps;
    const { configMaps, secrets, tokens, bundles } = fileSources(volume);
    const keysOf = await keys(pod.metadata.namespace ?? "", { configMaps: [...configMaps], secrets: [...secrets] });
    const held = new Map<ServiceAccountTokenProjection, string>();
    for (const projection of tokens) held.set(projection, await token(pod, projection));
    const tokenOf = (projection: ServiceAccountTokenProjection) => held.get(projection) ?? "";
    const trusted = new Map<ClusterTrustBundleProjection, Uint8Array>();
    if (anchors) for (const projection of bundles) trusted.set(projection, await anchors(projection, signal));
    const anchorsOf = anchors && ((projection: ClusterTrustBundleProjection) => trusted.get(projection)!);
    const files = volumeFiles(volume, { pod, addresses, allocatable: allocatable(), keysOf, tokenOf, anchorsOf });
    const path = this.#pathOf(pod, fileKind(volume), volume.name);
    await mkdir(path, { recursive: true, mode: 0o755 });
    // What nobody may find on a disk that is taken out. ConfigMaps are no secrets.
    if (!volume.configMap) await this.#mountMemory(pod, path, undefined);
    const group = pod.spec.securityContext?.fsGroup;
    await writeFiles(path, group === undefined ? files : groupReadable(files), {
      version: version(),
      ...(group === undefined ? {} : { gid: Number(group) }),
    });
    return path;
  }

  async #mountMemory(pod: Pod, path: string, sizeLimit: string | undefined): Promise<boolean> {
    const { mountMemory, allocatable } = this.#deps;
    return await mountMemory(path, memoryVolumeBytes(pod, sizeLimit, allocatable()["memory"]));
  }

  #pathOf({ metadata }: Pod, kind: string, volume: string): string {
    return join(this.#deps.podDirectory(metadata.uid ?? ""), "volumes", `${this.#deps.domain}~${kind}`, volume);
  }
}

function usedVolumes({ spec }: Pod): Set<string> {
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
  return new Set(
    containers.flatMap(({ volumeMounts, volumeDevices }) =>
      [...(volumeMounts ?? []), ...(volumeDevices ?? [])].map(({ name }) => name),
    ),
  );
}

const GROUP_MAY_READ = 0o440;

function groupReadable(files: ReadonlyMap<string, FileContent>): Map<string, FileContent> {
  return new Map([...files].map(([path, content]) => [path, { ...content, mode: content.mode | GROUP_MAY_READ }]));
}

function fileKind({ configMap, secret, downwardAPI }: VolumeSource): string {
  if (configMap) return "configmap";
  if (secret) return "secret";
  return downwardAPI ? "downward-api" : "projected";
}

/** Which member says what the volume is; undefined where none does. */
function sourceKind(volume: Volume): string | undefined {
  return Object.entries(volume).find(([member, value]) => member !== "name" && value !== undefined)?.[0];
}
