// CronJob: starts jobs by a schedule.

import { append } from "../../base/append.ts";
import type { Steps } from "../../base/steps.ts";
import { type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import { dns1123LabelProblems } from "../../meta/name-formats.ts";
import { type ObjectOf, opt, ptr, s } from "../../schema/builder.ts";
import { AGE_COLUMN, ageCell, NAME_COLUMN } from "../cells/age.ts";
import { rowFields } from "../cells/row-fields.ts";
import { selectorCell } from "../cells/selectors.ts";
import { containerColumns, containerFields } from "../cells/workloads.ts";
import { objectReference } from "../core/object-reference.ts";
import { warnName } from "../core/pod/warnings.ts";
import { defineKind, type HookContext } from "../define-kind.ts";
import { objectMeta } from "../meta/object-meta.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { checkNotNegative, checkWord } from "../meta/value-checks.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";
import { MAX_ZONE_LENGTH, parseSchedule, timeZoneProblem } from "./cron-schedule.ts";
import { defaultJobTemplate } from "./job/defaults.ts";
import { jobSpec } from "./job/spec.ts";
import { validateJobSpec } from "./job/spec-validation.ts";
import { warnJobSpec } from "./job/validation.ts";

export type CronJob = ObjectOf<typeof cronJobSchema>;

const cronJobSchema = objectSchema("batch.v1.CronJob", "Starts jobs by a schedule.", () => ({
  spec: opt.of(cronJobSpec, 2, "The schedule and the job to start."),
  status: opt.of(cronJobStatus, 3, "Which jobs run and when the last was started; written by the controller."),
}));

export const cronJob = defineKind({
  group: "batch",
  version: "v1",
  kind: "CronJob",
  resource: "cronjobs",
  scope: "Namespaced",
  shortNames: ["cj"],
  categories: ["all"],
  schema: cronJobSchema,
  unconditionalUpdate: true,
  generation: true,
  rowFields: rowFields(
    "spec.schedule",
    "spec.timeZone",
    "spec.suspend",
    "spec.jobTemplate.spec.selector",
    ...containerFields("spec.jobTemplate.spec.template.spec"),
    "status.active.name",
    "status.lastScheduleTime",
  ),
  columns: [
    NAME_COLUMN,
    { name: "Schedule", type: "string", cell: (cronJob) => cronJob.spec.schedule },
    { name: "Timezone", type: "string", cell: (cronJob) => cronJob.spec.timeZone ?? "<none>" },
    { name: "Suspend", type: "boolean", cell: suspendCell },
    { name: "Active", type: "integer", cell: (cronJob) => cronJob.status.active?.length ?? 0 },
    {
      name: "Last Schedule",
      type: "string",
      cell: ({ status }, context) => (status.lastScheduleTime ? ageCell(status.lastScheduleTime, context) : "<none>"),
    },
    AGE_COLUMN,
    ...containerColumns<CronJob>((cronJob) => cronJob.spec.jobTemplate.spec.template),
    {
      name: "Selector",
      type: "string",
      priority: 1,
      cell: (cronJob) => selectorCell(cronJob.spec.jobTemplate.spec.selector),
    },
  ],
  subresources: { status: statusSubresource<CronJob>() },
  hooks: {
    default({ spec }, context) {
      spec.concurrencyPolicy ||= "Allow";
      spec.suspend ??= false;
      spec.successfulJobsHistoryLimit ??= 3;
      spec.failedJobsHistoryLimit ??= 1;
      return defaultJobTemplate(spec.jobTemplate.spec, context);
    },
    prepareForCreate(cronJob) {
      cronJob.status = {};
    },
    prepareForUpdate: keepStatus,
    validate: validateCronJob,
    validateUpdate: validateCronJobUpdate,
    warn: warnCronJob,
  },
});

function suspendCell({ spec }: CronJob): string {
  if (spec.suspend === undefined) return "<unset>";
  return spec.suspend ? "True" : "False";
}

type CronJobSpec = ObjectOf<typeof cronJobSpec>;

const cronJobSpec = s.struct("batch.v1.CronJobSpec", "When to start which job.", () => ({
  schedule: s.string(
    1,
    "When to start, in cron's five fields (minute, hour, day, month, weekday) or a word like @daily.",
  ),
  timeZone: ptr.string(
    8,
    "The time zone of the schedule by its IANA name, as in Europe/Berlin; not set, that of the controller.",
  ),
  startingDeadlineSeconds: ptr.int64(
    2,
    "A start missed by more than this many seconds is skipped; not set, there is no limit.",
  ),
  concurrencyPolicy: opt.enumOf(
    "ConcurrencyPolicy",
    ["Allow", "Forbid", "Replace"],
    3,
    "If the last job still runs: Allow (the default) starts another, Forbid skips this one, Replace ends the old one.",
  ),
  suspend: ptr.boolean(4, "While true no new jobs are started; those that run go on. False if not set."),
  jobTemplate: s.of(jobTemplateSpec, 5, "The job to create at each start."),
  successfulJobsHistoryLimit: ptr.int32(6, "How many succeeded jobs are kept; 3 if not set, 0 keeps none."),
  failedJobsHistoryLimit: ptr.int32(7, "How many failed jobs are kept; 1 if not set, 0 keeps none."),
}));

const jobTemplateSpec = s.struct(
  "batch.v1.JobTemplateSpec",
  "The job that is created when the schedule says so.",
  () => ({
    metadata: opt.of(objectMeta, 1, "Labels and annotations that each created job gets."),
    spec: opt.of(jobSpec, 2, "What each created job shall do."),
  }),
);

const cronJobStatus = s.struct("batch.v1.CronJobStatus", "What a cron job has started.", () => ({
  active: opt.atomic(objectReference, 1, "The jobs that run now."),
  lastScheduleTime: ptr.time(4, "The time of the schedule at which a job was last started."),
  lastSuccessfulTime: ptr.time(5, "When a job last completed successfully."),
}));

/** The jobs get eleven characters more. */
const MAX_NAME_LENGTH = 52;

function* validateCronJob(cronJob: CronJob, context: HookContext): Steps<FieldError[]> {
  const errors = yield* validateSpec(cronJob.spec, context);
  const name = cronJob.metadata.name ?? "";
  if (Buffer.byteLength(name) > MAX_NAME_LENGTH) {
    errors.push(invalid("metadata.name", name, `must be no more than ${MAX_NAME_LENGTH} characters`));
  }
  return errors;
}

function validateCronJobUpdate(cronJob: CronJob, old: CronJob, context: HookContext): Steps<FieldError[]> {
  return validateSpec(cronJob.spec, context, old.spec);
}

function warnCronJob(cronJob: CronJob, old: CronJob | undefined, context: HookContext): string[] {
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

function* validateSpec(spec: CronJobSpec, context: HookContext, old?: CronJobSpec): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  if (spec.schedule === "") errors.push(required("spec.schedule"));
  else checkSchedule(spec, old, errors);
  checkNotNegative(errors, "spec.startingDeadlineSeconds", spec.startingDeadlineSeconds);
  if (spec.timeZone !== undefined && spec.timeZone !== old?.timeZone) checkTimeZone(spec.timeZone, errors);
  checkWord(errors, "spec.concurrencyPolicy", spec.concurrencyPolicy, POLICIES);
  const at = "spec.jobTemplate.spec";
  const job = spec.jobTemplate.spec;
  append(errors, yield* validateJobSpec(job, at, context, old?.jobTemplate.spec.template));
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
  const parsed = parseSchedule(schedule);
  if (typeof parsed === "string") errors.push(invalid(field, schedule, parsed));
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
  const isOdd = (part: string) => part === "." || part === ".." || !/^[A-Za-z.0-9_+][A-Za-z.\-_0-9+]{0,13}$/.test(part);
  if (zone.length > MAX_ZONE_LENGTH || zone.split("/").some(isOdd)) {
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
