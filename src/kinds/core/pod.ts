// Pod: containers that run together on one node.

import type { Json } from "../../base/json.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { POD_ROW_FIELDS, readinessGatesCell, summarizePod } from "../cells/pods.ts";
import { orNone } from "../cells/text.ts";
import { defineKind } from "../define-kind.ts";
import { keepStatus } from "../subresources.ts";
import { defaultPod } from "./pod/defaults.ts";
import { prepareEphemeralContainers, preparePodForCreate, preparePodStatus, prepareResize } from "./pod/prepare.ts";
import { validateResize } from "./pod/resize-validation.ts";
import { type Pod, podSchema } from "./pod/schema.ts";
import { validatePodStatus } from "./pod/status-validation.ts";
import { validateEphemeralContainersUpdate, validatePodUpdate } from "./pod/update-validation.ts";
import { validatePod } from "./pod/validation.ts";
import { warnPod } from "./pod/warnings.ts";

export type { Pod } from "./pod/schema.ts";

export const pod = defineKind({
  group: "",
  version: "v1",
  kind: "Pod",
  resource: "pods",
  scope: "Namespaced",
  shortNames: ["po"],
  categories: ["all"],
  schema: podSchema,
  unconditionalUpdate: true,
  returnDeletedObject: true,
  generation: true,
  rowFields: POD_ROW_FIELDS,
  columns: [
    NAME_COLUMN,
    { name: "Ready", type: "string", cell: (pod, context) => summarizePod(pod, context).ready },
    { name: "Status", type: "string", cell: (pod, context) => summarizePod(pod, context).status },
    { name: "Restarts", type: "string", cell: (pod, context) => summarizePod(pod, context).restarts },
    AGE_COLUMN,
    { name: "IP", type: "string", priority: 1, cell: ({ status }) => orNone(status.podIPs?.[0]?.ip) },
    { name: "Node", type: "string", priority: 1, cell: ({ spec }) => orNone(spec.nodeName) },
    { name: "Nominated Node", type: "string", priority: 1, cell: ({ status }) => orNone(status.nominatedNodeName) },
    { name: "Readiness Gates", type: "string", priority: 1, cell: readinessGatesCell },
  ],
  rowConditions: endedConditions,
  selectableFields: {
    // The name of old clients.
    "spec.host": ({ spec }) => spec.nodeName ?? "",
    "spec.nodeName": ({ spec }) => spec.nodeName ?? "",
    "spec.restartPolicy": ({ spec }) => spec.restartPolicy ?? "",
    "spec.schedulerName": ({ spec }) => spec.schedulerName ?? "",
    "spec.serviceAccountName": ({ spec }) => spec.serviceAccountName ?? "",
    "spec.hostNetwork": ({ spec }) => String(spec.hostNetwork ?? false),
    "status.phase": ({ status }) => status.phase ?? "",
    "status.podIP": ({ status }) => status.podIPs?.[0]?.ip ?? status.podIP ?? "",
    // Known, but upstream has no value for it.
    "status.podIPs": () => "",
    "status.nominatedNodeName": ({ status }) => status.nominatedNodeName ?? "",
  },
  subresources: {
    attach: { type: "special", verbs: ["create", "get"], body: body("PodAttachOptions") },
    binding: { type: "special", verbs: ["create"], body: body("Binding") },
    ephemeralcontainers: {
      type: "object",
      verbs: ["get", "patch", "update"],
      prepareForUpdate: prepareEphemeralContainers,
      validateUpdate: validateEphemeralContainersUpdate,
      resetFields: [["status"]],
    },
    eviction: { type: "special", verbs: ["create"], body: { group: "policy", version: "v1", kind: "Eviction" } },
    exec: { type: "special", verbs: ["create", "get"], body: body("PodExecOptions") },
    log: { type: "special", verbs: ["get"] },
    portforward: { type: "special", verbs: ["create", "get"], body: body("PodPortForwardOptions") },
    proxy: {
      type: "special",
      verbs: ["create", "delete", "get", "patch", "update"],
      body: body("PodProxyOptions"),
    },
    resize: {
      gate: "InPlacePodVerticalScaling",
      type: "object",
      verbs: ["get", "patch", "update"],
      prepareForUpdate: prepareResize,
      validateUpdate: validateResize,
      resetFields: [["status"]],
    },
    status: {
      type: "object",
      verbs: ["get", "patch", "update"],
      prepareForUpdate: preparePodStatus,
      validateUpdate: validatePodStatus,
      resetFields: [["spec"], ["metadata", "deletionTimestamp"], ["metadata", "ownerReferences"]],
    },
  },
  gracefulDelete,
  hooks: {
    default: defaultPod,
    prepareForCreate: preparePodForCreate,
    prepareForUpdate: keepStatus,
    validate: validatePod,
    validateUpdate: validatePodUpdate,
    warn: warnPod,
  },
});

/** Seconds until the pod is gone. What runs nowhere, or no more, needs none. */
function gracefulDelete({ spec, status }: Pod, requestedSeconds: number | undefined): number {
  if (!spec.nodeName || status.phase === "Failed" || status.phase === "Succeeded") return 0;
  // Calculated with, so what is beyond 2^53 (millions of years) becomes a plain number.
  const seconds = Math.min(
    Number(requestedSeconds ?? spec.terminationGracePeriodSeconds ?? 0),
    Number.MAX_SAFE_INTEGER,
  );
  // Below zero means: as soon as the kubelet can.
  return seconds < 0 ? 1 : seconds;
}

function endedConditions({ status }: Pod): Json[] {
  if (status.phase !== "Succeeded" && status.phase !== "Failed") return [];
  const message = status.phase === "Succeeded" ? "The pod has completed successfully." : "The pod failed.";
  return [{ type: "Completed", status: "True", reason: status.phase, message }];
}

function body(kind: string): { group: ""; version: "v1"; kind: string } {
  return { group: "", version: "v1", kind };
}
