// Volumes that pods do not bring themselves: through claims, from servers, by storage drivers, from images.

import { mkdir, stat } from "node:fs/promises";
import { isApiError } from "../../client/api-error.ts";
import type { Client } from "../../client/client.ts";
import type { Stored } from "../../client/informer.ts";
import type { PersistentVolume } from "../../kinds/core/persistent-volume.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { CsiMounter } from "../csi/csi-mounter.ts";
import { inlineVolumeOf, persistentVolumeOf } from "../csi/csi-requests.ts";
import { ensureHostPath } from "../volumes/host-path.ts";
import type { FilesystemMount } from "../volumes/mounts.ts";
import type { ReadyVolume, Volume } from "../volumes/pod-volumes.ts";
import { takeOwnership } from "../volumes/take-ownership.ts";

type NfsSource = NonNullable<Volume["nfs"]>;

type ImageSource = NonNullable<Volume["image"]>;

interface PersistentVolumesDeps {
  readonly client: Client;
  readonly csi: Pick<CsiMounter, "mount">;
  /** The directory of a volume of the pod, by its kind. */
  readonly directoryOf: (pod: Pod, kind: string, name: string) => string;
  readonly mount: (mount: FilesystemMount) => Promise<void>;
  /** Gets an image onto the node, and gives what the runtime knows it by. */
  readonly pull: (pod: Pod, image: ImageSource) => Promise<string>;
}

export class PersistentVolumes {
  readonly #deps: PersistentVolumesDeps;

  constructor(deps: PersistentVolumesDeps) {
    this.#deps = deps;
  }

  /** Undefined for volumes of other kinds. Fails with the reason why the volume cannot be had (yet). */
  async prepare(pod: Pod, volume: Volume): Promise<ReadyVolume | undefined> {
    const { name, persistentVolumeClaim, ephemeral, nfs, csi, image } = volume;
    if (persistentVolumeClaim) {
      const claimed = await this.#claimed(pod, persistentVolumeClaim.claimName, false);
      return await this.#persistent(pod, claimed, persistentVolumeClaim.readOnly ?? false);
    }
    if (ephemeral)
      return await this.#persistent(pod, await this.#claimed(pod, `${pod.metadata.name}-${name}`, true), false);
    if (nfs) return await this.#nfs(pod, name, nfs, []);
    if (image?.reference) return { path: "", readOnly: true, image: await this.#deps.pull(pod, image) };
    if (!csi) return undefined;
    return { path: await this.#deps.csi.mount(pod, inlineVolumeOf(pod, name, csi)), readOnly: csi.readOnly ?? false };
  }

  /** The volume that a claim is bound to, each of the other. */
  async #claimed(pod: Pod, claimName: string, isOwned: boolean): Promise<Stored<PersistentVolume>> {
    const { core } = this.#deps.client;
    const namespace = pod.metadata.namespace ?? "";
    const fail = (why: string) => new Error(`error processing PVC ${namespace}/${claimName}: ${why}`);
    const claim = await core.v1.persistentVolumeClaims(namespace).find(claimName);
    if (claim === undefined)
      throw fail(`failed to fetch PVC from API server: persistentvolumeclaims "${claimName}" not found`);
    const { uid, name } = pod.metadata;
    if (isOwned && !(claim.metadata.ownerReferences ?? []).some((owner) => owner.controller && owner.uid === uid))
      throw fail(`PVC was not created for pod ${namespace}/${name} (pod is not owner)`);
    if (claim.metadata.deletionTimestamp !== undefined) throw fail("PVC is being deleted");
    const volumeName = claim.spec.volumeName;
    if (claim.status.phase !== "Bound" || !volumeName) throw fail("PVC is not bound");
    const found = await core.v1
      .persistentVolumes()
      .get(volumeName)
      .catch((error: unknown) => {
        throw isApiError(error) ? fail(`failed to fetch PV ${volumeName} from API server: ${error.message}`) : error;
      });
    if (found.spec.claimRef?.uid !== claim.metadata.uid)
      throw fail(
        `PV ${volumeName} has claimRef UID ${found.spec.claimRef?.uid ?? ""} but expected ${claim.metadata.uid}`,
      );
    return found;
  }

  async #persistent(pod: Pod, volume: Stored<PersistentVolume>, isReadOnly: boolean): Promise<ReadyVolume> {
    const { spec, metadata } = volume;
    const { hostPath, local, nfs, csi, mountOptions = [] } = spec;
    if (spec.volumeMode === "Block") throw new Error("volumes of the mode Block are not supported by this node agent");
    if (hostPath) return { path: await ensureHostPath(hostPath), readOnly: isReadOnly };
    if (local) return { path: await this.#local(pod, local.path), readOnly: isReadOnly };
    if (nfs) {
      const ready = await this.#nfs(pod, metadata.name, nfs, mountOptions);
      return { ...ready, readOnly: ready.readOnly || isReadOnly };
    }
    if (csi) {
      const wanted = persistentVolumeOf(volume, csi);
      const readOnly = wanted.readOnly || isReadOnly;
      return { path: await this.#deps.csi.mount(pod, { ...wanted, readOnly }), readOnly };
    }
    const kind = Object.keys(spec).find((member) => !NOT_SOURCES.has(member)) ?? "unknown";
    throw new Error(`the volume is of the kind ${kind}, which this node agent does not support`);
  }

  async #local(pod: Pod, path: string): Promise<string> {
    const found = await stat(path).catch(() => undefined);
    if (found === undefined) throw new Error(`path "${path}" does not exist`);
    if (!found.isDirectory()) throw new Error(`path "${path}" is not a directory: devices are not mounted here`);
    const group = pod.spec.securityContext?.fsGroup;
    if (group !== undefined) await takeOwnership(path, Number(group), pod.spec.securityContext?.fsGroupChangePolicy);
    return path;
  }

  async #nfs(pod: Pod, name: string, nfs: NfsSource, options: readonly string[]): Promise<ReadyVolume> {
    const directory = this.#deps.directoryOf(pod, "nfs", name);
    await mkdir(directory, { recursive: true, mode: 0o750 });
    const readOnly = nfs.readOnly ?? false;
    // An address of the sixth version stands in brackets.
    const server = nfs.server.includes(":") && !nfs.server.startsWith("[") ? `[${nfs.server}]` : nfs.server;
    await this.#deps.mount({
      type: "nfs",
      source: `${server}:${nfs.path}`,
      directory,
      options: [...options, ...(readOnly ? ["ro"] : [])],
    });
    return { path: directory, readOnly };
  }
}

/** Members of the spec that do not say where the data is. */
const NOT_SOURCES = new Set([
  "capacity",
  "accessModes",
  "claimRef",
  "persistentVolumeReclaimPolicy",
  "storageClassName",
  "mountOptions",
  "volumeMode",
  "nodeAffinity",
  "volumeAttributesClassName",
]);
