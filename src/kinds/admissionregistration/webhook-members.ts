// What mutating and validating webhooks have in common. In protobuf they differ in one number.

import { fullyQualifiedNameProblems } from "../../meta/name-formats.ts";
import type { ObjectMeta } from "../../meta/object.ts";
import { type MembersValue, opt, ptr, s } from "../../schema/builder.ts";
import { LISTED } from "../../schema/check-fields.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import type { Column } from "../define-kind.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { inOneSentence } from "../meta/value-checks.ts";
import { type MatchCondition, matchCondition, ruleWithOperations, webhookClientConfig } from "./webhook-schema.ts";

/** A webhook of either sort, as their checks see it. */
export type Webhook = MembersValue<ReturnType<typeof webhookMembers>> & {
  readonly reinvocationPolicy?: string;
  readonly matchConditions?: readonly MatchCondition[];
};

interface WithWebhooks {
  readonly metadata: ObjectMeta;
  readonly webhooks?: readonly object[] | null;
}

/** The columns of a configuration of webhooks. */
export const webhookColumns: readonly Column<WithWebhooks>[] = [
  NAME_COLUMN,
  { name: "Webhooks", type: "integer", cell: ({ webhooks }) => webhooks?.length ?? 0 },
  AGE_COLUMN,
];

/** The last member of a webhook, under the number that it has there. */
export const webhookConditions = (proto: number) =>
  opt.listBy(
    "name",
    matchCondition,
    proto,
    "Conditions that must all be true for the webhook to be called, at most 64. Checked after rules and selectors.",
  );

export const webhookMembers = (objectSelectorProto: number) => ({
  name: s.string(
    1,
    "Full name of the webhook with at least three parts, such as images.policy.example.com; unique in the list.",
    { must: { filled: true, form: inOneSentence(fullyQualifiedNameProblems) } },
  ),
  clientConfig: s.of(webhookClientConfig, 2, "Where the webhook is, and how it is trusted."),
  rules: opt.atomic(
    ruleWithOperations,
    3,
    "Operations on resources that the webhook is called for; one must match. Without any it is never called.",
  ),
  failurePolicy: ptr.enumOf(
    "FailurePolicyType",
    ["Fail", "Ignore"],
    4,
    "When the webhook cannot be reached or errs: Fail (the default) refuses the request, Ignore lets it pass.",
    { must: LISTED },
  ),
  matchPolicy: ptr.enumOf(
    "MatchPolicyType",
    ["Equivalent", "Exact"],
    9,
    "Exact takes requests only as the rules name them, Equivalent (the default) also through other versions or groups.",
    { must: LISTED },
  ),
  namespaceSelector: ptr.of(
    labelSelector,
    5,
    "Labels that the namespace of the object must have; objects without a namespace always match. Empty: all.",
  ),
  objectSelector: ptr.of(
    labelSelector,
    objectSelectorProto,
    "Labels that the object must have, before or after the change. Users can set labels: do not rely on it for security.",
  ),
  sideEffects: s.enumOf(
    "SideEffectClass",
    ["None", "NoneOnDryRun", "Some", "Unknown"],
    6,
    "None or NoneOnDryRun. Dry runs that match are refused for webhooks with other (older) values.",
    { pointer: true },
  ),
  timeoutSeconds: ptr.int32(
    7,
    "How long to wait for an answer, 1 to 30 seconds, by default 10. After that failurePolicy decides.",
    { must: { amount: timeoutProblems } },
  ),
  admissionReviewVersions: s.atomic(
    "string",
    8,
    "Versions of AdmissionReview that the webhook understands, best first; the first that the server knows is sent.",
  ),
});

const timeoutProblems = (seconds: number | bigint): string[] =>
  seconds < 1 || seconds > 30 ? ["the timeout value must be between 1 and 30 seconds"] : [];
