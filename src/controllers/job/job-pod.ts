// The pods of a Job: what they look like when they are created, and what they say about themselves.

import type { Stored } from "../../client/informer.ts";
import type { Job } from "../../kinds/batch/job.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { Names } from "../../meta/names.ts";
import { type PodDraft, podFromTemplate } from "../pods-of-owner/pod-from-template.ts";
import { failurePolicyAction } from "./pod-failure-policy.ts";

const INDEX_VARIABLE = "JOB_COMPLETION_INDEX";
/** Five more characters make a name of it. */
const MAX_PREFIX_LENGTH = 58;

/** `index` for Indexed jobs; `replaced` is the pod of the same index that failed before. */
export function podOfJob(job: Stored<Job>, names: Names, index?: number, replaced?: Pod): PodDraft {
  const draft = podFromTemplate(job.spec.template, job);
  const { metadata, spec } = draft;
  if (!metadata.finalizers.includes(names.jobTrackingFinalizer)) metadata.finalizers.push(names.jobTrackingFinalizer);
  if (index === undefined) return draft;
  metadata.annotations[names.completionIndexAnnotation] = String(index);
  metadata.labels[names.completionIndexAnnotation] = String(index);
  metadata.generateName = prefixOf(job.metadata.name, index);
  spec.hostname = `${job.metadata.name}-${index}`;
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    container.env ??= [];
    if (container.env.some(({ name }) => name === INDEX_VARIABLE)) continue;
    const fieldPath = `metadata.labels['${names.completionIndexAnnotation}']`;
    container.env.push({ name: INDEX_VARIABLE, valueFrom: { fieldRef: { apiVersion: "v1", fieldPath } } });
  }
  if (job.spec.backoffLimitPerIndex !== undefined) noteFailures(metadata.annotations, job, names, replaced);
  return draft;
}

/** Undefined when the pod says none, or nonsense. */
export function completionIndex({ metadata }: Pick<Pod, "metadata">, names: Names): number | undefined {
  return wholeNumber(metadata.annotations?.[names.completionIndexAnnotation]);
}

/** How often pods of the same index failed before this one. */
export function failuresBefore(pod: Pod, names: Names): { readonly counted: number; readonly ignored: number } {
  const { annotations } = pod.metadata;
  return {
    counted: wholeNumber(annotations?.[names.indexFailureCountAnnotation]) ?? 0,
    ignored: wholeNumber(annotations?.[names.indexIgnoredFailureCountAnnotation]) ?? 0,
  };
}

function noteFailures(annotations: Record<string, string>, job: Job, names: Names, replaced: Pod | undefined): void {
  let { counted, ignored } = replaced === undefined ? { counted: 0, ignored: 0 } : failuresBefore(replaced, names);
  if (replaced !== undefined) {
    if (failurePolicyAction(job.spec.podFailurePolicy, replaced)?.action === "Ignore") ignored += 1;
    else counted += 1;
  }
  annotations[names.indexFailureCountAnnotation] = String(counted);
  if (ignored > 0) annotations[names.indexIgnoredFailureCountAnnotation] = String(ignored);
}

function prefixOf(jobName: string, index: number): string {
  const end = `-${index}-`;
  return `${jobName.slice(0, MAX_PREFIX_LENGTH - end.length)}${end}`;
}

/** Annotations are user text. */
function wholeNumber(text: string | undefined): number | undefined {
  if (text === undefined || !/^\+?[0-9]{1,10}$/.test(text)) return undefined;
  const number = Number(text);
  return number < 2 ** 31 ? number : undefined;
}
