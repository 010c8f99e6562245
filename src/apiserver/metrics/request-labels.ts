// The labels of a request in metrics, as upstream writes them.

import type { ResourceTarget } from "../../registry/request.ts";

export interface RequestLabels {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly scope: string;
  readonly verb: string;
  readonly component: string;
}

export const plainValues = ({
  component,
  group,
  resource,
  scope,
  subresource,
  verb,
  version,
}: RequestLabels): string[] => [component, group, resource, scope, subresource, verb, version];

export const durationValues = (labels: RequestLabels, dryRun: string): string[] => {
  const [component, ...rest] = plainValues(labels);
  return [component!, dryRun, ...rest];
};

export const totalValues = (labels: RequestLabels, code: number, dryRun: string): string[] => [
  String(code),
  ...durationValues(labels, dryRun),
];

export const PLAIN_LABELS = ["component", "group", "resource", "scope", "subresource", "verb", "version"];
export const DURATION_LABELS = ["component", "dry_run", ...PLAIN_LABELS.slice(1)];

const CONNECT_PARTS: ReadonlySet<string> = new Set(["exec", "attach", "portforward", "proxy"]);

const VERB_LABELS: Readonly<Record<string, string>> = {
  get: "GET",
  list: "LIST",
  watch: "WATCH",
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  delete: "DELETE",
  deletecollection: "DELETECOLLECTION",
  proxy: "CONNECT",
};

export function verbLabel({ verb, subresource }: ResourceTarget, method: string, isApply: boolean): string {
  if (CONNECT_PARTS.has(subresource)) return "CONNECT";
  if (isApply && method === "PATCH") return "APPLY";
  return VERB_LABELS[verb] ?? "other";
}

export function scopeLabel({ name, namespace, verb, resource }: ResourceTarget): string {
  if (name !== "" || verb === "create") return "resource";
  return namespace !== "" && resource !== "namespaces" ? "namespace" : "cluster";
}
