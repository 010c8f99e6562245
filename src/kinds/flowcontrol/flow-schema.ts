// FlowSchema: which requests belong to which priority level.

import { append } from "../../base/append.ts";
import { equalJson } from "../../base/json.ts";
import { flatMapInSteps, Pace, type Steps } from "../../base/steps.ts";
import { duplicate, type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import { type ObjectOf, opt, s, shown } from "../../schema/builder.ts";
import { checkFields, fieldErrors } from "../../schema/check-fields.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind } from "../define-kind.ts";
import { internalForm } from "../meta/internal-form.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";
import { flowRuleErrors } from "./flow-rule-validation.ts";
import {
  DISTINGUISHER_TYPES,
  type FlowSchemaSpec,
  flowSchemaSpec,
  priorityLevelConfigurationReference,
} from "./flow-schema-spec.ts";
import { EXEMPT, MANDATORY_SCHEMAS } from "./mandatory.ts";

export type FlowSchema = ObjectOf<typeof flowSchemaSchema>;

const flowSchemaSchema = objectSchema(
  "flowcontrol.v1.FlowSchema",
  "Which requests belong to which priority level.",
  () => ({
    spec: opt.of(flowSchemaSpec, 2, "Which requests are meant and where they go."),
    status: opt.of(flowSchemaStatus, 3, "How the server takes this schema."),
  }),
);

export const flowSchema = defineKind({
  group: "flowcontrol.apiserver",
  version: "v1",
  kind: "FlowSchema",
  resource: "flowschemas",
  scope: "Cluster",
  schema: flowSchemaSchema,
  unconditionalUpdate: true,
  generation: true,
  columns: [
    NAME_COLUMN,
    { name: "PriorityLevel", type: "string", cell: ({ spec }) => spec.priorityLevelConfiguration.name },
    { name: "MatchingPrecedence", type: "string", cell: ({ spec }) => spec.matchingPrecedence },
    { name: "DistinguisherMethod", type: "string", cell: ({ spec }) => spec.distinguisherMethod?.type ?? "<none>" },
    AGE_COLUMN,
    { name: "MissingPL", type: "string", cell: missingLevelCell },
  ],
  subresources: {
    status: {
      ...statusSubresource<FlowSchema>({ keepMetadata: true, resetFields: [["metadata"], ["spec"]] }),
      validateUpdate: validateFlowSchema,
    },
  },
  hooks: {
    default({ spec }) {
      spec.matchingPrecedence ||= 1000;
    },
    prepareForCreate(schema) {
      schema.status = {};
    },
    prepareForUpdate: keepStatus,
    validate: validateFlowSchema,
    validateUpdate: validateFlowSchema,
  },
});

function missingLevelCell({ status }: FlowSchema): string {
  return (status.conditions ?? []).find((condition) => condition.type === "Dangling")?.status ?? "?";
}

const flowSchemaStatus = s.struct("flowcontrol.v1.FlowSchemaStatus", "How the server takes a schema.", () => ({
  conditions: opt.listBy(
    "type",
    flowSchemaCondition,
    1,
    "Dangling is True while the priority level of the schema does not exist.",
  ),
}));

export type FlowSchemaCondition = ObjectOf<typeof flowSchemaCondition>;

const flowSchemaCondition = s.struct(
  "flowcontrol.v1.FlowSchemaCondition",
  "One observation about a flow schema.",
  () => ({
    type: opt.named("FlowSchemaConditionType", 1, "What is observed, such as Dangling."),
    status: opt.named("ConditionStatus", 2, "True, False or Unknown."),
    lastTransitionTime: shown.time(3, "When the status last became another one."),
    reason: opt.string(4, "Why the status is what it is, as one CamelCase word for programs."),
    message: opt.string(5, "What was observed, for people."),
  }),
);

/** So many rules, subjects among them, are judged in one step. */
const RULES_PER_STEP = 250;

function* validateFlowSchema({ metadata, spec, status }: FlowSchema): Steps<FieldError[]> {
  const name = metadata.name ?? "";
  const errors = specErrors(spec, name);
  const pace = new Pace(RULES_PER_STEP);
  const ofRules = flatMapInSteps(spec.rules ?? [], pace, (rule, i) => flowRuleErrors(rule, `spec.rules[${i}]`, pace));
  append(errors, yield* ofRules);
  const fixed = MANDATORY_SCHEMAS.get(name);
  if (fixed !== undefined && !equalJson(spec, fixed)) {
    const detail = `spec of '${name}' must equal the fixed value`;
    errors.push(invalid("spec", internalForm(spec, flowSchemaSpec), detail));
  }
  checkConditionTypes(status.conditions ?? [], errors);
  return errors;
}

/** One condition of each type. */
export function checkConditionTypes(conditions: readonly { readonly type?: string }[], errors: FieldError[]): void {
  const seen = new Set<string>();
  conditions.forEach(({ type = "" }, index) => {
    const field = `status.conditions[${index}].type`;
    if (seen.has(type)) errors.push(duplicate(field, type));
    seen.add(type);
    if (type === "") errors.push(required(field));
  });
}

function specErrors(spec: FlowSchemaSpec, name: string): FieldError[] {
  const errors = fieldErrors(spec, flowSchemaSpec, "spec");
  if (spec.matchingPrecedence === 1 && name !== EXEMPT) {
    const detail = "only the schema named 'exempt' may have matchingPrecedence 1";
    errors.push(invalid("spec.matchingPrecedence", spec.matchingPrecedence, detail));
  }
  const { distinguisherMethod: method, priorityLevelConfiguration: level } = spec;
  // The whole method is what upstream shows.
  if (method && !DISTINGUISHER_TYPES.includes(method.type))
    errors.push(notSupported("spec.distinguisherMethod.type", { Type: method.type }, DISTINGUISHER_TYPES));
  checkFields(level, priorityLevelConfigurationReference, "spec.priorityLevelConfiguration", errors);
  return errors;
}
