// PriorityLevelConfiguration: how many requests of one level run at a time, and how the rest waits.

import { equalJson } from "../../base/json.ts";
import { type FieldError, forbiddenField, invalid, required } from "../../meta/field-error.ts";
import { type ObjectOf, opt, s, shown } from "../../schema/builder.ts";
import { checkFields } from "../../schema/check-fields.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind } from "../define-kind.ts";
import { internalForm } from "../meta/internal-form.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { addProblems } from "../meta/value-checks.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";
import { checkConditionTypes } from "./flow-schema.ts";
import { CATCH_ALL, CATCH_ALL_LEVEL, EXEMPT } from "./mandatory.ts";
import {
  exemptPriorityLevelConfiguration,
  type LimitedPriorityLevelConfiguration,
  type LimitResponse,
  limitedPriorityLevelConfiguration,
  limitResponse,
  type PriorityLevelConfigurationSpec,
  priorityLevelConfigurationSpec,
  type QueuingConfiguration,
  queuingConfiguration,
} from "./priority-level-spec.ts";

export type PriorityLevelConfiguration = ObjectOf<typeof priorityLevelConfigurationSchema>;

const priorityLevelConfigurationSchema = objectSchema(
  "flowcontrol.v1.PriorityLevelConfiguration",
  "How many requests of one level run at a time, and how the rest waits.",
  () => ({
    spec: opt.of(priorityLevelConfigurationSpec, 2, "The limits of the level."),
    status: opt.of(priorityLevelConfigurationStatus, 3, "How the server takes this level."),
  }),
);

export const priorityLevelConfiguration = defineKind({
  group: "flowcontrol.apiserver",
  version: "v1",
  kind: "PriorityLevelConfiguration",
  resource: "prioritylevelconfigurations",
  scope: "Cluster",
  schema: priorityLevelConfigurationSchema,
  unconditionalUpdate: true,
  generation: true,
  columns: [
    NAME_COLUMN,
    { name: "Type", type: "string", cell: ({ spec }) => spec.type },
    {
      name: "NominalConcurrencyShares",
      type: "string",
      cell: ({ spec }) => spec.limited?.nominalConcurrencyShares ?? "<none>",
    },
    { name: "Queues", type: "string", cell: (level) => queuing(level)?.queues ?? "<none>" },
    { name: "HandSize", type: "string", cell: (level) => queuing(level)?.handSize ?? "<none>" },
    { name: "QueueLengthLimit", type: "string", cell: (level) => queuing(level)?.queueLengthLimit ?? "<none>" },
    AGE_COLUMN,
  ],
  subresources: {
    status: {
      ...statusSubresource<PriorityLevelConfiguration>({
        keepMetadata: true,
        resetFields: [["metadata"], ["spec"]],
      }),
      validateUpdate: validatePriorityLevel,
    },
  },
  hooks: {
    default: defaultPriorityLevel,
    prepareForCreate(level) {
      level.status = {};
    },
    prepareForUpdate: keepStatus,
    validate: validatePriorityLevel,
    validateUpdate: validatePriorityLevel,
  },
});

const queuing = ({ spec }: PriorityLevelConfiguration) => spec.limited?.limitResponse.queuing;

const priorityLevelConfigurationStatus = s.struct(
  "flowcontrol.v1.PriorityLevelConfigurationStatus",
  "How the server takes a level.",
  () => ({
    conditions: opt.listBy(
      "type",
      priorityLevelConfigurationCondition,
      1,
      "Observations of the server about the level.",
    ),
  }),
);

const priorityLevelConfigurationCondition = s.struct(
  "flowcontrol.v1.PriorityLevelConfigurationCondition",
  "One observation about a priority level.",
  () => ({
    type: opt.named("PriorityLevelConfigurationConditionType", 1, "What is observed."),
    status: opt.named("ConditionStatus", 2, "True, False or Unknown."),
    lastTransitionTime: shown.time(3, "When the status last became another one."),
    reason: opt.string(4, "Why the status is what it is, as one CamelCase word for programs."),
    message: opt.string(5, "What was observed, for people."),
  }),
);

const SHARES = 30;
const QUEUES = 64;
const HAND_SIZE = 8;
const QUEUE_LENGTH = 50;

function defaultPriorityLevel({ spec }: PriorityLevelConfiguration): void {
  if (spec.exempt) {
    spec.exempt.nominalConcurrencyShares ??= 0;
    spec.exempt.lendablePercent ??= 0;
  }
  if (!spec.limited) return;
  spec.limited.nominalConcurrencyShares ??= SHARES;
  spec.limited.lendablePercent ??= 0;
  const { queuing } = spec.limited.limitResponse;
  if (!queuing) return;
  queuing.queues ||= QUEUES;
  queuing.handSize ||= HAND_SIZE;
  queuing.queueLengthLimit ||= QUEUE_LENGTH;
}

/** Shuffle sharding takes its hand from a hash of this many bits. */
const MAX_HASH_BITS = 60;

function validatePriorityLevel({ metadata, spec, status }: PriorityLevelConfiguration): FieldError[] {
  const errors: FieldError[] = [];
  const name = metadata.name ?? "";
  checkSpec(spec, name, errors);
  checkMandatory(spec, name, errors);
  checkConditionTypes(status.conditions ?? [], errors);
  return errors;
}

function checkSpec(spec: PriorityLevelConfigurationSpec, name: string, errors: FieldError[]): void {
  if ((name === EXEMPT) !== (spec.type === "Exempt")) {
    errors.push(invalid("spec.type", spec.type, "must be 'Exempt' if and only if `name` is 'exempt'"));
  }
  switch (spec.type) {
    case "Exempt":
      if (spec.limited) errors.push(forbiddenField("spec.limited", "must be nil if the type is not Limited"));
      if (spec.exempt) checkFields(spec.exempt, exemptPriorityLevelConfiguration, "spec.exempt", errors);
      return;
    case "Limited":
      if (spec.exempt) errors.push(forbiddenField("spec.exempt", "must be nil if the type is Limited"));
      if (spec.limited) checkLimited(spec.limited, errors);
      else errors.push(required("spec.limited", "must not be empty when type is Limited"));
      return;
    default:
      checkFields(spec, priorityLevelConfigurationSpec, "spec", errors, ["type"]);
  }
}

function checkMandatory(spec: PriorityLevelConfigurationSpec, name: string, errors: FieldError[]): void {
  const say = (detail: string) =>
    errors.push(invalid("spec", internalForm(spec, priorityLevelConfigurationSpec), detail));
  if (name === EXEMPT && (spec.type !== "Exempt" || spec.limited)) {
    say(`spec of '${name}' except the 'spec.exempt' field must equal the fixed value`);
  }
  if (name === CATCH_ALL && !equalJson(spec, CATCH_ALL_LEVEL)) say(`spec of '${name}' must equal the fixed value`);
}

function checkLimited(limited: LimitedPriorityLevelConfiguration, errors: FieldError[]): void {
  const [struct, at] = [limitedPriorityLevelConfiguration, "spec.limited"];
  checkFields(limited, struct, at, errors, ["nominalConcurrencyShares"]);
  checkResponse(limited.limitResponse, `${at}.limitResponse`, errors);
  checkFields(limited, struct, at, errors, ["lendablePercent", "borrowingLimitPercent"]);
}

function checkResponse(response: LimitResponse, at: string, errors: FieldError[]): void {
  const { type, queuing } = response;
  const field = `${at}.queuing`;
  switch (type) {
    case "Reject":
      if (queuing) errors.push(forbiddenField(field, "must be nil if limited.limitResponse.type is not Limited"));
      return;
    case "Queue":
      if (queuing) checkQueuing(queuing, field, errors);
      else errors.push(required(field, "must not be empty if limited.limitResponse.type is Limited"));
      return;
    default:
      checkFields(response, limitResponse, at, errors, ["type"]);
  }
}

function checkQueuing(queuing: QueuingConfiguration, at: string, errors: FieldError[]): void {
  checkFields(queuing, queuingConfiguration, at, errors, ["queueLengthLimit", "queues"]);
  addProblems(errors, `${at}.handSize`, queuing.handSize, handProblems(queuing));
}

function handProblems({ queues, handSize }: QueuingConfiguration): string[] {
  if (handSize <= 0) return ["must be positive"];
  if (handSize > queues) return [`should not be greater than queues (${queues})`];
  if (Math.ceil(Math.log2(queues) * handSize) <= MAX_HASH_BITS) return [];
  const sizes = `deckSize ${queues} and handSize ${handSize}`;
  return [`required entropy bits of ${sizes} should not be greater than ${MAX_HASH_BITS}`];
}
