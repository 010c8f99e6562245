// What keeps data, in words for people: PersistentVolume, PersistentVolumeClaim, StorageClass, ConfigMap, Secret.

import { isObject, type JsonObject } from "../../base/json.ts";
import { itemsAt, memberOf, textAt } from "../json-members.ts";
import type { Describer } from "./describer.ts";
import { at, CONDITION, pairsText, timeText, writeConditions, writeHead } from "./field-text.ts";
import type { Sheet } from "./sheet.ts";
import { writeSource } from "./volumes.ts";

const ACCESS_MODES: ReadonlyMap<string, string> = new Map([
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
]);

function modesText(modes: unknown): string {
  return (Array.isArray(modes) ? modes : []).map((mode) => ACCESS_MODES.get(String(mode)) ?? String(mode)).join(",");
}

/** An object that is going says since when, and stays as long as somebody holds it. */
function stateText(object: JsonObject): string {
  const deleted = at(object, "metadata.deletionTimestamp");
  return deleted === "" ? at(object, "status.phase") : `Terminating (since ${timeText(deleted)})`;
}

export const persistentVolume: Describer = {
  write(sheet, object, { names }) {
    const spec = memberOf(object, "spec");
    writeHead(sheet, object, names, ["Name", "Labels", "Annotations", "Finalizers"]);
    sheet.row(0, "StorageClass", at(spec, "storageClassName"));
    sheet.row(0, "Status", stateText(object));
    const claim = memberOf(spec, "claimRef");
    sheet.row(0, "Claim", textAt(claim, "name") === "" ? "" : `${at(claim, "namespace")}/${at(claim, "name")}`);
    sheet.row(0, "Reclaim Policy", at(spec, "persistentVolumeReclaimPolicy"));
    sheet.row(0, "Access Modes", modesText(spec["accessModes"]));
    if (at(spec, "volumeMode") !== "") sheet.row(0, "VolumeMode", at(spec, "volumeMode"));
    sheet.row(0, "Capacity", at(spec, "capacity.storage"));
    writeAffinity(sheet, spec);
    sheet.row(0, "Message", at(object, "status.message"));
    sheet.head(0, "Source");
    writeSource(sheet, spec, 2);
  },
};

function writeAffinity(sheet: Sheet, spec: JsonObject): void {
  const required = memberOf(memberOf(spec, "nodeAffinity"), "required");
  const terms = itemsAt(required, "nodeSelectorTerms");
  if (terms.length === 0) {
    sheet.row(0, "Node Affinity", "<none>");
    return;
  }
  sheet.head(0, "Node Affinity");
  sheet.head(1, "Required Terms");
  terms.forEach((term, index) => {
    const texts = itemsAt(term, "matchExpressions").map((each) => {
      const values = at(each, "values").replaceAll(",", ", ");
      return `${at(each, "key")} ${at(each, "operator").toLowerCase()}${values === "" ? "" : ` [${values}]`}`;
    });
    sheet.rows(2, `Term ${index}`, texts);
  });
}

export const persistentVolumeClaim: Describer = {
  async write(sheet, object, lookup) {
    const [spec, status] = [memberOf(object, "spec"), memberOf(object, "status")];
    writeHead(sheet, object, lookup.names, ["Name", "Namespace"]);
    sheet.row(0, "StorageClass", at(spec, "storageClassName"));
    sheet.row(0, "Status", stateText(object));
    sheet.row(0, "Volume", at(spec, "volumeName"));
    writeHead(sheet, object, lookup.names, ["Labels", "Annotations", "Finalizers"]);
    const isBound = at(spec, "volumeName") !== "";
    sheet.row(0, "Capacity", isBound ? at(status, "capacity.storage") : "");
    sheet.row(0, "Access Modes", isBound ? modesText(status["accessModes"]) : "");
    if (at(spec, "volumeMode") !== "") sheet.row(0, "VolumeMode", at(spec, "volumeMode"));
    const source = memberOf(spec, "dataSource");
    if (textAt(source, "name") !== "") {
      sheet.head(0, "DataSource");
      for (const [title, field] of [
        ["APIGroup", "apiGroup"],
        ["Kind", "kind"],
        ["Name", "name"],
      ] as const)
        if (at(source, field) !== "") sheet.row(1, title, at(source, field));
    }
    const pods = await lookup.list("pods", at(object, "metadata.namespace"));
    const users = (pods ?? []).filter((pod) => claimsOf(pod).includes(at(object, "metadata.name")));
    sheet.rows(0, "Used By", users.map((pod) => at(pod, "metadata.name")).sort());
    const { type, status: state, probe, transition, reason, message } = CONDITION;
    writeConditions(sheet, object, [type, state, probe, transition, reason, message], 5);
  },
};

function claimsOf(pod: JsonObject): string[] {
  const name = at(pod, "metadata.name");
  return itemsAt(memberOf(pod, "spec"), "volumes").flatMap((volume) => {
    const claim = at(volume, "persistentVolumeClaim.claimName");
    if (claim !== "") return [claim];
    return isObject(volume["ephemeral"]) ? [`${name}-${textAt(volume, "name")}`] : [];
  });
}

export const storageClass: Describer = {
  write(sheet, object, { names }) {
    const annotations = memberOf(memberOf(object, "metadata"), "annotations");
    sheet.row(0, "Name", at(object, "metadata.name"));
    sheet.row(0, "IsDefaultClass", textAt(annotations, names.defaultStorageClassAnnotation) === "true" ? "Yes" : "No");
    writeHead(sheet, object, names, ["Annotations"]);
    sheet.row(0, "Provisioner", at(object, "provisioner"));
    sheet.row(0, "Parameters", pairsText(object["parameters"]));
    sheet.row(0, "AllowVolumeExpansion", at(object, "allowVolumeExpansion", "<unset>"));
    const options = object["mountOptions"];
    if (Array.isArray(options) && options.length > 0) {
      sheet.head(0, "MountOptions");
      for (const option of options) sheet.cells(1, String(option));
    } else sheet.row(0, "MountOptions", "<none>");
    sheet.row(0, "ReclaimPolicy", at(object, "reclaimPolicy"));
    sheet.row(0, "VolumeBindingMode", at(object, "volumeBindingMode"));
    const topologies = itemsAt(object, "allowedTopologies");
    if (topologies.length === 0) return;
    sheet.head(0, "AllowedTopologies");
    topologies.forEach((term, index) => {
      const texts = itemsAt(term, "matchLabelExpressions").map(
        (each) => `${at(each, "key")} in [${at(each, "values").replaceAll(",", ", ")}]`,
      );
      sheet.rows(1, `Term ${index}`, texts);
    });
  },
};

export const configMap: Describer = {
  write(sheet, object, { names }) {
    writeHead(sheet, object, names, ["Name", "Namespace", "Labels", "Annotations"]);
    sheet.gap();
    sheet.block("Data\n====");
    const data = memberOf(object, "data");
    for (const key of Object.keys(data).sort()) {
      sheet.block(`${key}:\n----\n${textAt(data, key)}\n`);
    }
    sheet.gap();
    sheet.block("BinaryData\n====");
    const binary = memberOf(object, "binaryData");
    for (const key of Object.keys(binary).sort()) sheet.cells(0, `${key}: ${bytesOf(textAt(binary, key))} bytes`);
    sheet.gap();
  },
};

/** What it holds is for those only who ask for the whole object. */
export const secret: Describer = {
  withEvents: false,
  write(sheet, object, { names }) {
    writeHead(sheet, object, names, ["Name", "Namespace", "Labels", "Annotations"]);
    sheet.gap();
    sheet.row(0, "Type", at(object, "type"));
    sheet.gap();
    sheet.block("Data\n====");
    const data = memberOf(object, "data");
    for (const key of Object.keys(data).sort()) sheet.row(0, key, `${bytesOf(textAt(data, key))} bytes`);
  },
};

const bytesOf = (base64: string): number => Buffer.byteLength(base64, "base64");
