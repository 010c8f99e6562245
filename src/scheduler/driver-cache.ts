// What drivers of storage say, from informers. Most clusters have no pod that wants to know: it is read when the first one comes.

import { kinds } from "../client/built-in-kinds.ts";
import type { Informer } from "../client/informer.ts";
import type { SharedInformers } from "../client/shared-informers.ts";
import type { CSIDriver } from "../kinds/storage/csi-driver.ts";
import type { CSINode } from "../kinds/storage/csi-node.ts";
import type { CSIStorageCapacity } from "../kinds/storage/csi-storage-capacity.ts";
import type { VolumeAttachment } from "../kinds/storage/volume-attachment.ts";
import type { Names } from "../meta/names.ts";
import type { DriverLookup } from "./state/drivers.ts";

interface DriverCacheParts {
  readonly informers: SharedInformers;
  readonly names: Names;
  /** Told of changes that may help pods, with upstream's name of them. */
  readonly onChange: (event: string) => void;
}

interface Followed {
  readonly drivers: Informer<CSIDriver>;
  readonly nodes: Informer<CSINode>;
  readonly attachments: Informer<VolumeAttachment>;
  readonly capacities: Informer<CSIStorageCapacity>;
}

export class DriverCache implements DriverLookup {
  readonly #parts: DriverCacheParts;
  #followed: Followed | undefined;
  #reading: Promise<void> | undefined;
  #isRead = false;

  constructor(parts: DriverCacheParts) {
    this.#parts = parts;
  }

  /** Undefined when everything is known; else it resolves then. Rejects when the informers are stopped before. */
  read(): Promise<void> | undefined {
    if (this.#isRead) return undefined;
    this.#reading ??= this.#follow();
    return this.#reading;
  }

  limitsOf(nodeName: string): ReadonlyMap<string, number> {
    const node = this.#followed?.nodes.cache.get({ name: nodeName });
    return node === undefined ? NO_LIMITS : limitsOf(node);
  }

  attachmentsTo(nodeName: string): Iterable<VolumeAttachment> {
    return this.#followed?.attachments.cache.byIndex("node", nodeName) ?? [];
  }

  tellsCapacity(driver: string): boolean {
    return this.#followed?.drivers.cache.get({ name: driver })?.spec.storageCapacity === true;
  }

  *capacitiesNear(className: string, labels: Readonly<Record<string, string>>): Iterable<CSIStorageCapacity> {
    if (this.#followed === undefined) return;
    const { cache } = this.#followed.capacities;
    yield* cache.byIndex("place", placeOf(className));
    for (const [key, value] of Object.entries(labels)) yield* cache.byIndex("place", placeOf(className, key, value));
  }

  async #follow(): Promise<void> {
    const { informers, names, onChange } = this.#parts;
    const of = kinds.storage.v1;
    const followed: Followed = {
      drivers: informers.of(of.csiDrivers),
      nodes: informers.of(of.csiNodes),
      attachments: informers.of(of.volumeAttachments, { indexes: { node: ({ spec }) => [spec.nodeName] } }),
      capacities: informers.of(of.csiStorageCapacities, {
        indexes: { place: (capacity) => [placeOfCapacity(capacity)] },
      }),
    };
    this.#followed = followed;
    const told = (subject: string) => () => onChange(`${names.group("storage")}/${subject}`);
    followed.drivers.addHandlers({ updated: told("CSIDriverUpdate") });
    followed.nodes.addHandlers({
      added: told("CSINodeAdd"),
      updated: (node, old) => takesMore(node, old) && told("CSINodeUpdate")(),
    });
    followed.attachments.addHandlers({ deleted: told("VolumeAttachmentDelete") });
    followed.capacities.addHandlers({
      added: told("CSIStorageCapacityAdd"),
      updated: told("CSIStorageCapacityUpdate"),
    });
    await informers.whenServedSynced();
    this.#isRead = true;
  }
}

const NO_LIMITS: ReadonlyMap<string, number> = new Map();

/** Objects of informers never change: what was read of one stays true. */
const LIMITS = new WeakMap<CSINode, ReadonlyMap<string, number>>();

function limitsOf(node: CSINode): ReadonlyMap<string, number> {
  let limits = LIMITS.get(node);
  if (limits === undefined) {
    limits = new Map(
      (node.spec.drivers ?? []).flatMap(({ name, allocatable }) =>
        allocatable?.count === undefined ? [] : [[name, allocatable.count] as const],
      ),
    );
    LIMITS.set(node, limits);
  }
  return limits;
}

/** As upstream: who says nothing counts as nothing. */
function takesMore(node: CSINode, old: CSINode): boolean {
  const before = limitsOf(old);
  return [...limitsOf(node)].some(([driver, count]) => count > (before.get(driver) ?? 0));
}

/** Where a capacity is looked for: by a label that its nodes must have, if it asks for one. */
function placeOfCapacity({ storageClassName, nodeTopology }: CSIStorageCapacity): string {
  const [label] = Object.entries(nodeTopology?.matchLabels ?? {});
  return label === undefined ? placeOf(storageClassName) : placeOf(storageClassName, ...label);
}

const placeOf = (className: string, ...label: readonly string[]): string => [className, ...label].join("\n");
