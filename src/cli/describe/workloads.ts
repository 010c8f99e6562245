// What makes pods, in words for people: Deployment, ReplicaSet, StatefulSet, DaemonSet, Job, CronJob.

import type { JsonObject } from "../../base/json.ts";
import { humanDuration } from "../../meta/human-duration.ts";
import { itemsAt, memberOf, numberAt, textAt } from "../json-members.ts";
import type { Describer, Lookup } from "./describer.ts";
import {
  at,
  CONDITION,
  pairsText,
  selectorTerms,
  selectorText,
  timeText,
  valueAt,
  writeConditions,
  writeController,
  writeHead,
} from "./field-text.ts";
import { isControlledBy, podStates, writeTemplate } from "./pod.ts";
import type { Sheet } from "./sheet.ts";
import { writeClaim } from "./volumes.ts";

const template = (object: JsonObject): JsonObject => memberOf(memberOf(object, "spec"), "template");
const selector = (object: JsonObject): unknown => valueAt(object, "spec.selector");

export const deployment: Describer = {
  async write(sheet, object, lookup) {
    const [spec, status] = [memberOf(object, "spec"), memberOf(object, "status")];
    writeHead(sheet, object, lookup.names, ["Name", "Namespace", "CreationTimestamp", "Labels", "Annotations"]);
    sheet.row(0, "Selector", selectorText(selector(object)));
    const count = (field: string): number => numberAt(status, field);
    sheet.row(
      0,
      "Replicas",
      `${numberAt(spec, "replicas", 1)} desired | ${count("updatedReplicas")} updated | ${count("replicas")} total | ` +
        `${count("availableReplicas")} available | ${count("unavailableReplicas")} unavailable`,
    );
    sheet.row(0, "StrategyType", at(spec, "strategy.type"));
    sheet.row(0, "MinReadySeconds", at(spec, "minReadySeconds", "0"));
    const rolling = memberOf(memberOf(spec, "strategy"), "rollingUpdate");
    if (Object.keys(rolling).length > 0)
      sheet.row(
        0,
        "RollingUpdateStrategy",
        `${at(rolling, "maxUnavailable")} max unavailable, ${at(rolling, "maxSurge")} max surge`,
      );
    writeTemplate(sheet, template(object), lookup.names);
    writeConditions(sheet, object, [CONDITION.type, CONDITION.status, CONDITION.reason], 1);
    await writeReplicaSets(sheet, object, lookup);
  },
};

/** The one with the highest revision is the new one. */
async function writeReplicaSets(sheet: Sheet, object: JsonObject, lookup: Lookup): Promise<void> {
  const labelSelector = selectorTerms(selector(object));
  const found = await lookup.list("replicasets.apps", at(object, "metadata.namespace"), { labelSelector });
  if (found === undefined) return;
  const revision = (set: JsonObject): number =>
    Number(textAt(memberOf(memberOf(set, "metadata"), "annotations"), lookup.names.deploymentRevisionAnnotation));
  const own = found
    .filter((set) => isControlledBy(set, "Deployment", at(object, "metadata.name")))
    .sort((a, b) => revision(a) - revision(b));
  const text = (set: JsonObject): string =>
    `${at(set, "metadata.name")} (${at(set, "status.replicas", "0")}/${at(set, "spec.replicas", "0")} replicas created)`;
  const newest = own.pop();
  sheet.row(0, "OldReplicaSets", own.map(text).join(", ") || "<none>");
  sheet.row(0, "NewReplicaSet", newest === undefined ? "<none>" : text(newest));
}

/** Also of a ReplicationController, whose selector is nothing but labels. */
export const replicaSet: Describer = {
  async write(sheet, object, lookup) {
    const chosen = selector(object);
    const isPlain = at(object, "kind") === "ReplicationController";
    const terms = isPlain ? pairsText(chosen) : selectorTerms(chosen);
    writeHead(sheet, object, lookup.names, ["Name", "Namespace"]);
    sheet.row(0, "Selector", terms || "<none>");
    writeHead(sheet, object, lookup.names, ["Labels", "Annotations"]);
    writeController(sheet, object);
    sheet.row(
      0,
      "Replicas",
      `${at(object, "status.replicas", "0")} current / ${at(object, "spec.replicas", "0")} desired`,
    );
    sheet.row(0, "Pods Status", await podStates(object, terms, lookup));
    writeTemplate(sheet, template(object), lookup.names);
    writeConditions(sheet, object, [CONDITION.type, CONDITION.status, CONDITION.reason], 1);
  },
};

export const statefulSet: Describer = {
  async write(sheet, object, lookup) {
    const spec = memberOf(object, "spec");
    writeHead(sheet, object, lookup.names, ["Name", "Namespace", "CreationTimestamp"]);
    sheet.row(0, "Selector", selectorText(selector(object)));
    writeHead(sheet, object, lookup.names, ["Labels", "Annotations"]);
    sheet.row(0, "Replicas", `${numberAt(spec, "replicas", 1)} desired | ${at(object, "status.replicas", "0")} total`);
    const strategy = memberOf(spec, "updateStrategy");
    sheet.row(0, "Update Strategy", textAt(strategy, "type"));
    const partition = at(strategy, "rollingUpdate.partition");
    if (partition !== "") sheet.row(1, "Partition", partition);
    sheet.row(0, "Pods Status", await podStates(object, selectorTerms(selector(object)), lookup));
    writeTemplate(sheet, template(object), lookup.names);
    const claims = itemsAt(spec, "volumeClaimTemplates");
    if (claims.length === 0) return sheet.row(0, "Volume Claims", "<none>");
    sheet.head(0, "Volume Claims");
    for (const claim of claims) {
      sheet.row(1, "Name", at(claim, "metadata.name"));
      writeClaim(sheet, claim, 1);
    }
  },
};

const NODE_COUNTS = [
  ["Desired Number of Nodes Scheduled", "desiredNumberScheduled"],
  ["Current Number of Nodes Scheduled", "currentNumberScheduled"],
  ["Number of Nodes Scheduled with Up-to-date Pods", "updatedNumberScheduled"],
  ["Number of Nodes Scheduled with Available Pods", "numberAvailable"],
  ["Number of Nodes Misscheduled", "numberMisscheduled"],
] as const;

export const daemonSet: Describer = {
  async write(sheet, object, lookup) {
    writeHead(sheet, object, lookup.names, ["Name", "Namespace"]);
    sheet.row(0, "Selector", selectorText(selector(object)));
    sheet.row(0, "Node-Selector", pairsText(valueAt(object, "spec.template.spec.nodeSelector")));
    writeHead(sheet, object, lookup.names, ["Labels", "Annotations"]);
    for (const [title, field] of NODE_COUNTS) sheet.cells(0, `${title}: ${at(object, `status.${field}`, "0")}`);
    sheet.row(0, "Pods Status", await podStates(object, selectorTerms(selector(object)), lookup));
    writeTemplate(sheet, template(object), lookup.names);
  },
};

export const job: Describer = {
  write(sheet, object, lookup) {
    const [spec, status] = [memberOf(object, "spec"), memberOf(object, "status")];
    writeHead(sheet, object, lookup.names, ["Name", "Namespace"]);
    sheet.row(0, "Selector", selectorText(selector(object)));
    writeHead(sheet, object, lookup.names, ["Labels", "Annotations"]);
    writeController(sheet, object);
    sheet.row(0, "Parallelism", at(spec, "parallelism", "<unset>"));
    sheet.row(0, "Completions", at(spec, "completions", "<unset>"));
    for (const [title, path] of [
      ["Completion Mode", "completionMode"],
      ["Suspend", "suspend"],
      ["Backoff Limit", "backoffLimit"],
      ["Backoff Limit Per Index", "backoffLimitPerIndex"],
      ["TTL Seconds After Finished", "ttlSecondsAfterFinished"],
    ] as const)
      if (at(spec, path) !== "") sheet.row(0, title, at(spec, path));
    writeTimes(sheet, status);
    const deadline = at(spec, "activeDeadlineSeconds");
    if (deadline !== "") sheet.row(0, "Active Deadline Seconds", `${deadline}s`);
    sheet.row(
      0,
      "Pods Statuses",
      `${numberAt(status, "active")} Active (${numberAt(status, "ready")} Ready) / ` +
        `${numberAt(status, "succeeded")} Succeeded / ${numberAt(status, "failed")} Failed`,
    );
    for (const [title, path] of [
      ["Completed Indexes", "completedIndexes"],
      ["Failed Indexes", "failedIndexes"],
    ] as const)
      if (at(status, path) !== "") sheet.row(0, title, at(status, path));
    writeTemplate(sheet, template(object), lookup.names);
  },
};

function writeTimes(sheet: Sheet, status: JsonObject): void {
  const [began, ended] = [at(status, "startTime"), at(status, "completionTime")];
  if (began !== "") sheet.row(0, "Start Time", timeText(began));
  if (ended === "") return;
  sheet.row(0, "Completed At", timeText(ended));
  if (began !== "") sheet.row(0, "Duration", humanDuration(Date.parse(ended) - Date.parse(began)));
}

export const cronJob: Describer = {
  write(sheet, object, lookup) {
    const spec = memberOf(object, "spec");
    const made = memberOf(memberOf(spec, "jobTemplate"), "spec");
    writeHead(sheet, object, lookup.names, ["Name", "Namespace", "Labels", "Annotations"]);
    sheet.row(0, "Schedule", at(spec, "schedule"));
    if (at(spec, "timeZone") !== "") sheet.row(0, "Time Zone", at(spec, "timeZone"));
    sheet.row(0, "Concurrency Policy", at(spec, "concurrencyPolicy"));
    sheet.row(0, "Suspend", spec["suspend"] === true ? "True" : "False");
    sheet.row(0, "Successful Job History Limit", at(spec, "successfulJobsHistoryLimit", "<unset>"));
    sheet.row(0, "Failed Job History Limit", at(spec, "failedJobsHistoryLimit", "<unset>"));
    const deadline = at(spec, "startingDeadlineSeconds");
    sheet.row(0, "Starting Deadline Seconds", deadline === "" ? "<unset>" : `${deadline}s`);
    sheet.row(0, "Selector", selectorText(made["selector"], "<unset>"));
    sheet.row(0, "Parallelism", at(made, "parallelism", "<unset>"));
    sheet.row(0, "Completions", at(made, "completions", "<unset>"));
    writeTemplate(sheet, memberOf(made, "template"), lookup.names);
    sheet.row(0, "Last Schedule Time", timeText(valueAt(object, "status.lastScheduleTime")));
    const active = itemsAt(memberOf(object, "status"), "active").map((each) => textAt(each, "name"));
    sheet.row(0, "Active Jobs", active.join(", ") || "<none>");
  },
};
