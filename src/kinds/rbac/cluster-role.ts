// ClusterRole: a set of permissions for the whole cluster.

import { append } from "../../base/append.ts";
import { flatMapInSteps, Pace, type Steps } from "../../base/steps.ts";
import { type FieldError, invalid } from "../../meta/field-error.ts";
import { opt, ptr, s, shown } from "../../schema/builder.ts";
import { checkFields } from "../../schema/check-fields.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { type LabelSelector, labelSelector } from "../meta/label-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { validateLabelSelectorInSteps } from "../meta/selector-validation.ts";
import { policyRule, validateRules } from "./policy-rule.ts";

export type ClusterRole = ObjectOf<typeof clusterRoleSchema>;

const clusterRoleSchema = objectSchema(
  "rbac.v1.ClusterRole",
  "A set of permissions for the whole cluster. A role binding may grant it within one namespace.",
  () => ({
    rules: shown.atomic(
      policyRule,
      2,
      "What is allowed; nothing is ever forbidden by a rule. Filled in by the controller where aggregationRule is set.",
    ),
    aggregationRule: ptr.of(
      aggregationRule,
      3,
      "If set, the rules are gathered from other cluster roles, and rules written by hand are lost.",
    ),
  }),
);

export const clusterRole = defineKind({
  group: "rbac.authorization",
  version: "v1",
  kind: "ClusterRole",
  resource: "clusterroles",
  scope: "Cluster",
  judgedInSteps: true,
  schema: clusterRoleSchema,
  createOnUpdate: true,
  unconditionalUpdate: true,
  name: "pathSegment",
  hooks: {
    validate: validateClusterRole,
    // Upstream judges an update as an object and as a change: what is wrong stands there twice.
    *validateUpdate(role) {
      const errors = yield* validateClusterRole(role);
      return [...errors, ...errors];
    },
  },
});

const aggregationRule = s.struct("rbac.v1.AggregationRule", "Which cluster roles to gather rules from.", () => ({
  clusterRoleSelectors: opt.atomic(
    labelSelector,
    1,
    "The rules of every cluster role that any of these selectors matches are taken over.",
    { must: { filled: "at least one clusterRoleSelector required if aggregationRule is non-nil" } },
  ),
}));

/** So many selectors, and terms in them, are judged in one step. */
const TERMS_PER_STEP = 500;

export function* validateClusterRole(role: ClusterRole): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  if (role.aggregationRule !== undefined && role.aggregationRule !== null) {
    const field = "aggregationRule.clusterRoleSelectors";
    checkFields(role.aggregationRule, aggregationRule, "aggregationRule", errors);
    const pace = new Pace(TERMS_PER_STEP);
    const found = flatMapInSteps(role.aggregationRule.clusterRoleSelectors ?? [], pace, (selector, index) =>
      validateRoleSelector(selector, `${field}[${index}]`, pace),
    );
    append(errors, yield* found);
  }
  return [...errors, ...(yield* validateRules(role.rules, false))];
}

function* validateRoleSelector(selector: LabelSelector, field: string, pace: Pace): Steps<FieldError[]> {
  const found = yield* validateLabelSelectorInSteps(selector, field, pace);
  if (found.length > 0) found.push(invalid(field, null, "invalid label selector."));
  return found;
}
