// What a storage driver is told of a volume, from the pod and from the persistent volume. Pure.

import { createHash } from "node:crypto";
import type { PersistentVolume } from "../../kinds/core/persistent-volume.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { CSIVolumeSource } from "../../kinds/core/volumes/driver-volumes.ts";
import type { Names } from "../../meta/names.ts";
import type { CsiAccessMode, VolumeCapability } from "./csi-messages.ts";

type Texts = Readonly<Record<string, string>>;

/** A volume of a driver, whether a claim has it or the pod itself. */
export interface CsiVolume {
  readonly driver: string;
  readonly handle: string;
  /** The name of its directory. */
  readonly name: string;
  readonly isInline: boolean;
  readonly readOnly: boolean;
  readonly fsType: string;
  readonly attributes: Texts;
  readonly mountOptions: readonly string[];
  readonly accessModes: readonly string[];
  readonly stageSecret?: SecretName | undefined;
  readonly publishSecret?: SecretName | undefined;
  readonly expandSecret?: SecretName | undefined;
  /** The pod gets the device itself, without a file system. */
  readonly isBlock?: boolean;
}

export interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

type PersistentCsi = NonNullable<PersistentVolume["spec"]["csi"]>;

export function persistentVolumeOf({ metadata, spec }: PersistentVolume, csi: PersistentCsi): CsiVolume {
  return {
    driver: csi.driver,
    handle: csi.volumeHandle,
    name: metadata.name ?? "",
    isInline: false,
    readOnly: csi.readOnly ?? false,
    fsType: csi.fsType ?? "",
    attributes: csi.volumeAttributes ?? {},
    mountOptions: spec.mountOptions ?? [],
    accessModes: spec.accessModes ?? [],
    stageSecret: secretName(csi.nodeStageSecretRef),
    publishSecret: secretName(csi.nodePublishSecretRef),
    expandSecret: secretName(csi.nodeExpandSecretRef),
    isBlock: spec.volumeMode === "Block",
  };
}

/** A volume that the pod describes lives as long as it; its handle is made of both names. */
export function inlineVolumeOf({ metadata }: Pod, name: string, csi: CSIVolumeSource): CsiVolume {
  const { uid = "", namespace = "" } = metadata;
  const secret = csi.nodePublishSecretRef?.name;
  return {
    driver: csi.driver,
    handle: `csi-${createHash("sha256").update(`${uid}${name}`).digest("hex")}`,
    name,
    isInline: true,
    readOnly: csi.readOnly ?? false,
    fsType: csi.fsType ?? "",
    attributes: csi.volumeAttributes ?? {},
    mountOptions: [],
    accessModes: ["ReadWriteOnce"],
    publishSecret: secret ? { namespace, name: secret } : undefined,
  };
}

/** With the settings of the volume itself, those of the pod where the driver asks for them. */
export function volumeContext(
  { attributes, isInline }: CsiVolume,
  { metadata, spec }: Pod,
  {
    names,
    wantsPod,
    tokens,
  }: { readonly names: Names; readonly wantsPod: boolean; readonly tokens: Texts | undefined },
): Record<string, string> {
  const prefix = names.csiContextPrefix;
  return {
    ...attributes,
    ...(wantsPod
      ? {
          [`${prefix}pod.name`]: metadata.name ?? "",
          [`${prefix}pod.namespace`]: metadata.namespace ?? "",
          [`${prefix}pod.uid`]: metadata.uid ?? "",
          [`${prefix}serviceAccount.name`]: spec.serviceAccountName ?? "",
          [`${prefix}ephemeral`]: String(isInline),
        }
      : {}),
    ...(tokens === undefined ? {} : { [`${prefix}serviceAccount.tokens`]: JSON.stringify(tokens) }),
  };
}

export function volumeCapability(
  { fsType, mountOptions, accessModes, isInline, isBlock }: CsiVolume,
  { countsWriters, group }: { readonly countsWriters: boolean; readonly group: string | undefined },
): VolumeCapability {
  const mode = isInline ? "SINGLE_NODE_WRITER" : accessMode(accessModes, countsWriters);
  if (isBlock) return { accessMode: { mode }, block: {} };
  return {
    accessMode: { mode },
    mount: {
      fsType,
      mountFlags: [...mountOptions],
      ...(group === undefined ? {} : { volumeMountGroup: group }),
    },
  };
}

/** The widest of the volume's own. A driver that counts writers on a node hears how many there may be. */
function accessMode(modes: readonly string[], countsWriters: boolean): CsiAccessMode {
  if (modes.includes("ReadWriteMany")) return "MULTI_NODE_MULTI_WRITER";
  if (modes.includes("ReadOnlyMany")) return "MULTI_NODE_READER_ONLY";
  if (!countsWriters) return "SINGLE_NODE_WRITER";
  return modes.includes("ReadWriteOncePod") ? "SINGLE_NODE_SINGLE_WRITER" : "SINGLE_NODE_MULTI_WRITER";
}

/** Under which the node names a volume that it uses. */
export function uniqueVolumeName({ driver, handle }: Pick<CsiVolume, "driver" | "handle">, names: Names): string {
  return `${names.csiVolumePrefix}${driver}^${handle}`;
}

/** The name of the object that attaches the volume to the node. */
export function attachmentName({ driver, handle }: CsiVolume, node: string): string {
  return `csi-${createHash("sha256").update(`${handle}${driver}${node}`).digest("hex")}`;
}

function secretName(reference: { name?: string; namespace?: string } | undefined): SecretName | undefined {
  return reference?.name ? { name: reference.name, namespace: reference.namespace ?? "" } : undefined;
}
