// DaemonSet: runs one pod on every node that fits.

import { append } from "../../base/append.ts";
import { equalJson } from "../../base/json.ts";
import { withMembers } from "../../base/json-in-steps.ts";
import type { Steps } from "../../base/steps.ts";
import { type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import { type ObjectOf, opt, ptr, s } from "../../schema/builder.ts";
import { checkFields, NOT_NEGATIVE } from "../../schema/check-fields.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { labelsText, selectorCell } from "../cells/selectors.ts";
import { containerColumns } from "../cells/workloads.ts";
import { defaultPodTemplate } from "../core/pod/defaults.ts";
import { podTemplateSpec } from "../core/pod/template-schema.ts";
import { warnPodTemplate } from "../core/pod/warnings.ts";
import { defineKind, type HookContext } from "../define-kind.ts";
import { aspectMembers } from "../meta/condition.ts";
import { internalForm } from "../meta/internal-form.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { validateLabelSelector } from "../meta/selector-validation.ts";
import { checkNotNegative } from "../meta/value-checks.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";
import {
  checkAmount,
  checkAtMostAll,
  checkCollisionCount,
  checkImmutable,
  checkRunningTemplate,
  checkSelectsTemplate,
  isEmptySelector,
  isNothing,
} from "./workload-validation.ts";

export type DaemonSet = ObjectOf<typeof daemonSetSchema>;

const daemonSetSchema = objectSchema("apps.v1.DaemonSet", "Runs one pod on every node that fits.", () => ({
  spec: opt.of(daemonSetSpec, 2, "What shall run on the nodes."),
  status: opt.of(daemonSetStatus, 3, "How far that has come; written by the controller."),
}));

export const daemonSet = defineKind({
  group: "apps",
  version: "v1",
  kind: "DaemonSet",
  resource: "daemonsets",
  scope: "Namespaced",
  shortNames: ["ds"],
  categories: ["all"],
  schema: daemonSetSchema,
  unconditionalUpdate: true,
  generation: true,
  fieldAnnotations: () => [TEMPLATE_GENERATION],
  columns: [
    NAME_COLUMN,
    { name: "Desired", type: "integer", cell: (set) => set.status.desiredNumberScheduled },
    { name: "Current", type: "integer", cell: (set) => set.status.currentNumberScheduled },
    { name: "Ready", type: "integer", cell: (set) => set.status.numberReady },
    { name: "Up-to-date", type: "integer", cell: (set) => set.status.updatedNumberScheduled ?? 0 },
    { name: "Available", type: "integer", cell: (set) => set.status.numberAvailable ?? 0 },
    { name: "Node Selector", type: "string", cell: (set) => labelsText(set.spec.template.spec.nodeSelector) },
    AGE_COLUMN,
    ...containerColumns<DaemonSet>((set) => set.spec.template),
    { name: "Selector", type: "string", priority: 1, cell: (set) => selectorCell(set.spec.selector) },
  ],
  subresources: {
    status: { ...statusSubresource<DaemonSet>({}, keepTemplateGeneration), validateUpdate: validateDaemonSetStatus },
  },
  hooks: {
    default: defaultDaemonSet,
    prepareForCreate,
    prepareForUpdate,
    validate: (set, context) => validateDaemonSet(set, context),
    validateUpdate: validateDaemonSetUpdate,
    warn: warnDaemonSet,
  },
});

const daemonSetSpec = s.struct("apps.v1.DaemonSetSpec", "What runs on every node.", () => ({
  selector: s.of(
    labelSelector,
    1,
    "Which pods belong to the daemon set; the template's labels must match. Cannot change.",
    { pointer: true },
  ),
  template: s.of(podTemplateSpec, 2, "The pod that runs on each node that its node selector and tolerations allow."),
  updateStrategy: opt.of(daemonSetUpdateStrategy, 3, "How running pods are replaced when the template changes."),
  minReadySeconds: opt.int32(
    4,
    "Seconds that a new pod must be ready without a crash before it counts as available; 0 means at once.",
  ),
  revisionHistoryLimit: ptr.int32(6, "How many old revisions are kept to roll back to; 10 if not set."),
}));

type DaemonSetUpdateStrategy = ObjectOf<typeof daemonSetUpdateStrategy>;

const daemonSetUpdateStrategy = s.struct(
  "apps.v1.DaemonSetUpdateStrategy",
  "How pods are replaced when the template changes.",
  () => ({
    type: opt.enumOf(
      "DaemonSetUpdateStrategyType",
      ["OnDelete", "RollingUpdate"],
      1,
      "RollingUpdate (the default) replaces pods step by step; OnDelete only those that somebody deletes.",
    ),
    rollingUpdate: ptr.of(rollingUpdateDaemonSet, 2, "The pace of a rolling update; only with type RollingUpdate."),
  }),
);

const rollingUpdateDaemonSet = s.struct(
  "apps.v1.RollingUpdateDaemonSet",
  "The pace of a rolling update: exactly one of the two limits is above zero.",
  () => ({
    maxUnavailable: ptr.intOrString(
      1,
      "Nodes that may be without an available pod during an update: a number, or a percentage rounded up. 1 if not set.",
    ),
    maxSurge: ptr.intOrString(
      2,
      "Nodes that may run the new pod beside the old one during an update: a number, or a percentage rounded up. 0 if not set.",
    ),
  }),
);

const daemonSetStatus = s.struct("apps.v1.DaemonSetStatus", "How far a daemon set has come.", () => ({
  currentNumberScheduled: s.int32(1, "Nodes that run a pod of the set and shall run one.", { must: NOT_NEGATIVE }),
  numberMisscheduled: s.int32(2, "Nodes that run a pod of the set although they shall not.", { must: NOT_NEGATIVE }),
  desiredNumberScheduled: s.int32(3, "Nodes that shall run a pod of the set.", { must: NOT_NEGATIVE }),
  numberReady: s.int32(4, "Nodes that shall run a pod and have one that is ready.", { must: NOT_NEGATIVE }),
  observedGeneration: opt.int64(5, "The generation of the spec that this status describes.", { must: NOT_NEGATIVE }),
  updatedNumberScheduled: opt.int32(6, "Nodes that run a pod of the current template.", { must: NOT_NEGATIVE }),
  numberAvailable: opt.int32(7, "Nodes with a pod that has been ready for at least minReadySeconds.", {
    must: NOT_NEGATIVE,
  }),
  numberUnavailable: opt.int32(8, "Nodes that shall run a pod but have none that is available.", {
    must: NOT_NEGATIVE,
  }),
  collisionCount: ptr.int32(
    9,
    "How often the name of a new revision was already taken; keeps the hashes in names unique.",
    { must: NOT_NEGATIVE },
  ),
  conditions: opt.listBy("type", daemonSetCondition, 10, "The present state by aspect."),
}));

const daemonSetCondition = s.struct("apps.v1.DaemonSetCondition", "One aspect of the state of a daemon set.", () =>
  aspectMembers("DaemonSetConditionType", "The aspect that is reported."),
);

const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

function* defaultDaemonSet(set: DaemonSet, context: HookContext): Steps<void> {
  const { spec } = set;
  // It is always there, so that whoever writes the set owns it.
  yield* setTemplateGeneration(set, templateGeneration(set));
  spec.updateStrategy.type ||= "RollingUpdate";
  if (spec.updateStrategy.type === "RollingUpdate") {
    spec.updateStrategy.rollingUpdate ??= {};
    spec.updateStrategy.rollingUpdate.maxUnavailable ??= 1;
    spec.updateStrategy.rollingUpdate.maxSurge ??= 0;
  } else if (spec.updateStrategy.rollingUpdate) {
    // The limits are numbers where they mean nothing, too.
    spec.updateStrategy.rollingUpdate.maxUnavailable ??= 0;
    spec.updateStrategy.rollingUpdate.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= 10;
  const filling = defaultPodTemplate(spec.template, context);
  if (typeof filling === "object") yield* filling;
}

function* prepareForCreate(set: DaemonSet): Steps<void> {
  set.status = { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 };
  yield* setTemplateGeneration(set, Math.max(1, templateGeneration(set)));
}

function* prepareForUpdate(set: DaemonSet, old: DaemonSet): Steps<void> {
  keepStatus(set, old);
  const hasChanged = !equalJson(set.spec.template, old.spec.template);
  yield* setTemplateGeneration(set, templateGeneration(old) + (hasChanged ? 1 : 0));
}

/** It tells of the spec: annotations that come with a status do not change it. */
function keepTemplateGeneration(set: DaemonSet, old: DaemonSet): Steps<void> {
  return setTemplateGeneration(set, templateGeneration(old));
}

function templateGeneration({ metadata }: DaemonSet): number {
  const text = metadata.annotations?.[TEMPLATE_GENERATION] ?? "";
  return /^-?[0-9]{1,15}$/.test(text) ? Number(text) : 0;
}

function* setTemplateGeneration({ metadata }: DaemonSet, generation: number): Steps<void> {
  metadata.annotations = yield* withMembers(metadata.annotations ?? {}, { [TEMPLATE_GENERATION]: String(generation) });
}

function* validateDaemonSet({ spec }: DaemonSet, context: HookContext, old?: DaemonSet): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  const { selector, template } = spec;
  // Without a selector nothing is selected, and that is all that upstream says about it.
  if (selector) append(errors, validateLabelSelector(selector, "spec.selector"));
  if (errors.length === 0) checkSelectsTemplate(selector, template, "spec.template", errors);
  if (selector && isEmptySelector(selector)) {
    errors.push(invalid("spec.selector", selector, "empty selector is invalid for daemonset"));
  }
  yield* checkRunningTemplate(template, "spec.template", "DaemonSet", context, old?.spec.template, errors);
  checkNotNegative(errors, "spec.minReadySeconds", spec.minReadySeconds);
  checkStrategy(spec.updateStrategy, "spec.updateStrategy", errors);
  checkNotNegative(errors, "spec.revisionHistoryLimit", spec.revisionHistoryLimit);
  return errors;
}

function* validateDaemonSetUpdate(set: DaemonSet, old: DaemonSet, context: HookContext): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  checkImmutable(set.spec.selector, old.spec.selector, "spec.selector", errors);
  return [...errors, ...(yield* validateDaemonSet(set, context, old))];
}

function validateDaemonSetStatus({ status }: DaemonSet, old: DaemonSet): FieldError[] {
  const errors: FieldError[] = [];
  checkFields(status, daemonSetStatus, "status", errors);
  checkCollisionCount(status, old.status, errors);
  return errors;
}

function warnDaemonSet({ spec }: DaemonSet, old: DaemonSet | undefined, context: HookContext): string[] {
  if (old !== undefined && equalJson(spec.template, old.spec.template)) return [];
  return warnPodTemplate(spec.template, "spec.template", context);
}

function checkStrategy(strategy: DaemonSetUpdateStrategy, at: string, errors: FieldError[]): void {
  const { type, rollingUpdate } = strategy;
  if (type === "OnDelete") return;
  if (type !== "RollingUpdate") {
    errors.push(notSupported(at, internalForm(strategy, daemonSetUpdateStrategy), ["RollingUpdate", "OnDelete"]));
    return;
  }
  if (!rollingUpdate) {
    errors.push(required(`${at}.rollingUpdate`));
    return;
  }
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate;
  const unavailable = `${at}.rollingUpdate.maxUnavailable`;
  const surge = `${at}.rollingUpdate.maxSurge`;
  checkAmount(maxUnavailable, unavailable, errors);
  checkAmount(maxSurge, surge, errors);
  checkAtMostAll(maxUnavailable, unavailable, errors);
  checkAtMostAll(maxSurge, surge, errors);
  if (isNothing(maxUnavailable) && isNothing(maxSurge)) {
    errors.push(required(unavailable, "cannot be 0 when maxSurge is 0"));
  } else if (!isNothing(maxUnavailable) && !isNothing(maxSurge)) {
    errors.push(invalid(surge, maxSurge, "may not be set when maxUnavailable is non-zero"));
  }
}
