// What may be reported about a job. Whoever runs it, counters and ends do not go back; a rule is asked only when what it
// is about has changed, so that a status that is wrong already can still be updated.

import { equalJson } from "../../../base/json.ts";
import { duplicate, type FieldError, invalid, OMIT, required } from "../../../meta/field-error.ts";
import type { HookContext } from "../../define-kind.ts";
import { checkNotNegative, IMMUTABLE } from "../../meta/value-checks.ts";
import { countIndexes, firstCommonIndex } from "./index-intervals.ts";
import type { Job, JobStatus } from "./schema.ts";

export function validateJobStatus(job: Job, old: Job, { gateEnabled }: HookContext): FieldError[] {
  const errors: FieldError[] = [];
  checkCounters(job.status, errors);
  if (gateEnabled("JobManagedBy")) {
    const change = new Change(job, old);
    checkEnds(change, errors);
    checkIndexes(change, errors);
    checkProgress(change, errors);
  }
  checkSuccessCriteria(job, old, errors);
  return errors;
}

const is = ({ conditions }: JobStatus, type: string): boolean =>
  (conditions ?? []).some((condition) => condition.type === type && condition.status === "True");

const isFinished = (status: JobStatus): boolean => is(status, "Complete") || is(status, "Failed");

/** What of a status is new. */
class Change {
  readonly job: Job;
  readonly old: Job;

  constructor(job: Job, old: Job) {
    this.job = job;
    this.old = old;
  }

  condition(type: string): boolean {
    return is(this.job.status, type) !== is(this.old.status, type);
  }

  get finished(): boolean {
    return isFinished(this.job.status) !== isFinished(this.old.status);
  }

  of(...names: (keyof JobStatus)[]): boolean {
    return names.some((name) => !equalJson(this.job.status[name], this.old.status[name]));
  }
}

function checkCounters(status: JobStatus, errors: FieldError[]): void {
  for (const name of ["active", "succeeded", "failed", "ready", "terminating"] as const) {
    checkNotNegative(errors, `status.${name}`, status[name]);
  }
  const seen = new Set<string>();
  for (const part of ["succeeded", "failed"] as const) {
    (status.uncountedTerminatedPods?.[part] ?? []).forEach((uid, index) => {
      const field = `status.uncountedTerminatedPods.${part}[${index}]`;
      if (uid === "") errors.push(invalid(field, uid, "must not be empty"));
      else if (seen.has(uid)) errors.push(duplicate(field, uid));
      seen.add(uid);
    });
  }
}

const CONDITIONS = "status.conditions";

function checkEnds(change: Change, errors: FieldError[]): void {
  const { job, old } = change;
  const { status, spec } = job;
  const never = (detail: string) => errors.push(invalid(CONDITIONS, OMIT, detail));
  const isComplete = is(status, "Complete");
  const complete = change.condition("Complete");
  if (isComplete && is(status, "Failed") && (complete || change.condition("Failed"))) {
    never("cannot set Complete=True and Failed=true conditions");
  }
  if (isComplete && is(status, "FailureTarget") && (complete || change.condition("FailureTarget"))) {
    never("cannot set Complete=True and FailureTarget=true conditions");
  }
  if (complete || change.of("completionTime")) {
    if (status.completionTime !== undefined && !isComplete) {
      const detail = "cannot set completionTime when there is no Complete=True condition";
      errors.push(invalid("status.completionTime", status.completionTime, detail));
    }
    if (status.completionTime === undefined && isComplete) {
      errors.push(required("status.completionTime", "completionTime is required for Complete jobs"));
    }
  }
  if (change.of("startTime", "completionTime") && status.startTime && status.completionTime) {
    if (Date.parse(status.completionTime) < Date.parse(status.startTime)) {
      errors.push(invalid("status.completionTime", status.completionTime, "must be equal to or after `startTime`"));
    }
  }
  if (
    is(status, "Failed") &&
    !is(status, "FailureTarget") &&
    (change.condition("Failed") || change.of("failedIndexes"))
  ) {
    never("cannot set Failed=True condition without the FailureTarget=true condition");
  }
  if (isComplete && !is(status, "SuccessCriteriaMet") && (complete || change.condition("SuccessCriteriaMet"))) {
    never("cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
  }
  if (isFinished(status)) checkFinished(change, errors);
  for (const type of ["Failed", "Complete", "FailureTarget"]) {
    if (is(old.status, type) && !is(status, type)) never(`cannot disable the terminal ${type}=True condition`);
  }
  const bothTimes = status.completionTime !== undefined && old.status.completionTime !== undefined;
  if (bothTimes && status.completionTime !== old.status.completionTime) {
    errors.push(invalid("status.completionTime", status.completionTime, IMMUTABLE));
  }
  const suspended = (status.conditions ?? []).find(({ type }) => type === "Suspended");
  const resumes = is(old.status, "Suspended") && suspended?.status === "False";
  const moved = old.status.startTime !== undefined && old.status.startTime !== status.startTime;
  if (moved && !spec.suspend && !resumes) {
    errors.push(required("status.startTime", "startTime cannot be removed for unsuspended job"));
  }
}

function checkFinished(change: Change, errors: FieldError[]): void {
  const { status, spec } = change.job;
  const { finished } = change;
  if ((status.active ?? 0) > 0 && (finished || change.of("active"))) {
    errors.push(invalid("status.active", status.active, "active>0 is invalid for finished job"));
  }
  const neverStarts = spec.suspend === true && spec.completions === 0;
  if (status.startTime === undefined && !neverStarts && (finished || change.of("startTime"))) {
    errors.push(required("status.startTime", "startTime is required for finished job"));
  }
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  if (succeeded.length + failed.length > 0 && (finished || change.of("uncountedTerminatedPods"))) {
    const value = { Succeeded: succeeded, Failed: failed };
    errors.push(invalid("status.uncountedTerminatedPods", value, "must be empty for finished job"));
  }
  if ((status.terminating ?? 0) > 0 && (finished || change.of("terminating"))) {
    errors.push(invalid("status.terminating", status.terminating, "terminating>0 is invalid for finished job"));
  }
}

function checkIndexes(change: Change, errors: FieldError[]): void {
  const { status, spec } = change.job;
  const { completions } = spec;
  const completed = status.completedIndexes ?? "";
  const failed = status.failedIndexes;
  const parse = (name: "completedIndexes" | "failedIndexes", text: string) => {
    const counted = countIndexes(text, completions ?? 0);
    if (typeof counted === "string") errors.push(invalid(`status.${name}`, text, `error parsing ${name}: ${counted}`));
  };
  if (change.of("completedIndexes")) {
    if (completions !== undefined) parse("completedIndexes", completed);
    if (completed !== "" && spec.completionMode !== "Indexed") {
      const detail = "cannot set non-empty completedIndexes when non-indexed completion mode";
      errors.push(invalid("status.completedIndexes", completed, detail));
    }
  }
  if (failed === undefined) return;
  if (change.of("failedIndexes")) {
    if (spec.backoffLimitPerIndex === undefined) {
      const detail = "cannot set non-null failedIndexes when backoffLimitPerIndex is null";
      errors.push(invalid("status.failedIndexes", failed, detail));
    } else if (completions !== undefined) parse("failedIndexes", failed);
  }
  if (completions === undefined || !change.of("failedIndexes", "completedIndexes")) return;
  const common = firstCommonIndex(completed, failed, completions);
  if (common === undefined) return;
  const detail = `failedIndexes and completedIndexes overlap at index: ${common}`;
  errors.push(invalid("status.failedIndexes", failed, detail));
}

function checkProgress(change: Change, errors: FieldError[]): void {
  const { job, old } = change;
  const { status, spec } = job;
  const falls = (name: "failed" | "succeeded") => (status[name] ?? 0) < (old.status[name] ?? 0);
  if (falls("failed")) errors.push(invalid("status.failed", status.failed ?? 0, "cannot decrease the failed counter"));
  // An indexed job with as many pods as completions can be made smaller.
  const mayShrink = spec.completionMode === "Indexed" && spec.completions === spec.parallelism;
  if (falls("succeeded") && !mayShrink) {
    errors.push(invalid("status.succeeded", status.succeeded ?? 0, "cannot decrease the succeeded counter"));
  }
  if (status.ready !== undefined && status.ready > (status.active ?? 0) && change.of("ready", "active")) {
    errors.push(invalid("status.ready", status.ready, "cannot set more ready pods than active"));
  }
}

function checkSuccessCriteria({ status, spec }: Job, old: Job, errors: FieldError[]): void {
  const never = (detail: string) => errors.push(invalid(CONDITIONS, OMIT, detail));
  const isMet = is(status, "SuccessCriteriaMet");
  const wasMet = is(old.status, "SuccessCriteriaMet");
  if (isMet && is(status, "Failed")) never("cannot set SuccessCriteriaMet=True and Failed=true conditions");
  if (isMet && is(status, "FailureTarget"))
    never("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
  if (spec.successPolicy && !isMet && is(status, "Complete")) {
    never("cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True");
  }
  if (wasMet && !isMet) never("cannot disable the SuccessCriteriaMet=True condition");
  if (is(old.status, "Complete") && !wasMet && isMet) {
    never("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions");
  }
}
