// A node in words for people: what it has, what its pods ask for, and how it is.

import type { JsonObject } from "../../base/json.ts";
import { humanDuration } from "../../meta/human-duration.ts";
import type { Names } from "../../meta/names.ts";
import { addQuantities, formatQuantity, parseQuantity, type Quantity, quantityAsFloat } from "../../meta/quantity.ts";
import { itemsAt, memberOf, textAt } from "../json-members.ts";
import type { Describer, Lookup } from "./describer.ts";
import { at, CONDITION, textOf, timeText, valueAt, writeConditions, writeHead } from "./field-text.ts";
import type { Sheet } from "./sheet.ts";

const SYSTEM = [
  ["Machine ID", "machineID"],
  ["System UUID", "systemUUID"],
  ["Boot ID", "bootID"],
  ["Kernel Version", "kernelVersion"],
  ["OS Image", "osImage"],
  ["Operating System", "operatingSystem"],
  ["Architecture", "architecture"],
  ["Container Runtime Version", "containerRuntimeVersion"],
  ["Kubelet Version", "kubeletVersion"],
  ["Kube-Proxy Version", "kubeProxyVersion"],
] as const;

export const node: Describer = {
  async write(sheet, object, lookup) {
    const [spec, status] = [memberOf(object, "spec"), memberOf(object, "status")];
    sheet.row(0, "Name", at(object, "metadata.name"));
    sheet.row(0, "Roles", rolesOf(object, lookup.names));
    writeHead(sheet, object, lookup.names, ["Labels", "Annotations", "CreationTimestamp"]);
    const taints = itemsAt(spec, "taints").map((taint) => {
      const value = textAt(taint, "value");
      return `${textAt(taint, "key")}${value === "" ? "" : `=${value}`}:${textAt(taint, "effect")}`;
    });
    sheet.rows(0, "Taints", taints.sort());
    sheet.row(0, "Unschedulable", at(spec, "unschedulable", "false"));
    await writeLease(sheet, object, lookup);
    const { type, status: state, heartbeat, transition, reason, message } = CONDITION;
    writeConditions(sheet, object, [type, state, heartbeat, transition, reason, message], 5);
    sheet.head(0, "Addresses");
    for (const address of itemsAt(status, "addresses")) sheet.row(1, at(address, "type"), at(address, "address"));
    for (const [title, field] of [
      ["Capacity", "capacity"],
      ["Allocatable", "allocatable"],
    ] as const) {
      const amounts = memberOf(status, field);
      sheet.head(0, title);
      for (const name of Object.keys(amounts).sort()) sheet.row(1, name, textOf(amounts[name]));
    }
    sheet.head(0, "System Info");
    for (const [title, field] of SYSTEM) sheet.row(1, title, at(status, `nodeInfo.${field}`));
    for (const [title, path] of [
      ["PodCIDR", "podCIDR"],
      ["PodCIDRs", "podCIDRs"],
      ["ProviderID", "providerID"],
    ] as const)
      if (at(spec, path) !== "") sheet.row(0, title, at(spec, path));
    await writePods(sheet, object, lookup);
  },
};

function rolesOf(object: JsonObject, { nodeRolePrefix }: Names): string {
  const labels = Object.keys(memberOf(memberOf(object, "metadata"), "labels"));
  const roles = labels.filter((key) => key.startsWith(nodeRolePrefix)).map((key) => key.slice(nodeRolePrefix.length));
  return roles.sort().join(",") || "<none>";
}

async function writeLease(sheet: Sheet, object: JsonObject, lookup: Lookup): Promise<void> {
  const { names } = lookup;
  const name = at(object, "metadata.name");
  const lease = await lookup.get(`leases.${names.group("coordination")}`, names.nodeLeaseNamespace, name);
  sheet.head(0, "Lease");
  sheet.row(1, "HolderIdentity", at(lease, "spec.holderIdentity", "<unset>"));
  sheet.row(1, "AcquireTime", timeText(valueAt(lease, "spec.acquireTime")));
  sheet.row(1, "RenewTime", timeText(valueAt(lease, "spec.renewTime")));
}

const ENDED: ReadonlySet<string> = new Set(["Succeeded", "Failed"]);

async function writePods(sheet: Sheet, object: JsonObject, lookup: Lookup): Promise<void> {
  const fieldSelector = `spec.nodeName=${at(object, "metadata.name")}`;
  const found = await lookup.list("pods", undefined, { fieldSelector });
  if (found === undefined) return sheet.row(0, "Pods", "not authorized");
  const pods = found.filter((pod) => !ENDED.has(at(pod, "status.phase")));
  const allocatable = memberOf(memberOf(object, "status"), "allocatable");
  const part = (quantity: Quantity, name: string): string => {
    const whole = parseQuantity(textAt(allocatable, name));
    const most = whole === undefined ? 0 : quantityAsFloat(whole);
    const percent = most === 0 ? 0 : Math.trunc((quantityAsFloat(quantity) / most) * 100);
    return `${formatQuantity(quantity)} (${percent}%)`;
  };
  sheet.row(0, "Non-terminated Pods", `(${pods.length} in total)`);
  // The empty column is kubectl's, whose places scripts cut at.
  const titles = ["Namespace", "Name", "", "CPU Requests", "CPU Limits", "Memory Requests", "Memory Limits", "Age"];
  const sums = { requests: new Map<string, Quantity>(), limits: new Map<string, Quantity>() };
  const rows = pods.map((pod) => {
    const asked = { requests: amountsOf(pod, "requests"), limits: amountsOf(pod, "limits") };
    for (const list of ["requests", "limits"] as const) addAll(sums[list], asked[list]);
    const cell = (list: "requests" | "limits", name: string): string => part(asked[list].get(name) ?? ZERO, name);
    const created = Date.parse(at(pod, "metadata.creationTimestamp"));
    return [
      at(pod, "metadata.namespace"),
      at(pod, "metadata.name"),
      "",
      cell("requests", "cpu"),
      cell("limits", "cpu"),
      cell("requests", "memory"),
      cell("limits", "memory"),
      Number.isNaN(created) ? "<unknown>" : humanDuration(lookup.nowMs - created),
    ];
  });
  sheet.table(1, titles, rows);
  sheet.head(0, "Allocated resources");
  sheet.cells(1, "(Total limits may be over 100 percent, i.e., overcommitted.)");
  const names = Object.keys(allocatable)
    .filter((name) => name !== "pods")
    .sort(byImportance);
  sheet.table(
    1,
    ["Resource", "Requests", "Limits"],
    names.map((name) => [name, part(sums.requests.get(name) ?? ZERO, name), part(sums.limits.get(name) ?? ZERO, name)]),
  );
}

const FIRST = ["cpu", "memory", "ephemeral-storage"];

function byImportance(a: string, b: string): number {
  const rank = (name: string): number => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return rank(a) - rank(b) || (a < b ? -1 : 1);
}

const ZERO: Quantity = parseQuantity("0")!;

function addAll(sum: Map<string, Quantity>, more: ReadonlyMap<string, Quantity>): void {
  for (const [name, quantity] of more) {
    const before = sum.get(name);
    sum.set(name, before === undefined ? quantity : addQuantities(before, quantity));
  }
}

/** Of a pod: all containers together, or the largest of those that run before them. */
function amountsOf(pod: JsonObject, list: "requests" | "limits"): Map<string, Quantity> {
  const spec = memberOf(pod, "spec");
  const sum = new Map<string, Quantity>();
  for (const container of itemsAt(spec, "containers")) addAll(sum, quantities(container, list));
  for (const container of itemsAt(spec, "initContainers")) {
    // One that goes on running counts beside the others.
    if (textAt(container, "restartPolicy") === "Always") addAll(sum, quantities(container, list));
    else
      for (const [name, quantity] of quantities(container, list)) {
        const before = sum.get(name);
        if (before === undefined || quantityAsFloat(quantity) > quantityAsFloat(before)) sum.set(name, quantity);
      }
  }
  addAll(sum, new Map([...quantities({ resources: { [list]: memberOf(spec, "overhead") } }, list)]));
  return sum;
}

function quantities(container: JsonObject, list: string): Map<string, Quantity> {
  const found = new Map<string, Quantity>();
  for (const [name, text] of Object.entries(memberOf(memberOf(container, "resources"), list))) {
    const quantity = parseQuantity(textOf(text));
    if (quantity !== undefined) found.set(name, quantity);
  }
  return found;
}
