// What bounds others, in words for people: Namespace, ResourceQuota, LimitRange, PodDisruptionBudget,
// HorizontalPodAutoscaler, PriorityClass.

import { isObject, type JsonObject } from "../../base/json.ts";
import { itemsAt, memberOf, numberAt, textAt } from "../json-members.ts";
import type { Describer } from "./describer.ts";
import { at, CONDITION, selectorText, textOf, valueAt, writeConditions, writeHead } from "./field-text.ts";
import type { Sheet } from "./sheet.ts";

export const namespace: Describer = {
  withEvents: false,
  async write(sheet, object, lookup) {
    const name = at(object, "metadata.name");
    writeHead(sheet, object, lookup.names, ["Name", "Labels", "Annotations"]);
    sheet.row(0, "Status", at(object, "status.phase"));
    writeConditions(sheet, object, [CONDITION.type, CONDITION.status, CONDITION.reason, CONDITION.message]);
    sheet.gap();
    const quotas = (await lookup.list("resourcequotas", name)) ?? [];
    sheet.block(quotas.length === 0 ? "No resource quota." : "Resource Quotas");
    for (const quota of quotas) {
      sheet.row(1, "Name", at(quota, "metadata.name"));
      writeQuota(sheet, quota, 1);
    }
    sheet.gap();
    const ranges = (await lookup.list("limitranges", name)) ?? [];
    sheet.block(ranges.length === 0 ? "No LimitRange resource." : "Resource Limits");
    if (ranges.length > 0) sheet.table(1, LIMIT_TITLES, ranges.flatMap(limitRows));
  },
};

const SCOPES: ReadonlyMap<string, string> = new Map([
  ["Terminating", "Matches all pods that have an active deadline: those that are expected to end."],
  ["NotTerminating", "Matches all pods that do not have an active deadline: those that are expected to go on."],
  ["BestEffort", "Matches all pods that ask for no resources: their quality of service is best effort."],
  ["NotBestEffort", "Matches all pods that ask for at least one resource."],
  ["PriorityClass", "Matches all pods of certain priority classes."],
]);

function writeQuota(sheet: Sheet, quota: JsonObject, depth: number): void {
  const scopes = valueAt(quota, "spec.scopes");
  if (Array.isArray(scopes) && scopes.length > 0) {
    sheet.row(depth, "Scopes", scopes.map((scope) => textOf(scope)).join(", "));
    for (const scope of scopes) {
      const meaning = SCOPES.get(textOf(scope));
      if (meaning !== undefined) sheet.cells(depth, `* ${meaning}`);
    }
  }
  const hard = memberOf(memberOf(quota, "status"), "hard");
  const used = memberOf(memberOf(quota, "status"), "used");
  const names = Object.keys(hard).sort();
  sheet.table(
    depth,
    ["Resource", "Used", "Hard"],
    names.map((name) => [name, textOf(used[name], "0"), textOf(hard[name])]),
  );
}

export const resourceQuota: Describer = {
  withEvents: false,
  write(sheet, object, { names }) {
    writeHead(sheet, object, names, ["Name", "Namespace"]);
    writeQuota(sheet, object, 0);
  },
};

const LIMIT_TITLES = ["Type", "Resource", "Min", "Max", "Default Request", "Default Limit", "Max Limit/Request Ratio"];
const LIMIT_FIELDS = ["min", "max", "defaultRequest", "default", "maxLimitRequestRatio"];

function limitRows(range: JsonObject): string[][] {
  return itemsAt(memberOf(range, "spec"), "limits").flatMap((limit) => {
    const names = new Set(LIMIT_FIELDS.flatMap((field) => Object.keys(memberOf(limit, field))));
    return [...names]
      .sort()
      .map((name) => [
        textAt(limit, "type"),
        name,
        ...LIMIT_FIELDS.map((field) => textOf(memberOf(limit, field)[name], "-")),
      ]);
  });
}

export const limitRange: Describer = {
  withEvents: false,
  write(sheet, object, { names }) {
    writeHead(sheet, object, names, ["Name", "Namespace"]);
    sheet.table(0, LIMIT_TITLES, limitRows(object));
  },
};

export const disruptionBudget: Describer = {
  write(sheet, object, { names }) {
    const [spec, status] = [memberOf(object, "spec"), memberOf(object, "status")];
    writeHead(sheet, object, names, ["Name", "Namespace"]);
    for (const [title, path] of [
      ["Min available", "minAvailable"],
      ["Max unavailable", "maxUnavailable"],
    ] as const)
      if (at(spec, path) !== "") sheet.row(0, title, at(spec, path));
    sheet.row(0, "Selector", isObject(spec["selector"]) ? selectorText(spec["selector"]) : "<unset>");
    sheet.head(0, "Status");
    for (const [title, field] of [
      ["Allowed disruptions", "disruptionsAllowed"],
      ["Current", "currentHealthy"],
      ["Desired", "desiredHealthy"],
      ["Total", "expectedPods"],
    ] as const)
      sheet.row(2, title, String(numberAt(status, field)));
  },
};

export const autoscaler: Describer = {
  write(sheet, object, { names }) {
    const [spec, status] = [memberOf(object, "spec"), memberOf(object, "status")];
    writeHead(sheet, object, names, ["Name", "Namespace", "Labels", "Annotations", "CreationTimestamp"]);
    const target = memberOf(spec, "scaleTargetRef");
    sheet.row(0, "Reference", `${at(target, "kind")}/${at(target, "name")}`);
    sheet.row(0, "Metrics", "( current / target )");
    const current = itemsAt(status, "currentMetrics");
    itemsAt(spec, "metrics").forEach((metric, index) => {
      const [title, text] = metricTexts(metric, current[index]);
      sheet.row(1, title, text);
    });
    sheet.row(0, "Min replicas", at(spec, "minReplicas", "<unset>"));
    sheet.row(0, "Max replicas", at(spec, "maxReplicas"));
    writeBehavior(sheet, memberOf(spec, "behavior"));
    sheet.row(
      0,
      `${at(target, "kind")} pods`,
      `${at(status, "currentReplicas", "0")} current / ${at(status, "desiredReplicas", "0")} desired`,
    );
    writeConditions(sheet, object, [CONDITION.type, CONDITION.status, CONDITION.reason, CONDITION.message]);
  },
};

/** What is measured, and its value beside the one that is aimed at. */
function metricTexts(metric: JsonObject, measured: JsonObject | undefined): [string, string] {
  const type = textAt(metric, "type");
  const member = `${type.charAt(0).toLowerCase()}${type.slice(1)}`;
  const source = memberOf(metric, member);
  const now = memberOf(memberOf(measured, member), "current");
  const target = memberOf(source, "target");
  const utilization = at(target, "averageUtilization");
  if (type === "Resource" || type === "ContainerResource") {
    const inside = type === "Resource" ? "" : ` of container "${at(source, "container")}"`;
    const what = `resource ${at(source, "name")}${inside} on pods`;
    if (utilization === "") return [what, `${at(now, "averageValue", "<unknown>")} / ${at(target, "averageValue")}`];
    const share = at(now, "averageUtilization");
    const seen = share === "" ? "<unknown>" : `${share}% (${at(now, "averageValue")})`;
    return [`${what}  (as a percentage of request)`, `${seen} / ${utilization}%`];
  }
  const name = JSON.stringify(at(source, "metric.name"));
  const field = at(target, "averageValue") === "" ? "value" : "averageValue";
  const text = `${at(now, field, "<unknown>")} / ${at(target, field)}`;
  if (type === "Pods") return [`${name} on pods`, text];
  const how = `(target ${field === "value" ? "value" : "average value"})`;
  if (type === "External") return [`${name} ${how}`, text];
  const about = memberOf(source, "describedObject");
  return [`${name} on ${at(about, "kind")}/${at(about, "name")} ${how}`, text];
}

function writeBehavior(sheet: Sheet, behavior: JsonObject): void {
  const directions = [
    ["Scale Up", "scaleUp"],
    ["Scale Down", "scaleDown"],
  ] as const;
  if (!directions.some(([, field]) => isObject(behavior[field]))) return;
  sheet.head(0, "Behavior");
  for (const [title, field] of directions) {
    const rules = behavior[field];
    if (!isObject(rules)) continue;
    sheet.head(1, title);
    const window = at(rules, "stabilizationWindowSeconds");
    if (window !== "") sheet.cells(2, `Stabilization Window: ${window} seconds`);
    sheet.cells(2, `Select Policy: ${at(rules, "selectPolicy", "Max")}`);
    sheet.cells(2, "Policies:");
    for (const policy of itemsAt(rules, "policies"))
      sheet.cells(
        3,
        `- Type: ${at(policy, "type")}`,
        `Value: ${at(policy, "value")}  Period: ${at(policy, "periodSeconds")} seconds`,
      );
  }
}

export const priorityClass: Describer = {
  write(sheet, object, { names }) {
    sheet.row(0, "Name", at(object, "metadata.name"));
    sheet.row(0, "Value", at(object, "value", "0"));
    sheet.row(0, "GlobalDefault", at(object, "globalDefault", "false"));
    sheet.row(0, "PreemptionPolicy", at(object, "preemptionPolicy", "<unset>"));
    sheet.row(0, "Description", at(object, "description"));
    writeHead(sheet, object, names, ["Annotations"]);
  },
};
