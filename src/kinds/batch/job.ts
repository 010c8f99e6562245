// Job: runs pods until enough of them have succeeded.

import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { jobCompletionsCell, jobDurationCell, jobStatusCell } from "../cells/jobs.ts";
import { rowFields } from "../cells/row-fields.ts";
import { selectorCell } from "../cells/selectors.ts";
import { containerColumns, containerFields } from "../cells/workloads.ts";
import { defineKind } from "../define-kind.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";
import { defaultJob } from "./job/defaults.ts";
import { type Job, jobSchema } from "./job/schema.ts";
import { generateSelector, labelAsPods } from "./job/selector.ts";
import { validateJobStatus } from "./job/status-validation.ts";
import { validateJob, validateJobUpdate, warnJob } from "./job/validation.ts";

export type { Job } from "./job/schema.ts";

export const job = defineKind({
  group: "batch",
  version: "v1",
  kind: "Job",
  resource: "jobs",
  scope: "Namespaced",
  categories: ["all"],
  schema: jobSchema,
  unconditionalUpdate: true,
  generation: true,
  orphanByDefault: "warn",
  rowFields: rowFields(
    "metadata.deletionTimestamp",
    "spec.completions",
    "spec.parallelism",
    "spec.selector",
    ...containerFields("spec.template.spec"),
    "status.conditions.type",
    "status.conditions.status",
    "status.succeeded",
    "status.startTime",
    "status.completionTime",
  ),
  columns: [
    NAME_COLUMN,
    { name: "Status", type: "string", cell: jobStatusCell },
    { name: "Completions", type: "string", cell: jobCompletionsCell },
    { name: "Duration", type: "string", cell: jobDurationCell },
    AGE_COLUMN,
    ...containerColumns<Job>((job) => job.spec.template),
    { name: "Selector", type: "string", priority: 1, cell: (job) => selectorCell(job.spec.selector) },
  ],
  selectableFields: { "status.successful": (job) => String(job.status.succeeded ?? 0) },
  fieldsFrom: [["status", "succeeded"]],
  refusesField: (field) => `field label ${JSON.stringify(field)} not supported for Job`,
  subresources: { status: { ...statusSubresource<Job>(), validateUpdate: validateJobStatus } },
  hooks: {
    default: defaultJob,
    prepareForCreate(job, { names }) {
      generateSelector(job, names);
      job.status = {};
    },
    prepareForUpdate: keepStatus,
    validate: (job, context) => validateJob(job, context),
    validateUpdate: validateJobUpdate,
    // After validation: a label of the pods that is wrong is wrong there, not in both places.
    canonicalize: labelAsPods,
    warn: warnJob,
  },
});
