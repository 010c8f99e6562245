// Volumes that pods do not bring themselves: through claims, from servers, by storage drivers, from images.

import { realpath, stat } from "node:fs/promises";
import { isApiError } from "../../client/api-error.ts";
import type { Client } from "../../client/client.ts";
import type { Stored } from "../../client/informer.ts";
import type { PersistentVolume } from "../../kinds/core/persistent-volume.ts";
import type { PersistentVolumeClaim } from "../../kinds/core/persistent-volume-claim.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { bytesOf } from "../containers/linux-resources.ts";
import type { CsiMounter } from "../csi/csi-mounter.ts";
import { type CsiVolume, inlineVolumeOf, persistentVolumeOf } from "../csi/csi-requests.ts";
import { grownStatus, wantedCapacity } from "../csi/expansion.ts";
import type { FlexMounter } from "../flex/flex-mounter.ts";
import { flexVolumeOf } from "../flex/flex-options.ts";
import { ensureHostPath } from "../volumes/host-path.ts";
import type { FilesystemMount } from "../volumes/mounts.ts";
import type { ReadyVolume, Volume } from "../volumes/pod-volumes.ts";
import { takeOwnership } from "../volumes/take-ownership.ts";

type NfsSource = NonNullable<Volume["nfs"]>;

type ImageSource = NonNullable<Volume["image"]>;

interface PersistentVolumesDeps {
  readonly client: Client;
  readonly csi: Pick<CsiMounter, "mount" | "expand" | "measure">;
  readonly flex: Pick<FlexMounter, "mount">;
  readonly report: (pod: Pod, type: "Normal" | "Warning", reason: string, message: string) => void;
  /** The directory of a volume of the pod, by its kind. */
  readonly directoryOf: (pod: Pod, kind: string, name: string) => string;
  readonly mount: (mount: FilesystemMount) => Promise<void>;
  /** Gets an image onto the node, and gives what the runtime knows it by. */
  readonly pull: (pod: Pod, image: ImageSource, signal: AbortSignal | undefined) => Promise<string>;
}

export class PersistentVolumes {
  readonly #deps: PersistentVolumesDeps;

  constructor(deps: PersistentVolumesDeps) {
    this.#deps = deps;
  }

  /** Undefined for volumes of other kinds. Fails with the reason why the volume cannot be had (yet). */
  async prepare(pod: Pod, volume: Volume, signal?: AbortSignal): Promise<ReadyVolume | undefined> {
    const { name, persistentVolumeClaim, ephemeral, nfs, csi, image, flexVolume } = volume;
    if (persistentVolumeClaim) {
      const claimed = await this.#claimed(pod, persistentVolumeClaim.claimName, false);
      return await this.#persistent(pod, claimed, persistentVolumeClaim.readOnly ?? false);
    }
    if (ephemeral) {
      const claimed = await this.#claimed(pod, `${pod.metadata.name}-${name}`, true);
      return await this.#persistent(pod, claimed, false);
    }
    if (nfs) return await this.#nfs(pod, name, nfs, []);
    if (image?.reference) return { path: "", readOnly: true, image: await this.#deps.pull(pod, image, signal) };
    if (flexVolume) return await this.#deps.flex.mount(pod, flexVolumeOf(name, flexVolume, pod));
    if (!csi) return undefined;
    return { path: await this.#deps.csi.mount(pod, inlineVolumeOf(pod, name, csi)), readOnly: csi.readOnly ?? false };
  }

  /** The volume that a claim is bound to, each of the other. */
  async #claimed(pod: Pod, claimName: string, isOwned: boolean): Promise<Claimed> {
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
    return { claim, volume: found };
  }

  async #persistent(pod: Pod, claimed: Claimed, isReadOnly: boolean): Promise<ReadyVolume> {
    return { ...(await this.#volume(pod, claimed, isReadOnly)), claim: claimed.claim.metadata.name };
  }

  async #volume(pod: Pod, { claim, volume }: Claimed, isReadOnly: boolean): Promise<ReadyVolume> {
    const { spec, metadata } = volume;
    const { hostPath, local, nfs, csi, flexVolume, mountOptions = [] } = spec;
    const isDevice = spec.volumeMode === "Block";
    if (local && isDevice)
      return { path: await blockDevice(local.path), readOnly: isReadOnly, isDevice, claimed: LOCAL };
    if (isDevice && !csi) throw new Error("only volumes of the kinds local and csi can be devices (volumeMode Block)");
    if (hostPath) return { path: await ensureHostPath(hostPath), readOnly: isReadOnly, claimed: "host-path" };
    if (local) return { path: await this.#local(pod, local.path), readOnly: isReadOnly, claimed: LOCAL };
    if (nfs) {
      const ready = await this.#nfs(pod, metadata.name, nfs, mountOptions);
      return { ...ready, readOnly: ready.readOnly || isReadOnly, claimed: "nfs" };
    }
    if (csi) {
      const own = persistentVolumeOf(volume, csi);
      const readOnly = own.readOnly || isReadOnly;
      const wanted = { ...own, readOnly };
      const path = await this.#deps.csi.mount(pod, wanted);
      if (!readOnly) await this.#grow(pod, { claim, volume }, wanted);
      const measure = () => this.#deps.csi.measure(pod, wanted);
      return { path, readOnly, isDevice, measure, claimed: `csi:${csi.driver}` };
    }
    if (flexVolume) return await this.#deps.flex.mount(pod, flexVolumeOf(metadata.name, flexVolume, pod, isReadOnly));
    const kind = Object.keys(spec).find((member) => !NOT_SOURCES.has(member)) ?? "unknown";
    throw new Error(`the volume is of the kind ${kind}, which this node agent does not support`);
  }

  /** Once a volume has been made larger, its file system follows. Containers start even where it cannot. */
  async #grow(pod: Pod, { claim, volume }: Claimed, wanted: CsiVolume): Promise<void> {
    const capacity = wantedCapacity(claim, volume);
    if (capacity === undefined) return;
    const { client, csi, report } = this.#deps;
    const { name, namespace = "" } = claim.metadata;
    try {
      if (!(await csi.expand(pod, wanted, bytesOf(capacity)))) return;
      const status = grownStatus(claim, capacity);
      await client.core.v1.persistentVolumeClaims(namespace).status.patch(name, { merge: { status } });
      const message = `MountVolume.NodeExpandVolume succeeded for volume "${volume.metadata.name}"`;
      report(pod, "Normal", "FileSystemResizeSuccessful", message);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const message = `NodeExpandVolume failed for volume "${volume.metadata.name}": ${why}`;
      report(pod, "Warning", "VolumeResizeFailed", message);
    }
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
    const readOnly = nfs.readOnly ?? false;
    // An address of the sixth version stands in brackets.
    const server = nfs.server.includes(":") && !nfs.server.startsWith("[") ? `[${nfs.server}]` : nfs.server;
    await this.#deps.mount({
      type: "nfs",
      source: `${server}:${nfs.path}`,
      directory,
      options: [...options, ...(readOnly ? ["ro"] : [])],
    });
    return { path: directory, readOnly, isRemote: true };
  }
}

/** What a claim has, each bound to the other. */
interface Claimed {
  readonly claim: Stored<PersistentVolumeClaim>;
  readonly volume: Stored<PersistentVolume>;
}

/** Behind whatever links lead to it. */
async function blockDevice(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw new Error(`path "${path}" does not exist`);
  if (!found.isBlockDevice()) throw new Error(`path "${path}" is not a block device`);
  return await realpath(path);
}

const LOCAL = "local-volume";

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
