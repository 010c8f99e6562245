// POST of an access review: asks authorization instead of storing anything.
// Requirements: document 2, "Access-review resources".

import type { AccessExplainer } from "../../../authz/explain.ts";
import { setKey } from "../../../base/json.ts";
import { atOnceWhileShort, Pace, type Steps } from "../../../base/steps.ts";
import type { SubjectAccessReviewSpec } from "../../../kinds/authorization/access-review-schema.ts";
import type { Rule } from "../../../meta/access-rule.ts";
import type { FieldError } from "../../../meta/field-error.ts";
import type { Names } from "../../../meta/names.ts";
import type { ApiObject, ObjectMeta } from "../../../meta/object.ts";
import { badRequest, invalidObject } from "../../../meta/status-error.ts";
import type { UserInfo } from "../../../meta/user.ts";
import type { Attributes, Authorizer, Decision, HeldRules, RuleResolver } from "../../../registry/authorizer.ts";
import {
  type ReadSelector,
  readFieldRequirements,
  readFieldSelector,
  readLabelRequirements,
  readLabelSelector,
} from "../../../registry/read-selectors.ts";
import { turnOf } from "../../../registry/write.ts";
import { answerDecoded } from "../answer.ts";
import { type HandlerContext, outputOf } from "../handler-context.ts";
import type { SpecialHandler } from "../subresource.ts";
import { validateLocalReview, validateSelfReview, validateSubjectReview } from "./access-reviews-validation.ts";
import { receiveReview } from "./receive-review.ts";

export interface AccessReviewDeps {
  readonly authorizer: Authorizer;
  readonly rules: RuleResolver;
  readonly explainer: AccessExplainer;
}

type Spec = Partial<SubjectAccessReviewSpec>;

/** By resource name, for the group of reviews. */
export function accessReviewHandlers(names: Names, deps: AccessReviewDeps): [string, SpecialHandler][] {
  const key = (resource: string): string => `${resource}.${names.group("authorization")}`;
  return [
    [key("selfsubjectaccessreviews"), accessReview(deps, validateSelfReview, (_spec, caller) => caller)],
    [key("subjectaccessreviews"), accessReview(deps, validateSubjectReview, userOf)],
    [key("localsubjectaccessreviews"), accessReview(deps, validateLocalReview, userOf)],
    [key("selfsubjectrulesreviews"), rulesReview(deps)],
  ];
}

function accessReview(
  deps: AccessReviewDeps,
  validate: (spec: Spec, metadata: ObjectMeta) => FieldError[],
  subject: (spec: Spec, caller: UserInfo) => UserInfo,
): SpecialHandler {
  return async (context, resourceRequest) => {
    const { request, resource } = resourceRequest;
    const output = outputOf(context, resourceRequest);
    const { review, sizeBytes } = await receiveReview(context, resourceRequest);
    const spec = (review["spec"] ?? {}) as Spec;
    const errors = validate(spec, review.metadata);
    if (errors.length > 0) throw invalidObject(resource.group, "", "", errors);
    const { attributes, problems } = attributesOf(context, spec, subject(spec, request.user));
    const decision = await deps.authorizer.authorize(attributes);
    const explanation = await deps.explainer.explain(request, attributes, decision);
    review["status"] = {
      ...statusOf(context.names, decision, problems),
      ...(explanation === undefined ? {} : { explanation }),
    };
    return answerDecoded(context, resourceRequest, output, review, 201, sizeBytes);
  };
}

function rulesReview({ rules }: AccessReviewDeps): SpecialHandler {
  return async (context, resourceRequest) => {
    const { request } = resourceRequest;
    const output = outputOf(context, resourceRequest);
    const { review } = await receiveReview(context, resourceRequest);
    const { namespace = "" } = (review["spec"] ?? {}) as { namespace?: string };
    if (namespace === "") throw badRequest("no namespace on request");
    const held = await rules.rulesFor(request.user, namespace);
    const { status, words } = await atOnceWhileShort(listed(held), () => turnOf(request));
    const answer: ApiObject = {
      kind: review.kind!,
      apiVersion: review.apiVersion!,
      metadata: {},
      spec: {},
      status,
    };
    return answerDecoded(context, resourceRequest, output, answer, 201, words * BYTES_PER_WORD);
  };
}

/** More words of rules are not shown: some two megabytes. */
const MAX_LISTED_WORDS = 128 * 1024;
/** About as long as most of them are. */
const BYTES_PER_WORD = 16;
const RULES_PER_STEP = 1_000;

/** As much of what is held as an answer may show. */
function* listed({
  rules,
  problems,
  incomplete,
}: HeldRules): Steps<{ readonly status: Record<string, unknown>; readonly words: number }> {
  const resourceRules: unknown[] = [];
  const nonResourceRules: unknown[] = [];
  const pace = new Pace(RULES_PER_STEP);
  let words = 0;
  for (const rule of rules) {
    if (pace.due()) yield;
    for (const list of Object.values(rule) as Rule[keyof Rule][]) words += list.length;
    if (words > MAX_LISTED_WORDS) break;
    if (rule.resources.length > 0) resourceRules.push(resourceRule(rule));
    if (rule.nonResourceURLs.length > 0) nonResourceRules.push(pathRule(rule));
  }
  const isCut = words > MAX_LISTED_WORDS;
  const told = isCut ? [...problems, `rules of more than ${MAX_LISTED_WORDS} words are not all listed`] : problems;
  const status = {
    resourceRules,
    nonResourceRules,
    incomplete: incomplete || isCut,
    ...(told.length === 0 ? {} : { evaluationError: joined(told) }),
  };
  return { status, words };
}

function userOf(spec: Spec): UserInfo {
  const { user = "", groups, uid = "", extra } = spec;
  const copied = Object.create(null) as Record<string, readonly string[]>;
  for (const [key, values] of Object.entries(extra ?? {})) setKey(copied, key, values ?? []);
  return {
    name: user,
    groups: groups ?? [],
    ...(uid === "" ? {} : { uid }),
    ...(extra === undefined || extra === null ? {} : { extra: copied }),
  };
}

function attributesOf(
  context: HandlerContext,
  spec: Spec,
  user: UserInfo,
): { attributes: Attributes; problems: string[] } {
  const resourceRequest = spec.resourceAttributes;
  if (resourceRequest === undefined || resourceRequest === null) {
    const { path = "", verb = "" } = spec.nonResourceAttributes ?? {};
    return { attributes: { user, verb, path }, problems: [] };
  }
  const problems: string[] = [];
  const read = (
    what: string,
    selector: typeof resourceRequest.fieldSelector,
    parse: (text: string) => ReadSelector,
    readListed: typeof readLabelRequirements,
  ) => {
    if (selector === undefined || selector === null || !context.gateEnabled("AuthorizeWithSelectors")) return undefined;
    const { rawSelector = "", requirements } = selector;
    const found = rawSelector === "" ? readListed(requirements ?? []) : parse(rawSelector);
    if (found.error !== undefined) {
      const partly = found.requirements.length > 0 ? "partially ignored" : "ignored";
      problems.push(`spec.resourceAttributes.${what} ${partly} due to parse error`);
    }
    return found.requirements.length > 0 ? found.requirements : undefined;
  };
  const fieldSelector = read("fieldSelector", resourceRequest.fieldSelector, readFieldSelector, readFieldRequirements);
  const labelSelector = read("labelSelector", resourceRequest.labelSelector, readLabelSelector, readLabelRequirements);
  return {
    attributes: {
      user,
      verb: resourceRequest.verb ?? "",
      resource: {
        group: resourceRequest.group ?? "",
        version: resourceRequest.version || "*",
        resource: resourceRequest.resource ?? "",
        subresource: resourceRequest.subresource ?? "",
        namespace: resourceRequest.namespace ?? "",
        name: resourceRequest.name ?? "",
        ...(fieldSelector === undefined ? {} : { fieldSelector }),
        ...(labelSelector === undefined ? {} : { labelSelector }),
      },
    },
    problems,
  };
}

function statusOf(
  { dialect }: Names,
  { verdict, reason, error }: Decision,
  problems: readonly string[],
): Record<string, unknown> {
  const evaluation = error === undefined ? problems : [error, ...problems];
  return {
    allowed: verdict === "allow",
    // Document 2 shows both; upstream leaves out what is false.
    ...(verdict === "deny" || dialect === "platform" ? { denied: verdict === "deny" } : {}),
    ...(reason === "" ? {} : { reason }),
    ...(evaluation.length === 0 ? {} : { evaluationError: evaluation.join("; ") }),
  };
}

const joined = (problems: readonly string[]): string =>
  problems.length === 1 ? problems[0]! : `[${problems.join(", ")}]`;

function resourceRule({ verbs, apiGroups, resources, resourceNames }: Rule): Record<string, unknown> {
  return {
    verbs,
    ...(apiGroups.length === 0 ? {} : { apiGroups }),
    resources,
    ...(resourceNames.length === 0 ? {} : { resourceNames }),
  };
}

const pathRule = ({ verbs, nonResourceURLs }: Rule): Record<string, unknown> => ({ verbs, nonResourceURLs });
