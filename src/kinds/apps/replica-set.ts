// ReplicaSet: keeps a number of equal pods running.

import type { Steps } from "../../base/steps.ts";
import { type FieldError, invalid } from "../../meta/field-error.ts";
import { type ObjectOf, opt, ptr, s } from "../../schema/builder.ts";
import { checkFields, NOT_NEGATIVE } from "../../schema/check-fields.ts";
import { selectorCell, selectorText } from "../cells/selectors.ts";
import { replicaColumns, replicaRowFields } from "../cells/workloads.ts";
import { defaultPodTemplate } from "../core/pod/defaults.ts";
import { podTemplateSpec } from "../core/pod/template-schema.ts";
import { defineKind, type HookContext } from "../define-kind.ts";
import { aspectMembers } from "../meta/condition.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { keepStatus, scaleSubresource, statusSubresource } from "../subresources.ts";
import {
  checkAvailable,
  checkCounters,
  checkImmutable,
  checkParts,
  checkRunningTemplate,
  checkSelector,
  checkSelectsTemplate,
  warnWorkload,
} from "./workload-validation.ts";

export type ReplicaSet = ObjectOf<typeof replicaSetSchema>;

const replicaSetSchema = objectSchema(
  "apps.v1.ReplicaSet",
  "Keeps a number of equal pods running. Usually a deployment makes and owns it.",
  () => ({
    spec: opt.of(replicaSetSpec, 2, "Which pods shall run, and how many."),
    status: opt.of(replicaSetStatus, 3, "How many there are; written by the controller, a little late."),
  }),
);

export const replicaSet = defineKind({
  group: "apps",
  version: "v1",
  kind: "ReplicaSet",
  resource: "replicasets",
  scope: "Namespaced",
  shortNames: ["rs"],
  categories: ["all"],
  schema: replicaSetSchema,
  unconditionalUpdate: true,
  generation: true,
  rowFields: replicaRowFields(),
  columns: replicaColumns<ReplicaSet>(
    ({ spec }) => spec.template,
    ({ spec }) => selectorCell(spec.selector),
  ),
  subresources: {
    scale: scaleSubresource<ReplicaSet>(({ spec }) => selectorText(spec.selector)),
    status: { ...statusSubresource<ReplicaSet>(), validateUpdate: validateReplicaSetStatus },
  },
  hooks: {
    default({ spec }, context) {
      spec.replicas ??= 1;
      return defaultPodTemplate(spec.template, context);
    },
    prepareForCreate(set) {
      set.status = { replicas: 0 };
    },
    prepareForUpdate: keepStatus,
    validate: (set, context) => validateReplicaSet(set, context),
    validateUpdate: validateReplicaSetUpdate,
    warn: warnWorkload,
  },
});

const replicaSetSpec = s.struct("apps.v1.ReplicaSetSpec", "Which pods, and how many.", () => ({
  replicas: ptr.int32(1, "How many pods shall run; 1 if not set, 0 stops all.", { must: NOT_NEGATIVE }),
  minReadySeconds: opt.int32(
    4,
    "Seconds that a new pod must be ready without a crash before it counts as available; 0 means at once.",
    { must: NOT_NEGATIVE },
  ),
  selector: s.of(labelSelector, 2, "Which pods belong to the set; the template's labels must match. Cannot change.", {
    pointer: true,
  }),
  template: opt.of(
    podTemplateSpec,
    3,
    "The pod to create when there are too few; existing pods keep what they were made from.",
  ),
}));

const replicaSetStatus = s.struct("apps.v1.ReplicaSetStatus", "How many pods a replica set has.", () => ({
  replicas: s.int32(1, "Pods of the set that are not ending."),
  fullyLabeledReplicas: opt.int32(2, "Pods that carry all labels of the template."),
  readyReplicas: opt.int32(4, "Pods that are ready."),
  availableReplicas: opt.int32(5, "Pods that have been ready for at least minReadySeconds."),
  terminatingReplicas: ptr.int32(7, "Pods that are ending but not yet gone.", {
    gate: "DeploymentReplicaSetTerminatingReplicas",
  }),
  observedGeneration: opt.int64(3, "The generation of the spec that this status describes."),
  conditions: opt.listBy("type", replicaSetCondition, 6, "The present state by aspect."),
}));

const replicaSetCondition = s.struct("apps.v1.ReplicaSetCondition", "One aspect of the state of a replica set.", () =>
  aspectMembers("ReplicaSetConditionType", "The aspect that is reported, such as ReplicaFailure."),
);

function* validateReplicaSet({ spec }: ReplicaSet, context: HookContext, old?: ReplicaSet): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  checkFields(spec, replicaSetSpec, "spec", errors);
  // Upstream says deployment here too.
  if (checkSelector(spec.selector, "spec.selector", "deployment", errors)) {
    checkSelectsTemplate(spec.selector, spec.template, "spec.template", errors);
    yield* checkRunningTemplate(spec.template, "spec.template", "ReplicaSet", context, old?.spec.template, errors);
  } else errors.push(invalid("spec.selector", spec.selector, "invalid label selector"));
  return errors;
}

function* validateReplicaSetUpdate(set: ReplicaSet, old: ReplicaSet, context: HookContext): Steps<FieldError[]> {
  const errors = yield* validateReplicaSet(set, context, old);
  checkImmutable(set.spec.selector, old.spec.selector, "spec.selector", errors);
  return errors;
}

const COUNTERS = [
  "replicas",
  "fullyLabeledReplicas",
  "readyReplicas",
  "availableReplicas",
  "observedGeneration",
  "terminatingReplicas",
];

function validateReplicaSetStatus({ status }: ReplicaSet): FieldError[] {
  const errors: FieldError[] = [];
  checkCounters(status, COUNTERS, errors);
  checkParts(status, ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"], errors);
  checkAvailable(status, "cannot be greater than readyReplicas", errors);
  return errors;
}
