// Defaults of jobs.

import { defaultPodTemplate } from "../../core/pod/defaults.ts";
import type { HookContext, Work } from "../../define-kind.ts";
import type { Job } from "./schema.ts";
import { hasNoLabels } from "./selector.ts";
import type { JobSpec } from "./spec.ts";

const BACKOFF_LIMIT = 6;
// With a limit per index the limit over all is out of the way.
const NO_BACKOFF_LIMIT = 2147483647;

export function defaultJob(job: Job, context: HookContext): Work {
  const { spec, metadata } = job;
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? BACKOFF_LIMIT : NO_BACKOFF_LIMIT;
  spec.completionMode ??= "NonIndexed";
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy ? "Failed" : "TerminatingOrFailed";
  spec.manualSelector ??= false;
  // The same object, as upstream has it: labels that the server adds to the pods are then the job's too.
  if (hasNoLabels(metadata) && spec.template.metadata.labels) metadata.labels = spec.template.metadata.labels;
  return defaultJobTemplate(spec, context);
}

/** What also holds for the jobs that a CronJob will make. */
export function defaultJobTemplate(spec: JobSpec, context: HookContext): Work {
  for (const rule of spec.podFailurePolicy?.rules ?? []) {
    for (const pattern of rule.onPodConditions ?? []) pattern.status ||= "True";
  }
  return defaultPodTemplate(spec.template, context);
}
