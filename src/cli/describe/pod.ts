// A pod, and the template of pods that workloads have, in words for people.

import type { JsonObject } from "../../base/json.ts";
import { humanDuration } from "../../meta/human-duration.ts";
import type { Names } from "../../meta/names.ts";
import { itemsAt, memberOf, numberAt, textAt } from "../json-members.ts";
import { nodeSelectorTexts, tolerationTexts, writeContainers } from "./containers.ts";
import type { Describer, Lookup } from "./describer.ts";
import {
  at,
  controllerOf,
  pairs,
  timeText,
  valueAt,
  writeAnnotations,
  writeController,
  writeHead,
} from "./field-text.ts";
import type { Sheet } from "./sheet.ts";
import { writeVolumes } from "./volumes.ts";

export const pod: Describer = {
  write(sheet, object, { names, nowMs }) {
    const [spec, status] = [memberOf(object, "spec"), memberOf(object, "status")];
    writeHead(sheet, object, names, ["Name", "Namespace"]);
    sheet.row(0, "Priority", at(spec, "priority", "0"));
    optional(sheet, "Priority Class Name", at(spec, "priorityClassName"));
    optional(sheet, "Runtime Class Name", at(spec, "runtimeClassName"));
    sheet.row(0, "Service Account", at(spec, "serviceAccountName"));
    const node = at(spec, "nodeName");
    sheet.row(0, "Node", node === "" ? "<none>" : `${node}/${at(status, "hostIP")}`);
    if (at(status, "startTime") !== "") sheet.row(0, "Start Time", timeText(at(status, "startTime")));
    writeHead(sheet, object, names, ["Labels", "Annotations"]);
    writeStatus(sheet, object, nowMs);
    optional(sheet, "Reason", at(status, "reason"));
    optional(sheet, "Message", at(status, "message"));
    optional(sheet, "SeccompProfile", at(spec, "securityContext.seccompProfile.type"));
    sheet.row(0, "IP", at(status, "podIP"));
    const addresses = itemsAt(status, "podIPs");
    if (addresses.length === 0) sheet.row(0, "IPs", "<none>");
    else sheet.head(0, "IPs");
    for (const address of addresses) sheet.row(1, "IP", textAt(address, "ip"));
    writeController(sheet, object);
    optional(sheet, "NominatedNodeName", at(status, "nominatedNodeName"));
    writeContainers(sheet, spec, { depth: 0, indent: "  ", pod: object });
    writeGates(sheet, object);
    writePodConditions(sheet, status);
    writeVolumes(sheet, spec, 0, "  ");
    sheet.row(0, "QoS Class", at(status, "qosClass"));
    sheet.rows(0, "Node-Selectors", nodeSelectorTexts(spec));
    sheet.rows(0, "Tolerations", tolerationTexts(spec));
    writeSpread(sheet, spec);
  },
};

function optional(sheet: Sheet, title: string, text: string): void {
  if (text !== "") sheet.row(0, title, text);
}

function writeStatus(sheet: Sheet, object: JsonObject, nowMs: number): void {
  const deleted = Date.parse(at(object, "metadata.deletionTimestamp"));
  if (Number.isNaN(deleted)) {
    sheet.row(0, "Status", at(object, "status.phase"));
    return;
  }
  const lasts = humanDuration(Math.max(0, nowMs - deleted));
  sheet.row(0, "Status", `Terminating (lasts ${lasts})`);
  sheet.row(0, "Termination Grace Period", `${at(object, "metadata.deletionGracePeriodSeconds", "0")}s`);
}

function writeGates(sheet: Sheet, object: JsonObject): void {
  const gates = itemsAt(memberOf(object, "spec"), "readinessGates");
  if (gates.length === 0) return;
  const states = new Map(
    itemsAt(memberOf(object, "status"), "conditions").map((one) => [textAt(one, "type"), textAt(one, "status")]),
  );
  sheet.head(0, "Readiness Gates");
  sheet.cells(1, "Type", "Status");
  for (const gate of gates) {
    const type = textAt(gate, "conditionType");
    sheet.cells(1, `${type} `, states.get(type) ?? "<none>");
  }
}

function writePodConditions(sheet: Sheet, status: JsonObject): void {
  const conditions = itemsAt(status, "conditions");
  if (conditions.length === 0) return;
  sheet.head(0, "Conditions");
  sheet.cells(1, "Type", "Status");
  // With the space: scripts cut at kubectl's places.
  for (const condition of conditions) sheet.cells(1, `${textAt(condition, "type")} `, textAt(condition, "status"));
}

function writeSpread(sheet: Sheet, spec: JsonObject): void {
  const texts = itemsAt(spec, "topologySpreadConstraints").map(
    (each) =>
      `${at(each, "topologyKey")}:${at(each, "whenUnsatisfiable")} when max skew ${numberAt(each, "maxSkew")} is exceeded`,
  );
  if (texts.length > 0) sheet.rows(0, "Topology Spread Constraints", texts.sort());
}

/** The template of a workload, one step further in. */
export function writeTemplate(sheet: Sheet, template: JsonObject, names: Names): void {
  sheet.head(0, "Pod Template");
  sheet.rows(1, "Labels", pairs(valueAt(template, "metadata.labels")));
  const annotations = valueAt(template, "metadata.annotations");
  if (pairs(annotations).length > 0) writeAnnotations(sheet, 1, annotations, names);
  const spec = memberOf(template, "spec");
  const account = textAt(spec, "serviceAccountName");
  if (account !== "") sheet.row(1, "Service Account", account);
  writeContainers(sheet, spec, { depth: 1, indent: " ", pod: undefined });
  writeVolumes(sheet, spec, 1, " ");
  const spread = itemsAt(spec, "topologySpreadConstraints");
  if (spread.length > 0)
    sheet.row(1, "Topology Spread Constraints", spread.map((each) => at(each, "topologyKey")).join(","));
  const priority = textAt(spec, "priorityClassName");
  if (priority !== "") sheet.row(1, "Priority Class Name", priority);
  sheet.rows(1, "Node-Selectors", nodeSelectorTexts(spec));
  sheet.rows(1, "Tolerations", tolerationTexts(spec));
}

/** Of the pods that a workload controls: how many are in which phase. */
export async function podStates(object: JsonObject, selector: string, lookup: Lookup): Promise<string> {
  const pods = await lookup.list("pods", at(object, "metadata.namespace"), { labelSelector: selector });
  if (pods === undefined) return "<unknown>";
  const uid = at(object, "metadata.uid");
  const own = pods.filter((each) =>
    itemsAt(memberOf(each, "metadata"), "ownerReferences").some((owner) => textAt(owner, "uid") === uid),
  );
  const count = (phase: string): number => own.filter((each) => at(each, "status.phase") === phase).length;
  return (
    `${count("Running")} Running / ${count("Pending")} Waiting / ` +
    `${count("Succeeded")} Succeeded / ${count("Failed")} Failed`
  );
}

export const isControlledBy = (object: JsonObject, kind: string, name: string): boolean =>
  controllerOf(object) === `${kind}/${name}`;
