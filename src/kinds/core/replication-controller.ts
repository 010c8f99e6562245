// ReplicationController: keeps a number of pods running; ReplicaSet and Deployment have taken its place.

import { append } from "../../base/append.ts";
import type { Steps } from "../../base/steps.ts";
import { type FieldError, forbiddenField, invalid, notSupported, required } from "../../meta/field-error.ts";
import { dns1123LabelProblems } from "../../meta/name-formats.ts";
import { type ObjectOf, opt, ptr, s } from "../../schema/builder.ts";
import { checkFields, NOT_NEGATIVE } from "../../schema/check-fields.ts";
import { labelsText } from "../cells/selectors.ts";
import { replicaColumns, replicaRowFields } from "../cells/workloads.ts";
import { defineKind, type HookContext } from "../define-kind.ts";
import { reportMembers } from "../meta/condition.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { checkNotNegative } from "../meta/value-checks.ts";
import { keepStatus, scaleSubresource, statusSubresource } from "../subresources.ts";
import { defaultPodTemplate } from "./pod/defaults.ts";
import { podTemplateSpec } from "./pod/template-schema.ts";
import { validatePodTemplateSpec } from "./pod/template-validation.ts";
import { warnName, warnPodTemplate } from "./pod/warnings.ts";

export type ReplicationController = ObjectOf<typeof replicationControllerSchema>;

const replicationControllerSchema = objectSchema(
  "core.v1.ReplicationController",
  "Keeps a number of pods running; ReplicaSet and Deployment have taken its place.",
  () => ({
    spec: opt.of(replicationControllerSpec, 2, "What the controller shall keep running."),
    status: opt.of(replicationControllerStatus, 3, "What runs now."),
  }),
);

export const replicationController = defineKind({
  group: "",
  version: "v1",
  kind: "ReplicationController",
  resource: "replicationcontrollers",
  scope: "Namespaced",
  shortNames: ["rc"],
  categories: ["all"],
  schema: replicationControllerSchema,
  storagePrefix: "controllers",
  unconditionalUpdate: true,
  generation: true,
  orphanByDefault: true,
  rowFields: replicaRowFields(),
  columns: replicaColumns<ReplicationController>(
    ({ spec }) => spec.template ?? { spec: { containers: null } },
    ({ spec }) => labelsText(spec.selector),
  ),
  selectableFields: { "status.replicas": (controller) => String(controller.status.replicas ?? 0) },
  subresources: {
    scale: scaleSubresource<ReplicationController>(({ spec }) => labelsQuery(spec.selector)),
    status: { ...statusSubresource<ReplicationController>(), validateUpdate: validateReplicationControllerStatus },
  },
  hooks: {
    default(controller, context) {
      const { spec, metadata } = controller;
      const labels = spec.template?.metadata.labels;
      if (labels !== undefined) {
        if (isEmpty(spec.selector)) spec.selector = { ...labels };
        if (isEmpty(metadata.labels)) metadata.labels = { ...labels };
      }
      spec.replicas ??= 1;
      return spec.template && defaultPodTemplate(spec.template, context);
    },
    prepareForCreate(controller) {
      controller.status = { replicas: 0 };
    },
    prepareForUpdate: keepStatus,
    validate: (controller, context) => validateReplicationController(controller, context),
    validateUpdate: validateReplicationControllerUpdate,
    warn: warnReplicationController,
  },
});

const isEmpty = (labels: object | undefined): boolean => labels === undefined || Object.keys(labels).length === 0;
const labelsQuery = (labels: Record<string, string> | undefined): string => (isEmpty(labels) ? "" : labelsText(labels));

const replicationControllerSpec = s.struct(
  "core.v1.ReplicationControllerSpec",
  "What a replication controller shall keep running.",
  () => ({
    replicas: ptr.int32(1, "How many pods shall run. Not set, 1.", { default: 1 }),
    minReadySeconds: opt.int32(
      4,
      "Seconds that a pod must be ready, with no container failing, to count as available. Not set, 0.",
      { publishedDefault: 0 },
    ),
    selector: opt.map("string", 2, "Labels of the pods that are counted. Not set, those of the template.", {
      mapType: "atomic",
    }),
    template: ptr.of(
      podTemplateSpec,
      3,
      "The pods that are made when there are too few. Their restart policy must be `Always`.",
    ),
  }),
);

const replicationControllerStatus = s.struct(
  "core.v1.ReplicationControllerStatus",
  "What runs for a replication controller now.",
  () => ({
    replicas: s.int32(1, "How many pods there are.", { must: NOT_NEGATIVE }),
    fullyLabeledReplicas: opt.int32(2, "How many of them have all labels of the template.", { must: NOT_NEGATIVE }),
    readyReplicas: opt.int32(4, "How many of them are ready.", { must: NOT_NEGATIVE }),
    availableReplicas: opt.int32(5, "How many of them have been ready for `minReadySeconds`.", { must: NOT_NEGATIVE }),
    observedGeneration: opt.int64(3, "Generation of the object at which this status was written.", {
      must: NOT_NEGATIVE,
    }),
    conditions: opt.listBy(
      "type",
      replicationControllerCondition,
      6,
      "What is known of the controller, such as a failure to create pods.",
    ),
  }),
);

const replicationControllerCondition = s.struct(
  "core.v1.ReplicationControllerCondition",
  "One aspect of the state of a replication controller.",
  () => reportMembers("ReplicationControllerConditionType", "What is told, for example `ReplicaFailure`."),
);

function* validateReplicationController(
  { spec }: ReplicationController,
  context: HookContext,
  old?: ReplicationController,
): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  checkNotNegative(errors, "spec.minReadySeconds", spec.minReadySeconds);
  const selector = spec.selector ?? {};
  const isEmpty = Object.keys(selector).length === 0;
  if (isEmpty) errors.push(required("spec.selector"));
  if (spec.replicas === undefined) errors.push(required("spec.replicas"));
  checkNotNegative(errors, "spec.replicas", spec.replicas);
  const at = "spec.template";
  const { template } = spec;
  if (!template) {
    errors.push(required(at));
    return errors;
  }
  const { labels } = template.metadata;
  const matches = Object.entries(selector).every(
    ([key, value]) => labels !== undefined && Object.hasOwn(labels, key) && labels[key] === value,
  );
  if (!matches) {
    errors.push(invalid(`${at}.metadata.labels`, labels ?? null, "`selector` does not match template `labels`"));
  }
  append(errors, yield* validatePodTemplateSpec(template, at, context, old?.spec.template));
  const { restartPolicy = "", activeDeadlineSeconds } = template.spec;
  if (restartPolicy !== "Always") errors.push(notSupported(`${at}.spec.restartPolicy`, restartPolicy, ["Always"]));
  if (activeDeadlineSeconds !== undefined) {
    const detail = "activeDeadlineSeconds in ReplicationController is not Supported";
    errors.push(forbiddenField(`${at}.spec.activeDeadlineSeconds`, detail));
  }
  return errors;
}

function* validateReplicationControllerUpdate(
  controller: ReplicationController,
  old: ReplicationController,
  context: HookContext,
): Steps<FieldError[]> {
  const errors = yield* validateReplicationController(controller, context, old);
  // Upstream judges the controller, and then the change, which is all of it.
  return [...errors, ...errors];
}

const PARTS = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"] as const;

function validateReplicationControllerStatus({ status }: ReplicationController): FieldError[] {
  const errors: FieldError[] = [];
  checkFields(status, replicationControllerStatus, "status", errors);
  for (const name of PARTS) {
    const count = status[name] ?? 0;
    if (count > status.replicas)
      errors.push(invalid(`status.${name}`, count, "cannot be greater than status.replicas"));
  }
  const available = status.availableReplicas ?? 0;
  if (available > (status.readyReplicas ?? 0)) {
    errors.push(invalid("status.availableReplicas", available, "cannot be greater than readyReplicas"));
  }
  return errors;
}

function warnReplicationController(
  { metadata, spec }: ReplicationController,
  old: ReplicationController | undefined,
  context: HookContext,
): string[] {
  if (old !== undefined && metadata.generation === old.metadata.generation) return [];
  const warnings = old === undefined ? warnName(metadata.name ?? "", dns1123LabelProblems) : [];
  // On a change upstream looks at the template as it was.
  const { template } = (old ?? { spec }).spec;
  if (template) append(warnings, warnPodTemplate(template, "spec.template", context));
  return warnings;
}
