// The containers of a pod, or of a template, in words for people. Pure.

import { getKey, isObject, type Json, type JsonObject } from "../../base/json.ts";
import { parseQuantity, quantityAsFloat } from "../../meta/quantity.ts";
import { itemsAt, memberOf, numberAt, textAt } from "../json-members.ts";
import { at, pairs, textOf, timeText, yesNo } from "./field-text.ts";
import type { Sheet } from "./sheet.ts";

/** Where containers stand: in a pod they have states, in a template they have none. */
interface ContainerPlace {
  readonly depth: number;
  /** Before the name of a container. */
  readonly indent: string;
  /** Undefined in a template. */
  readonly pod: JsonObject | undefined;
}

/** Title, list of the specification, list of the status. */
const LISTS = [
  ["Init Containers", "initContainers", "initContainerStatuses"],
  ["Containers", "containers", "containerStatuses"],
  ["Ephemeral Containers", "ephemeralContainers", "ephemeralContainerStatuses"],
] as const;

export function writeContainers(sheet: Sheet, spec: JsonObject, place: ContainerPlace): void {
  for (const [title, list, statuses] of LISTS) {
    const containers = itemsAt(spec, list);
    if (containers.length === 0) continue;
    sheet.head(place.depth, title);
    const known = new Map(itemsAt(memberOf(place.pod, "status"), statuses).map((one) => [textAt(one, "name"), one]));
    for (const container of containers) writeContainer(sheet, container, known.get(textAt(container, "name")), place);
  }
}

function writeContainer(
  sheet: Sheet,
  container: JsonObject,
  status: JsonObject | undefined,
  { depth: outer, indent, pod }: ContainerPlace,
): void {
  const depth = pod === undefined ? outer + 1 : outer + 2;
  sheet.head(outer, `${indent}${textAt(container, "name")}`);
  if (status !== undefined) sheet.row(depth, "Container ID", textAt(status, "containerID"));
  sheet.row(depth, "Image", textAt(container, "image"));
  if (status !== undefined) sheet.row(depth, "Image ID", textAt(status, "imageID"));
  writePorts(sheet, container, depth);
  const security = memberOf(memberOf(container, "securityContext"), "seccompProfile");
  if (textAt(security, "type") !== "") sheet.row(depth, "SeccompProfile", textAt(security, "type"));
  for (const [title, field] of [
    ["Command", "command"],
    ["Args", "args"],
  ] as const) {
    const words = getKey(container, field);
    if (!Array.isArray(words) || words.length === 0) continue;
    sheet.head(depth, title);
    for (const word of words) for (const line of textOf(word).split("\n")) sheet.cells(depth + 1, line);
  }
  if (status !== undefined) writeStatus(sheet, status, depth);
  for (const [title, field] of [
    ["Limits", "limits"],
    ["Requests", "requests"],
  ] as const)
    writeAmounts(sheet, title, memberOf(memberOf(container, "resources"), field), depth);
  for (const [title, field] of [
    ["Liveness", "livenessProbe"],
    ["Readiness", "readinessProbe"],
    ["Startup", "startupProbe"],
  ] as const) {
    const probe = getKey(container, field);
    if (isObject(probe)) sheet.row(depth, title, probeText(probe));
  }
  writeEnvironment(sheet, container, pod, depth);
  const mounts = itemsAt(container, "volumeMounts");
  if (mounts.length === 0) sheet.row(depth, "Mounts", "<none>");
  else sheet.head(depth, "Mounts");
  for (const mount of [...mounts].sort((a, b) => (textAt(a, "mountPath") < textAt(b, "mountPath") ? -1 : 1)))
    sheet.cells(depth + 1, mountText(mount));
  const devices = itemsAt(container, "volumeDevices");
  if (devices.length > 0) sheet.head(depth, "Devices");
  for (const device of devices) sheet.cells(depth + 1, `${at(device, "devicePath")} from ${at(device, "name")}`);
}

function writePorts(sheet: Sheet, container: JsonObject, depth: number): void {
  const ports = itemsAt(container, "ports");
  const s = ports.length > 1 ? "s" : "";
  const text = (field: string): string =>
    ports
      .map((port) => {
        const name = textAt(port, "name");
        return `${numberAt(port, field)}/${at(port, "protocol", "TCP")}${name === "" ? "" : ` (${name})`}`;
      })
      .join(", ") || "<none>";
  sheet.row(depth, `Port${s}`, text("containerPort"));
  sheet.row(depth, `Host Port${s}`, text("hostPort"));
}

function writeStatus(sheet: Sheet, status: JsonObject, depth: number): void {
  writeState(sheet, "State", memberOf(status, "state"), depth);
  const last = memberOf(status, "lastState");
  if (isObject(getKey(last, "terminated"))) writeState(sheet, "Last State", last, depth);
  sheet.row(depth, "Ready", yesNo(status["ready"]));
  sheet.row(depth, "Restart Count", String(numberAt(status, "restartCount")));
}

function writeState(sheet: Sheet, title: string, state: JsonObject, depth: number): void {
  const [[word, detail] = ["waiting", {}]] = Object.entries(state);
  sheet.row(depth, title, `${word.charAt(0).toUpperCase()}${word.slice(1)}`);
  const optional = (name: string, text: string): void => {
    if (text !== "") sheet.row(depth + 1, name, text);
  };
  if (word === "running") sheet.row(depth + 1, "Started", timeText(at(detail, "startedAt")));
  if (word === "running") return;
  optional("Reason", at(detail, "reason"));
  optional("Message", at(detail, "message"));
  if (word !== "terminated") return;
  sheet.row(depth + 1, "Exit Code", at(detail, "exitCode"));
  optional("Signal", at(detail, "signal"));
  sheet.row(depth + 1, "Started", timeText(at(detail, "startedAt")));
  sheet.row(depth + 1, "Finished", timeText(at(detail, "finishedAt")));
}

function writeAmounts(sheet: Sheet, title: string, amounts: JsonObject, depth: number): void {
  const names = Object.keys(amounts).sort();
  if (names.length > 0) sheet.head(depth, title);
  for (const name of names) sheet.row(depth + 1, name, textOf(amounts[name]));
}

/** http-get http://:80/healthz delay=3s timeout=1s period=10s #success=1 #failure=3 */
function probeText(probe: JsonObject): string {
  const seconds = (field: string, otherwise: number): string => `${numberAt(probe, field, otherwise)}`;
  const times =
    `delay=${seconds("initialDelaySeconds", 0)}s timeout=${seconds("timeoutSeconds", 1)}s ` +
    `period=${seconds("periodSeconds", 10)}s #success=${seconds("successThreshold", 1)} ` +
    `#failure=${seconds("failureThreshold", 3)}`;
  return `${actionText(probe)} ${times}`;
}

function actionText(probe: JsonObject): string {
  const member = (name: string): JsonObject | undefined => {
    const value = getKey(probe, name);
    return isObject(value) ? value : undefined;
  };
  const exec = member("exec");
  if (exec !== undefined) return `exec [${at(exec, "command").replaceAll(",", " ")}]`;
  const http = member("httpGet");
  if (http !== undefined) {
    const path = at(http, "path", "/");
    const slash = path.startsWith("/") ? "" : "/";
    return `http-get ${at(http, "scheme", "HTTP").toLowerCase()}://${at(http, "host")}:${at(http, "port")}${slash}${path}`;
  }
  const tcp = member("tcpSocket");
  if (tcp !== undefined) return `tcp-socket ${at(tcp, "host")}:${at(tcp, "port")}`;
  const grpc = member("grpc");
  if (grpc !== undefined) return `grpc <pod>:${at(grpc, "port")} ${at(grpc, "service")}`;
  return "unknown";
}

function writeEnvironment(sheet: Sheet, container: JsonObject, pod: JsonObject | undefined, depth: number): void {
  const sources = itemsAt(container, "envFrom");
  if (sources.length > 0) sheet.head(depth, "Environment Variables from");
  for (const source of sources) {
    const [kind, reference] = isObject(getKey(source, "configMapRef"))
      ? ["ConfigMap", memberOf(source, "configMapRef")]
      : ["Secret", memberOf(source, "secretRef")];
    const prefix = textAt(source, "prefix");
    const what = prefix === "" ? kind : `${kind} with prefix '${prefix}'`;
    sheet.cells(depth + 1, textAt(reference, "name"), what, optionalText(reference));
  }
  const variables = itemsAt(container, "env");
  if (variables.length === 0) {
    sheet.row(depth, "Environment", "<none>");
    return;
  }
  sheet.head(depth, "Environment");
  for (const variable of variables)
    sheet.cells(depth + 1, `${textAt(variable, "name")}:`, ...variableCells(variable, container, pod));
}

const optionalText = (reference: JsonObject): string => `Optional: ${String(reference["optional"] === true)}`;

function variableCells(variable: JsonObject, container: JsonObject, pod: JsonObject | undefined): string[] {
  const source = memberOf(variable, "valueFrom");
  const secret = memberOf(source, "secretKeyRef");
  if (textAt(secret, "key") !== "")
    return [`<set to the key '${at(secret, "key")}' in secret '${at(secret, "name")}'>`, optionalText(secret)];
  const map = memberOf(source, "configMapKeyRef");
  if (textAt(map, "key") !== "")
    return [`<set to the key '${at(map, "key")}' of config map '${at(map, "name")}'>`, optionalText(map)];
  const field = memberOf(source, "fieldRef");
  if (textAt(field, "fieldPath") !== "")
    return [`${fieldValue(pod, at(field, "fieldPath"))} (${at(field, "apiVersion", "v1")}:${at(field, "fieldPath")})`];
  const resource = memberOf(source, "resourceFieldRef");
  if (textAt(resource, "resource") !== "") return [`${amountOf(container, resource)} (${at(resource, "resource")})`];
  return textAt(variable, "value").split("\n");
}

/** `metadata.name`, `metadata.labels['app']`, `spec.nodeName`; empty in a template. */
function fieldValue(pod: JsonObject | undefined, path: string): string {
  const [, map = "", key = ""] = /^metadata\.(labels|annotations)\['([^']*)'\]$/.exec(path) ?? [];
  if (map !== "") return textAt(memberOf(memberOf(pod, "metadata"), map), key);
  return at(pod, path);
}

/** In units of the divisor, rounded up. */
function amountOf(container: JsonObject, reference: JsonObject): string {
  const [list = "", ...name] = at(reference, "resource").split(".");
  const quantity = parseQuantity(at(memberOf(container, "resources"), `${list}.${name.join(".")}`, "0"));
  const divisor = parseQuantity(at(reference, "divisor", "1"));
  if (quantity === undefined || divisor === undefined) return "";
  const unit = quantityAsFloat(divisor);
  return String(Math.ceil(quantityAsFloat(quantity) / (unit > 0 ? unit : 1)));
}

function mountText(mount: JsonObject): string {
  const flags = [mount["readOnly"] === true ? "ro" : "rw"];
  for (const [field, word] of [
    ["subPath", "path"],
    ["subPathExpr", "path-expr"],
  ] as const)
    if (textAt(mount, field) !== "") flags.push(`${word}="${textAt(mount, field)}"`);
  return `${at(mount, "mountPath")} from ${at(mount, "name")} (${flags.join(",")})`;
}

/** `key:effect op=Exists for 300s` */
export function tolerationTexts(spec: JsonObject): string[] {
  const texts = itemsAt(spec, "tolerations").map((toleration) => {
    const key = textAt(toleration, "key");
    const value = textAt(toleration, "value");
    const effect = textAt(toleration, "effect");
    const seconds: Json | undefined = toleration["tolerationSeconds"];
    const exists = textAt(toleration, "operator") === "Exists";
    return [
      `${key}${value === "" ? "" : `=${value}`}${effect === "" ? "" : `:${effect}`}`,
      ...(exists ? ["op=Exists"] : []),
      ...(seconds === undefined ? [] : [`for ${textOf(seconds)}s`]),
    ]
      .join(" ")
      .trim();
  });
  return texts.sort();
}

export const nodeSelectorTexts = (spec: JsonObject): string[] => pairs(memberOf(spec, "nodeSelector"));
