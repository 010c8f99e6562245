// The volumes of pods that have to be attached, found through claims and the volumes that they are bound to.

import { kinds } from "../../client/built-in-kinds.ts";
import type { Informer, Stored } from "../../client/informer.ts";
import type { SharedInformers } from "../../client/shared-informers.ts";
import type { PersistentVolume } from "../../kinds/core/persistent-volume.ts";
import type { PersistentVolumeClaim } from "../../kinds/core/persistent-volume-claim.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { CSIDriver } from "../../kinds/storage/csi-driver.ts";
import type { Names } from "../../meta/names.ts";
import { PodsByNode } from "../framework/pods-by-node.ts";
import { isPodFinished } from "../service-backends/backend-pod.ts";
import { claimNamesOf } from "../storage-protection/judge-protection.ts";
import { type AttachableVolume, attachableVolume } from "./attachments.ts";

const BY_CLAIM = "attached-claim";

export class PodVolumes {
  readonly pods: PodsByNode;
  readonly #claims: Informer<PersistentVolumeClaim>;
  readonly #volumes: Informer<PersistentVolume>;
  readonly #drivers: Informer<CSIDriver>;
  readonly #names: Names;

  constructor(informers: SharedInformers, names: Names) {
    this.#names = names;
    this.pods = new PodsByNode(informers);
    this.pods.informer.addIndexes({ [BY_CLAIM]: claimKeys });
    this.#claims = informers.of(kinds.core.v1.persistentVolumeClaims);
    this.#volumes = informers.of(kinds.core.v1.persistentVolumes);
    this.#drivers = informers.of(kinds.storage.v1.csiDrivers);
  }

  /** By the names of their attachments: what the pods of a node need. */
  wantedOn(node: string): Map<string, AttachableVolume> {
    const wanted = new Map<string, AttachableVolume>();
    for (const pod of this.pods.on(node)) {
      if (isPodFinished(pod)) continue;
      for (const volume of this.#volumesOf(pod, node)) wanted.set(volume.attachment, volume);
    }
    return wanted;
  }

  /** The pods of a node that need the volume of an attachment. */
  usersOf(attachment: string, node: string): Stored<Pod>[] {
    return this.pods
      .on(node)
      .filter((pod) => this.#volumesOf(pod, node).some((each) => each.attachment === attachment));
  }

  /** Undefined for volumes that are not attached. */
  named(name: string | undefined, node: string): AttachableVolume | undefined {
    const volume = name === undefined ? undefined : this.#volumes.cache.get(name);
    const found = volume === undefined ? undefined : attachableVolume(volume, node, this.#names);
    if (found === undefined || this.#drivers.cache.get(found.driver)?.spec.attachRequired === false) return undefined;
    return found;
  }

  /** Calls `look` with the node of every pod whose volumes may have changed. */
  watch(look: (node: string) => void): void {
    const lookAtPod = (pod: Stored<Pod>): void => {
      if (this.pods.informer.synced && claimKeys(pod).length > 0) look(pod.spec.nodeName ?? "");
    };
    this.pods.informer.addHandlers({
      added: lookAtPod,
      deleted: lookAtPod,
      updated(now, before) {
        if (now.spec.nodeName !== before.spec.nodeName || isPodFinished(now) !== isPodFinished(before)) lookAtPod(now);
      },
    });
    const lookAtUsers = (namespace: string | undefined, name: string | undefined): void => {
      const key = `${namespace ?? ""}/${name ?? ""}`;
      for (const pod of this.pods.informer.cache.byIndex(BY_CLAIM, key)) lookAtPod(pod);
    };
    const lookAtClaim = ({ metadata }: Stored<PersistentVolumeClaim>) => lookAtUsers(metadata.namespace, metadata.name);
    this.#claims.addHandlers({ added: lookAtClaim, updated: lookAtClaim });
    const lookAtVolume = ({ spec }: Stored<PersistentVolume>) =>
      lookAtUsers(spec?.claimRef?.namespace, spec?.claimRef?.name);
    this.#volumes.addHandlers({ added: lookAtVolume, updated: lookAtVolume });
  }

  /** Only volumes that say themselves that they are bound to the claim. */
  #volumesOf(pod: Stored<Pod>, node: string): AttachableVolume[] {
    return claimKeys(pod).flatMap((key) => {
      const claim = this.#claims.cache.get(key);
      const name = claim?.spec?.volumeName;
      const bound = name === undefined ? undefined : this.#volumes.cache.get(name)?.spec?.claimRef;
      return claim !== undefined && bound?.uid === claim.metadata.uid ? (this.named(name, node) ?? []) : [];
    });
  }
}

function claimKeys(pod: Stored<Pod>): string[] {
  return claimNamesOf(pod).map((name) => `${pod.metadata.namespace ?? ""}/${name}`);
}
