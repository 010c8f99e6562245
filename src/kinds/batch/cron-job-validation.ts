// Cron jobs: what they must say. Everything may change.

import { append } from "../../base/append.ts";
import { type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import { dns1123LabelProblems } from "../../meta/name-formats.ts";
import { warnName } from "../core/pod-warnings.ts";
import type { HookContext } from "../define-kind.ts";
import { checkNotNegative, checkWord } from "../meta/value-checks.ts";
import type { CronJob, CronJobSpec } from "./cron-job-schema.ts";
import { scheduleProblem, timeZoneProblem } from "./cron-schedule-validation.ts";
import { validateJobSpec } from "./job-spec-validation.ts";
import { warnJobSpec } from "./job-validation.ts";

/** The jobs get eleven characters more. */
const MAX_NAME_LENGTH = 52;

export function validateCronJob(cronJob: CronJob, context: HookContext): FieldError[] {
  const errors = validateSpec(cronJob.spec, context);
  const name = cronJob.metadata.name ?? "";
  if (Buffer.byteLength(name) > MAX_NAME_LENGTH) {
    errors.push(invalid("metadata.name", name, `must be no more than ${MAX_NAME_LENGTH} characters`));
  }
  return errors;
}

export function validateCronJobUpdate(cronJob: CronJob, old: CronJob, context: HookContext): FieldError[] {
  return validateSpec(cronJob.spec, context, old.spec);
}

export function warnCronJob(cronJob: CronJob, old: CronJob | undefined, context: HookContext): string[] {
  const { metadata, spec } = cronJob;
  const at = "spec.jobTemplate.spec";
  if (old === undefined) {
    return [...warnName(metadata.name ?? "", dns1123LabelProblems), ...warnJobSpec(spec.jobTemplate.spec, at, context)];
  }
  const warnings =
    metadata.generation === old.metadata.generation ? [] : warnJobSpec(spec.jobTemplate.spec, at, context);
  if (spec.schedule.includes("TZ")) {
    const more = `see ${context.names.cronJobDocs} for more details`;
    warnings.push(`cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, ${more}`);
  }
  return warnings;
}

const POLICIES = ["Allow", "Forbid", "Replace"];

function validateSpec(spec: CronJobSpec, context: HookContext, old?: CronJobSpec): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.schedule === "") errors.push(required("spec.schedule"));
  else checkSchedule(spec, old, errors);
  checkNotNegative(errors, "spec.startingDeadlineSeconds", spec.startingDeadlineSeconds);
  if (spec.timeZone !== undefined && spec.timeZone !== old?.timeZone) checkTimeZone(spec.timeZone, errors);
  checkWord(errors, "spec.concurrencyPolicy", spec.concurrencyPolicy, POLICIES);
  const at = "spec.jobTemplate.spec";
  const job = spec.jobTemplate.spec;
  append(errors, validateJobSpec(job, at, context, old?.jobTemplate.spec.template));
  if (job.selector !== undefined) {
    errors.push(invalid(`${at}.selector`, job.selector, "`selector` will be auto-generated"));
  }
  if (job.manualSelector) errors.push(notSupported(`${at}.manualSelector`, true, ["nil", "false"]));
  checkNotNegative(errors, "spec.successfulJobsHistoryLimit", spec.successfulJobsHistoryLimit);
  checkNotNegative(errors, "spec.failedJobsHistoryLimit", spec.failedJobsHistoryLimit);
  return errors;
}

function checkSchedule({ schedule, timeZone }: CronJobSpec, old: CronJobSpec | undefined, errors: FieldError[]): void {
  const field = "spec.schedule";
  const problem = scheduleProblem(schedule);
  if (problem !== undefined) errors.push(invalid(field, schedule, problem));
  if (!schedule.includes("TZ")) return;
  // Schedules of old carry their zone.
  if (!old?.schedule.includes("TZ")) {
    errors.push(invalid(field, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"));
  } else if (timeZone !== undefined) {
    errors.push(invalid(field, schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule"));
  }
}

function checkTimeZone(zone: string, errors: FieldError[]): void {
  const field = "spec.timeZone";
  if (zone === "") {
    errors.push(invalid(field, zone, "timeZone must be nil or non-empty string"));
    return;
  }
  const odd = zone
    .split("/")
    .some((part) => part === "." || part === ".." || !/^[A-Za-z.0-9_+][A-Za-z.\-_0-9+]{0,13}$/.test(part));
  if (odd) {
    errors.push(invalid(field, zone, `unknown time zone ${zone}`));
    return;
  }
  if (zone.toLowerCase() === "local") {
    const detail = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
    errors.push(invalid(field, zone, detail));
  }
  const problem = timeZoneProblem(zone);
  if (problem !== undefined) errors.push(invalid(field, zone, problem));
}
