// The selector of a job: made by the server, so that jobs never share pods.

import { setKey } from "../../../base/json.ts";
import type { Names } from "../../../meta/names.ts";
import type { Job } from "./schema.ts";

/** Labels the pods with the job's name and uid and selects them by uid. Needs the job's uid. */
export function generateSelector(job: Job, names: Names): void {
  const { metadata, spec } = job;
  if (spec.manualSelector) return;
  spec.template.metadata.labels ??= {};
  const labels = spec.template.metadata.labels;
  // Labels that the user has set may be wrong; validation says so.
  setMissing(labels, "job-name", metadata.name ?? "");
  setMissing(labels, names.jobNameLabel, metadata.name ?? "");
  setMissing(labels, "controller-uid", metadata.uid ?? "");
  setMissing(labels, names.jobControllerUidLabel, metadata.uid ?? "");
  const sorted = sortedByKey(labels);
  spec.template.metadata.labels = sorted;
  if (metadata.labels === labels) metadata.labels = { ...sorted };
  spec.selector ??= {};
  spec.selector.matchLabels ??= {};
  setMissing(spec.selector.matchLabels, names.jobControllerUidLabel, metadata.uid ?? "");
}

/** A job without labels has those of its pods. */
export function labelAsPods({ metadata, spec }: Job): void {
  if (hasNoLabels(metadata) && spec.template.metadata.labels) metadata.labels = { ...spec.template.metadata.labels };
}

export function hasNoLabels({ labels }: Job["metadata"]): boolean {
  return labels === undefined || Object.keys(labels).length === 0;
}

/** Maps are kept in the order of their keys. */
function sortedByKey(labels: Record<string, string>): Record<string, string> {
  const sorted: Record<string, string> = {};
  for (const key of Object.keys(labels).sort()) setKey(sorted, key, labels[key]);
  return sorted;
}

function setMissing(labels: Record<string, string>, key: string, value: string): void {
  if (!Object.hasOwn(labels, key)) setKey(labels, key, value);
}
