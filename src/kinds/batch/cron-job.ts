// CronJob: starts jobs by a schedule.

import { AGE_COLUMN, ageCell, NAME_COLUMN } from "../cells/age.ts";
import { selectorCell } from "../cells/selectors.ts";
import { containerColumns } from "../cells/workloads.ts";
import { defineKind } from "../define-kind.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";
import type { CronJob } from "./cron-job-schema.ts";
import { cronJobSchema } from "./cron-job-schema.ts";
import { validateCronJob, validateCronJobUpdate, warnCronJob } from "./cron-job-validation.ts";
import { defaultJobTemplate } from "./job-defaults.ts";

export type { CronJob } from "./cron-job-schema.ts";

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
      defaultJobTemplate(spec.jobTemplate.spec, context);
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
