// Which volumes have to be attached to a node, and which no longer. Pure.

import { createHash } from "node:crypto";
import type { Stored } from "../../client/informer.ts";
import type { Node } from "../../kinds/core/node.ts";
import type { PersistentVolume } from "../../kinds/core/persistent-volume.ts";
import type { VolumeAttachment } from "../../kinds/storage/volume-attachment.ts";
import type { Names } from "../../meta/names.ts";

/** A volume of a driver that must be attached before it is mounted. */
export interface AttachableVolume {
  readonly persistentVolume: string;
  readonly driver: string;
  /** Under which nodes name it. */
  readonly uniqueName: string;
  /** The name of its attachment to the node. */
  readonly attachment: string;
  /** Whether only one node at a time may have it. */
  readonly isExclusive: boolean;
}

/** Why a node loses a volume that it uses: somebody said that it is out of service, or it has not been well for too long. */
type ForcedBy = "out-of-service" | "timeout";

export interface AttachmentPlan {
  readonly attach: readonly AttachableVolume[];
  /** Volumes that another node still has. */
  readonly blocked: readonly AttachableVolume[];
  readonly detach: readonly Stored<VolumeAttachment>[];
  /** Of those, by name, the ones that the node says it still uses. */
  readonly forced: ReadonlyMap<string, ForcedBy>;
  /** Milliseconds until a volume is detached although the node says that it uses it; undefined when there is none. */
  readonly nextMs: number | undefined;
  /** What the status of the node should say before anything is detached; undefined when it does. */
  readonly volumesAttached: { name: string; devicePath: string }[] | undefined;
}

interface AttachmentRequest {
  /** Undefined when it is gone. */
  readonly node: Stored<Node> | undefined;
  readonly wanted: ReadonlyMap<string, AttachableVolume>;
  /** Those of the node. */
  readonly existing: readonly Stored<VolumeAttachment>[];
  readonly volumeOf: (attachment: VolumeAttachment) => AttachableVolume | undefined;
  /** The nodes that have a volume. */
  readonly holdersOf: (persistentVolume: string) => readonly string[];
  /** For how long nobody on the node has wanted the volume of an attachment. */
  readonly unwantedMs: (attachment: string) => number;
  readonly names: Names;
}

/** A node that does not report is not asked for longer whether it still uses a volume. */
const MAX_WAIT_MS = 6 * 60_000;
const OWN_NAME = /^csi-[0-9a-f]{64}$/;

/** Undefined for volumes that are not attached: those that no driver serves. */
export function attachableVolume(
  { metadata, spec }: Stored<PersistentVolume>,
  node: string,
  names: Names,
): AttachableVolume | undefined {
  const { csi, accessModes } = spec ?? {};
  if (csi === undefined) return undefined;
  const { driver, volumeHandle } = csi;
  const hash = createHash("sha256").update(`${volumeHandle}${driver}${node}`).digest("hex");
  return {
    persistentVolume: metadata.name,
    driver,
    uniqueName: `${names.csiVolumePrefix}${driver}^${volumeHandle}`,
    attachment: `csi-${hash}`,
    isExclusive: !(accessModes ?? []).some((mode) => mode === "ReadWriteMany" || mode === "ReadOnlyMany"),
  };
}

/** Whether volumes are attached to the node from here, and not by itself. */
export function isManaged({ metadata }: Node, names: Names): boolean {
  return metadata.annotations?.[names.managedAttachAnnotation] === "true";
}

/** Whether the node says that it uses a volume, or is about to. */
export function isInUse({ status }: Node, uniqueName: string | undefined): boolean {
  return uniqueName !== undefined && (status?.volumesInUse ?? []).includes(uniqueName);
}

export function planAttachments(request: AttachmentRequest): AttachmentPlan {
  const { node, wanted, existing, holdersOf } = request;
  const held = new Set(existing.map(({ metadata }) => metadata.name));
  const missing = node === undefined ? [] : [...wanted.values()].filter(({ attachment }) => !held.has(attachment));
  const isBlocked = ({ isExclusive, persistentVolume }: AttachableVolume): boolean =>
    isExclusive && holdersOf(persistentVolume).some((holder) => holder !== node?.metadata.name);
  const detach: Stored<VolumeAttachment>[] = [];
  const forced = new Map<string, ForcedBy>();
  let nextMs: number | undefined;
  for (const attachment of existing) {
    const { name, deletionTimestamp } = attachment.metadata;
    // What others attach, others detach.
    if (wanted.has(name) || deletionTimestamp !== undefined || !OWN_NAME.test(name)) continue;
    const { leftMs, forcedBy } = stayOf(attachment, request);
    if (leftMs <= 0) {
      detach.push(attachment);
      if (forcedBy !== undefined) forced.set(name, forcedBy);
    } else if (Number.isFinite(leftMs)) nextMs = Math.min(nextMs ?? leftMs, leftMs);
  }
  return {
    attach: missing.filter((volume) => !isBlocked(volume)),
    blocked: missing.filter(isBlocked),
    detach,
    forced,
    nextMs,
    volumesAttached: attachedToReport(request, new Set(detach)),
  };
}

/** How long a volume stays that nobody wants: while the node uses it, but not for ever where the node is not well. */
function stayOf(
  attachment: Stored<VolumeAttachment>,
  { node, volumeOf, unwantedMs, names }: AttachmentRequest,
): { readonly leftMs: number; readonly forcedBy?: ForcedBy } {
  const uniqueName = volumeOf(attachment)?.uniqueName;
  if (node === undefined || !isInUse(node, uniqueName)) return { leftMs: 0 };
  if ((node.spec?.taints ?? []).some(({ key }) => key === names.outOfServiceTaint))
    return { leftMs: 0, forcedBy: "out-of-service" };
  const isReady = (node.status?.conditions ?? []).some(({ type, status }) => type === "Ready" && status === "True");
  if (isReady) return { leftMs: Number.POSITIVE_INFINITY };
  return { leftMs: MAX_WAIT_MS - unwantedMs(attachment.metadata.name), forcedBy: "timeout" };
}

/** Without those that go: a node must not begin to use them. */
function attachedToReport(
  { node, existing, volumeOf }: AttachmentRequest,
  detach: ReadonlySet<Stored<VolumeAttachment>>,
): AttachmentPlan["volumesAttached"] {
  if (node === undefined) return undefined;
  const attached = new Set<string>();
  for (const attachment of existing) {
    if (detach.has(attachment) || attachment.metadata.deletionTimestamp !== undefined) continue;
    const volume = attachment.status?.attached === true ? volumeOf(attachment) : undefined;
    if (volume !== undefined) attached.add(volume.uniqueName);
  }
  const reported = (node.status?.volumesAttached ?? []).map(({ name }) => name).sort();
  const wanted = [...attached].sort();
  if (JSON.stringify(wanted) === JSON.stringify(reported)) return undefined;
  return wanted.map((name) => ({ name, devicePath: "" }));
}
