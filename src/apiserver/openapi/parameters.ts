// What the query of a request may say. Requirements: document 1, "Query parameters".

import type { Subresource } from "../../kinds/define-kind.ts";
import type { ApiObject } from "../../meta/object.ts";

interface QueryParameter {
  readonly type: "string" | "boolean" | "integer";
  readonly description: string;
}

export const QUERY_PARAMETERS: Readonly<Record<string, QueryParameter>> = {
  allowWatchBookmarks: {
    type: "boolean",
    description: "Ask for BOOKMARK events, which carry nothing but a resourceVersion. Ignored unless this is a watch.",
  },
  command: {
    type: "string",
    description: "The command to run, one parameter for each of its words. No shell reads it.",
  },
  container: { type: "string", description: "The container, where the pod has more than one." },
  continue: {
    type: "string",
    description:
      "The token with which the last page of the list ended. All other parameters must be those of the first page. An " +
      "expired token is answered with 410 and where possible with a new one, which continues at another version.",
  },
  dryRun: {
    type: "string",
    description: "All: every stage of the request runs, nothing is stored. No other value is allowed.",
  },
  fieldManager: {
    type: "string",
    description:
      "Who makes this change, for the ownership of fields: at most 128 printable characters. Server-side apply requires it.",
  },
  fieldSelector: {
    type: "string",
    description: "Narrows the list of returned objects by their fields. By default all.",
  },
  fieldValidation: {
    type: "string",
    description:
      "What becomes of unknown and repeated fields in the body: Ignore drops them, Warn (the default) drops them with a " +
      "Warning header, Strict refuses the request.",
  },
  follow: { type: "boolean", description: "Stay, and send what the container logs from now on." },
  force: {
    type: "boolean",
    description:
      "Apply: take fields over from other managers instead of failing with a conflict. Other patches refuse it.",
  },
  gracePeriodSeconds: {
    type: "integer",
    description: "How long the object has to end; 0 is at once. By default what the object itself says.",
  },
  ignoreStoreReadErrorWithClusterBreakingPotential: {
    type: "boolean",
    description:
      "Delete the object although it cannot be read from the store, past finalizers and preconditions. Needs a permission of " +
      "its own. May break what relies on the object.",
  },
  insecureSkipTLSVerifyBackend: {
    type: "boolean",
    description: "Do not verify the certificate of the node from which the log comes.",
  },
  labelSelector: {
    type: "string",
    description: "Narrows the list of returned objects by their labels. By default all.",
  },
  limit: {
    type: "integer",
    description:
      "The most objects in one answer. When there are more, the list's metadata has a continue token for the next page, and " +
      "all pages show one version.",
  },
  limitBytes: { type: "integer", description: "End the log after so many bytes." },
  orphanDependents: {
    type: "boolean",
    description: "Deprecated: use propagationPolicy, which must not be set together with this.",
  },
  path: { type: "string", description: "The path of the request to the target." },
  ports: { type: "integer", description: "The ports to forward. Required over WebSockets." },
  pretty: {
    type: "string",
    description: "true: indented output. By default only for browsers and command-line HTTP clients.",
  },
  previous: { type: "boolean", description: "The log of the container before its last restart." },
  propagationPolicy: {
    type: "string",
    description:
      "What becomes of dependents: Orphan leaves them, Background deletes them afterwards, Foreground deletes them first. By " +
      "default what the finalizers and the kind say.",
  },
  resourceVersion: {
    type: "string",
    description:
      "The version that a read refers to. Unset: the newest. 0: any. How others are read resourceVersionMatch says.",
  },
  resourceVersionMatch: {
    type: "string",
    description: "How resourceVersion is applied to a list: NotOlderThan or Exact. Must be set only together with it.",
  },
  sendInitialEvents: {
    type: "boolean",
    description:
      "Watch: begin with the present state as ADDED events and a BOOKMARK after the last of them. Needs " +
      "resourceVersionMatch=NotOlderThan and allowWatchBookmarks.",
  },
  sinceSeconds: { type: "integer", description: "Only lines that are not older than so many seconds." },
  stderr: { type: "boolean", description: "Connect the standard error of the container. By default true." },
  stdin: { type: "boolean", description: "Connect the standard input of the container. By default false." },
  stdout: { type: "boolean", description: "Connect the standard output of the container. By default true." },
  stream: { type: "string", description: "All, Stdout or Stderr. By default All." },
  tailLines: { type: "integer", description: "Only so many lines from the end of the log." },
  timeoutSeconds: { type: "integer", description: "How long a list or a watch may take." },
  timestamps: { type: "boolean", description: "Begin every line with its time, RFC 3339." },
  tty: { type: "boolean", description: "Give the command a terminal. By default false." },
  watch: { type: "boolean", description: "Watch for changes to the described resources instead of listing them." },
};

export const LIST_QUERY: readonly string[] = [
  "allowWatchBookmarks",
  "continue",
  "fieldSelector",
  "labelSelector",
  "limit",
  "resourceVersion",
  "resourceVersionMatch",
  "sendInitialEvents",
  "timeoutSeconds",
  "watch",
];

export const WRITE_QUERY: readonly string[] = ["dryRun", "fieldManager", "fieldValidation"];

export const PATCH_QUERY: readonly string[] = [...WRITE_QUERY, "force"];

export const DELETE_QUERY: readonly string[] = [
  "dryRun",
  "gracePeriodSeconds",
  "ignoreStoreReadErrorWithClusterBreakingPotential",
  "orphanDependents",
  "propagationPolicy",
];

export const DELETE_COLLECTION_QUERY: readonly string[] = [
  "continue",
  "dryRun",
  "fieldSelector",
  "gracePeriodSeconds",
  "ignoreStoreReadErrorWithClusterBreakingPotential",
  "labelSelector",
  "limit",
  "orphanDependents",
  "propagationPolicy",
  "resourceVersion",
  "resourceVersionMatch",
  "sendInitialEvents",
  "timeoutSeconds",
];

/** By sub-resource. */
export const CONNECT_QUERY: Readonly<Record<string, readonly string[]>> = {
  attach: ["container", "stderr", "stdin", "stdout", "tty"],
  exec: ["command", "container", "stderr", "stdin", "stdout", "tty"],
  log: [
    "container",
    "follow",
    "insecureSkipTLSVerifyBackend",
    "limitBytes",
    "previous",
    "sinceSeconds",
    "stream",
    "tailLines",
    "timestamps",
  ],
  portforward: ["ports"],
  proxy: ["path"],
};

/** Whether requests to a sub-resource go on to a node, a pod or a service: what they take stands in the query. */
export function isConnect(name: string, { type }: Pick<Subresource<ApiObject>, "type">): boolean {
  return type === "special" && Object.hasOwn(CONNECT_QUERY, name);
}
