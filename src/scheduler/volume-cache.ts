// Claims, volumes and classes from informers, and the volumes that this scheduler has promised to claims.

import { kinds } from "../client/built-in-kinds.ts";
import type { Informer, Stored } from "../client/informer.ts";
import type { SharedInformers } from "../client/shared-informers.ts";
import type { PersistentVolume } from "../kinds/core/persistent-volume.ts";
import type { PersistentVolumeClaim } from "../kinds/core/persistent-volume-claim.ts";
import type { StorageClass } from "../kinds/storage/storage-class.ts";
import type { Names } from "../meta/names.ts";
import { DriverCache } from "./driver-cache.ts";
import type { VolumeLookup } from "./state/volumes.ts";

export class VolumeCache implements VolumeLookup {
  readonly #claims: Informer<PersistentVolumeClaim>;
  readonly #volumes: Informer<PersistentVolume>;
  readonly #classes: Informer<StorageClass>;
  readonly #promised = new Map<string, string>();
  readonly drivers: DriverCache;
  readonly annotations: VolumeLookup["annotations"];
  readonly noProvisioner: string;

  /** `onChange` is called after every change that may matter to pods, with upstream's name of it. */
  constructor(informers: SharedInformers, names: Names, onChange: (event: string) => void) {
    this.annotations = {
      bindCompleted: names.bindCompletedAnnotation,
      selectedNode: names.selectedNodeAnnotation,
      betaClass: names.betaStorageClassAnnotation,
    };
    this.noProvisioner = names.noProvisioner;
    this.drivers = new DriverCache({ informers, names, onChange });
    this.#claims = informers.of(kinds.core.v1.persistentVolumeClaims);
    this.#volumes = informers.of(kinds.core.v1.persistentVolumes, {
      indexes: { class: ({ spec }) => [spec.storageClassName ?? ""] },
    });
    this.#classes = informers.of(kinds.storage.v1.storageClasses);
    const changed = (subject: string) => ({
      added: () => onChange(`${subject}Add`),
      updated: () => onChange(`${subject}Update`),
      deleted: () => onChange(`${subject}Delete`),
    });
    this.#claims.addHandlers(changed("PersistentVolumeClaim"));
    this.#volumes.addHandlers(changed("PersistentVolume"));
    this.#classes.addHandlers(changed(`${names.group("storage")}/StorageClass`));
  }

  claim(namespace: string, name: string): Stored<PersistentVolumeClaim> | undefined {
    return this.#claims.cache.get({ namespace, name });
  }

  volume(name: string): Stored<PersistentVolume> | undefined {
    return this.#volumes.cache.get({ name });
  }

  volumesOf(className: string): Iterable<Stored<PersistentVolume>> {
    return this.#volumes.cache.byIndex("class", className);
  }

  storageClass(name: string): StorageClass | undefined {
    return name === "" ? undefined : this.#classes.cache.get({ name });
  }

  promisedTo(volumeName: string): string | undefined {
    return this.#promised.get(volumeName);
  }

  promise(volumeName: string, claimKey: string): void {
    this.#promised.set(volumeName, claimKey);
  }

  /** The promise was kept, or is taken back. */
  release(volumeName: string): void {
    this.#promised.delete(volumeName);
  }

  /** Calls after every change of a claim or a volume until it is removed. */
  onChange(run: () => void): { remove(): void } {
    const handlers = { added: run, updated: run, deleted: run };
    const registered = [
      this.#claims.addHandlers(handlers, { onlyChanges: true }),
      this.#volumes.addHandlers(handlers, { onlyChanges: true }),
    ];
    return {
      remove() {
        for (const each of registered) each.remove();
      },
    };
  }
}
