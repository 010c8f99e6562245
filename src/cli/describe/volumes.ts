// The volumes of a pod, a template or a PersistentVolume, in words for people: a table of types. Pure.

import { getKey, isObject, type JsonObject } from "../../base/json.ts";
import { itemsAt, memberOf, textAt } from "../json-members.ts";
import { at, pairsText, textOf, valueAt } from "./field-text.ts";
import type { Sheet } from "./sheet.ts";

interface VolumeType {
  /** What people call it, and what it is. */
  readonly title: string;
  readonly meaning: string;
  /** Title, member and what is shown where there is none. */
  readonly fields: readonly (readonly [title: string, path: string, otherwise?: string])[];
}

const READ_ONLY = ["ReadOnly", "readOnly", "false"] as const;
const OPTIONAL = ["Optional", "optional", "false"] as const;

const TYPES: Readonly<Record<string, VolumeType>> = {
  configMap: {
    title: "ConfigMap",
    meaning: "a volume populated by a ConfigMap",
    fields: [["Name", "name"], OPTIONAL],
  },
  secret: {
    title: "Secret",
    meaning: "a volume populated by a Secret",
    fields: [["SecretName", "secretName"], OPTIONAL],
  },
  emptyDir: {
    title: "EmptyDir",
    meaning: "a temporary directory that shares a pod's lifetime",
    fields: [
      ["Medium", "medium"],
      ["SizeLimit", "sizeLimit", "<unset>"],
    ],
  },
  hostPath: {
    title: "HostPath",
    meaning: "bare host directory volume",
    fields: [
      ["Path", "path"],
      ["HostPathType", "type"],
    ],
  },
  persistentVolumeClaim: {
    title: "PersistentVolumeClaim",
    meaning: "a reference to a PersistentVolumeClaim in the same namespace",
    fields: [["ClaimName", "claimName"], READ_ONLY],
  },
  nfs: {
    title: "NFS",
    meaning: "an NFS mount that lasts the lifetime of a pod",
    fields: [["Server", "server"], ["Path", "path"], READ_ONLY],
  },
  local: {
    title: "LocalVolume",
    meaning: "a persistent volume backed by local storage on a node",
    fields: [["Path", "path"]],
  },
  iscsi: {
    title: "ISCSI",
    meaning: "an ISCSI Disk resource that is attached to a kubelet's host machine and then exposed to the pod",
    fields: [["TargetPortal", "targetPortal"], ["IQN", "iqn"], ["Lun", "lun"], ["FSType", "fsType"], READ_ONLY],
  },
  csi: {
    title: "CSI",
    meaning: "a Container Storage Interface (CSI) volume source",
    fields: [["Driver", "driver"], ["FSType", "fsType"], ["VolumeHandle", "volumeHandle"], READ_ONLY],
  },
  image: {
    title: "Image",
    meaning: "a container image or OCI artifact",
    fields: [
      ["Reference", "reference"],
      ["PullPolicy", "pullPolicy"],
    ],
  },
};

/** Nothing but a name beside the source. */
export function writeVolumes(sheet: Sheet, spec: JsonObject, depth: number, indent: string): void {
  const volumes = itemsAt(spec, "volumes");
  if (volumes.length === 0) {
    sheet.row(depth, "Volumes", "<none>");
    return;
  }
  sheet.head(depth, "Volumes");
  for (const volume of volumes) {
    sheet.head(depth, `${indent}${textAt(volume, "name")}`);
    writeSource(sheet, volume, indent === " " ? depth + 1 : depth + 2);
  }
}

/** The one member that is a known type of volume, or any that is an object. */
export function writeSource(sheet: Sheet, holder: JsonObject, depth: number): void {
  const name =
    Object.keys(TYPES).find((type) => isObject(getKey(holder, type))) ??
    Object.keys(holder).find((member) => SPECIAL.has(member) && isObject(getKey(holder, member)));
  if (name === undefined) {
    sheet.row(depth, "Type", "<unknown>");
    return;
  }
  const source = memberOf(holder, name);
  const type = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
  if (type === undefined) {
    SPECIAL.get(name)!(sheet, source, depth);
    return;
  }
  sheet.row(depth, "Type", `${type.title} (${type.meaning})`);
  for (const [title, path, otherwise = ""] of type.fields) sheet.row(depth, title, at(source, path, otherwise));
  const attributes = valueAt(source, "volumeAttributes");
  if (name === "csi" && isObject(attributes)) sheet.row(depth, "VolumeAttributes", pairsText(attributes));
}

const SPECIAL: ReadonlyMap<string, (sheet: Sheet, source: JsonObject, depth: number) => void> = new Map([
  ["projected", writeProjected],
  ["downwardAPI", writeDownward],
  ["ephemeral", writeEphemeral],
]);

function writeProjected(sheet: Sheet, projected: JsonObject, depth: number): void {
  sheet.row(depth, "Type", "Projected (a volume that contains injected data from multiple sources)");
  for (const source of itemsAt(projected, "sources")) {
    const [[kind = "", what] = []] = Object.entries(source);
    if (kind === "serviceAccountToken") sheet.row(depth, "TokenExpirationSeconds", at(what, "expirationSeconds"));
    if (kind === "downwardAPI") sheet.row(depth, "DownwardAPI", "true");
    if (kind === "clusterTrustBundle") sheet.row(depth, "ClusterTrustBundle", at(what, "name", at(what, "signerName")));
    if (kind !== "configMap" && kind !== "secret") continue;
    sheet.row(depth, kind === "secret" ? "SecretName" : "ConfigMapName", at(what, "name"));
    sheet.row(depth, "Optional", at(what, "optional", "false"));
  }
}

function writeDownward(sheet: Sheet, source: JsonObject, depth: number): void {
  sheet.row(depth, "Type", "DownwardAPI (a volume populated by information about the pod)");
  sheet.head(depth, "Items");
  for (const item of itemsAt(source, "items")) {
    const from = at(item, "fieldRef.fieldPath") || at(item, "resourceFieldRef.resource");
    sheet.cells(depth + 1, `${from} -> ${textAt(item, "path")}`);
  }
}

function writeEphemeral(sheet: Sheet, source: JsonObject, depth: number): void {
  sheet.row(
    depth,
    "Type",
    "EphemeralVolume (an inline specification for a volume that gets created and deleted with the pod)",
  );
  writeClaim(sheet, memberOf(source, "volumeClaimTemplate"), depth);
}

/** What a claim asks for: of a volume that lives with its pod, and of a StatefulSet. */
export function writeClaim(sheet: Sheet, claim: JsonObject, depth: number): void {
  const spec = memberOf(claim, "spec");
  sheet.row(depth, "StorageClass", textAt(spec, "storageClassName"));
  sheet.row(depth, "Labels", pairsText(valueAt(claim, "metadata.labels")));
  sheet.row(depth, "Annotations", pairsText(valueAt(claim, "metadata.annotations")));
  sheet.row(depth, "Capacity", textOf(valueAt(spec, "resources.requests.storage"), "<default>"));
  sheet.row(depth, "Access Modes", `[${at(spec, "accessModes").replaceAll(",", " ")}]`);
}
