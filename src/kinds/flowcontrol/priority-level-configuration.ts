// PriorityLevelConfiguration: how many requests of one level run at a time, and how the rest waits.

import { equalJson } from "../../base/json.ts";
import { type FieldError, forbiddenField, invalid, notSupported, required } from "../../meta/field-error.ts";
import { rangeMessage } from "../../meta/name-formats.ts";
import { type ObjectOf, opt, s, shown } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind } from "../define-kind.ts";
import { internalForm } from "../meta/internal-form.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";
import { checkConditionTypes } from "./flow-schema.ts";
import { CATCH_ALL, CATCH_ALL_LEVEL, EXEMPT } from "./mandatory.ts";
import {
  type ExemptPriorityLevelConfiguration,
  type LimitedPriorityLevelConfiguration,
  type LimitResponse,
  type PriorityLevelConfigurationSpec,
  priorityLevelConfigurationSpec,
  type QueuingConfiguration,
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
      cell: ({ spec }) => (spec.limited ?? spec.exempt)?.nominalConcurrencyShares ?? "<none>",
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

const MAX_QUEUES = 10_000_000;
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
      if (spec.exempt) checkExempt(spec.exempt, errors);
      return;
    case "Limited":
      if (spec.exempt) errors.push(forbiddenField("spec.exempt", "must be nil if the type is Limited"));
      if (spec.limited) checkLimited(spec.limited, errors);
      else errors.push(required("spec.limited", "must not be empty when type is Limited"));
      return;
    default:
      errors.push(notSupported("spec.type", spec.type, ["Exempt", "Limited"]));
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

function checkExempt(exempt: ExemptPriorityLevelConfiguration, errors: FieldError[]): void {
  checkShares(exempt.nominalConcurrencyShares, "spec.exempt.nominalConcurrencyShares", errors);
  checkPercent(exempt.lendablePercent, "spec.exempt.lendablePercent", errors);
}

function checkLimited(limited: LimitedPriorityLevelConfiguration, errors: FieldError[]): void {
  checkShares(limited.nominalConcurrencyShares ?? undefined, "spec.limited.nominalConcurrencyShares", errors);
  checkResponse(limited.limitResponse, "spec.limited.limitResponse", errors);
  checkPercent(limited.lendablePercent, "spec.limited.lendablePercent", errors);
  const borrowed = limited.borrowingLimitPercent;
  if (borrowed !== undefined && borrowed < 0) {
    const detail = "if specified, must be a non-negative integer";
    errors.push(invalid("spec.limited.borrowingLimitPercent", borrowed, detail));
  }
}

function checkShares(shares: number | undefined, field: string, errors: FieldError[]): void {
  if (shares !== undefined && shares < 0) errors.push(invalid(field, shares, "must be a non-negative integer"));
}

function checkPercent(percent: number | undefined, field: string, errors: FieldError[]): void {
  if (percent === undefined || (percent >= 0 && percent <= 100)) return;
  errors.push(invalid(field, percent, rangeMessage(0, 100)));
}

function checkResponse({ type, queuing }: LimitResponse, at: string, errors: FieldError[]): void {
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
      errors.push(notSupported(`${at}.type`, type, ["Queue", "Reject"]));
  }
}

function checkQueuing({ queues, handSize, queueLengthLimit }: QueuingConfiguration, at: string, errors: FieldError[]) {
  const say = (key: string, value: number, detail: string) => errors.push(invalid(`${at}.${key}`, value, detail));
  if (queueLengthLimit <= 0) say("queueLengthLimit", queueLengthLimit, "must be positive");
  if (queues <= 0) say("queues", queues, "must be positive");
  else if (queues > MAX_QUEUES) say("queues", queues, `must not be greater than ${MAX_QUEUES}`);
  if (handSize <= 0) say("handSize", handSize, "must be positive");
  else if (handSize > queues) say("handSize", handSize, `should not be greater than queues (${queues})`);
  else if (Math.ceil(Math.log2(queues) * handSize) > MAX_HASH_BITS) {
    const sizes = `deckSize ${queues} and handSize ${handSize}`;
    say("handSize", handSize, `required entropy bits of ${sizes} should not be greater than ${MAX_HASH_BITS}`);
  }
}
