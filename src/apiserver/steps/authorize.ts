// Step: may this user do this? First allow or deny wins, no opinion is no. Requirements: document 2, "Authorization verdicts".

import type { Step } from "../../http/pipeline.ts";
import type { Names } from "../../meta/names.ts";
import { forbidden, type StatusError } from "../../meta/status-error.ts";
import type { Attributes, Authorizer, Decision } from "../authz/authorizer.ts";
import { type AuthenticatedRequest, type AuthorizedRequest, extendRequest, type Target } from "../request.ts";

/** Adds what the request's selectors require, where authorization looks at them. */
export type SelectorReader = (request: AuthenticatedRequest) => Pick<NonNullable<Attributes["resource"]>, "fieldSelector" | "labelSelector">;

export function authorize(names: Names, authorizer: Authorizer, selectors?: SelectorReader): Step<AuthenticatedRequest, AuthorizedRequest> {
  return async function authorize(request, next) {
    const attributes = attributesOf(request, selectors);
    const answer = authorizer.authorize(attributes);
    const decision = answer instanceof Promise ? await answer : answer;
    request.auditAnnotations.set(names.decisionAuditAnnotation, decision.verdict === "allow" ? "allow" : "forbid");
    if (decision.reason !== "") request.auditAnnotations.set(names.decisionReasonAuditAnnotation, decision.reason);
    if (decision.verdict !== "allow") throw refusal(attributes, request.target, decision);
    return next(extendRequest(request, { authorized: true as const }));
  };
}

export function attributesOf(request: AuthenticatedRequest, selectors?: SelectorReader): Attributes {
  const { target, user } = request;
  if (target.type === "path") return { user, verb: target.verb, path: target.path };
  const { group, version, resource, subresource, namespace, name } = target;
  return {
    user,
    verb: target.verb,
    resource: { group, version, resource, subresource, namespace, name, ...selectors?.(request) },
  };
}

function refusal(attributes: Attributes, target: Target, decision: Decision): StatusError {
  const why = decision.reason === "" ? refusedSentence(attributes) : `${refusedSentence(attributes)}: ${decision.reason}`;
  if (target.type === "path") return forbidden({ group: "", resource: "" }, "", why);
  return forbidden({ group: target.group, resource: target.resource }, target.name, why);
}

/** `User "x" cannot get resource "pods" in API group "" in the namespace "y"`. */
export function refusedSentence({ user, verb, resource, path }: Attributes): string {
  const who = `User ${JSON.stringify(user.name)} cannot ${verb}`;
  if (resource === undefined) return `${who} path ${JSON.stringify(path)}`;
  const what = resource.subresource === "" ? resource.resource : `${resource.resource}/${resource.subresource}`;
  const where = resource.namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(resource.namespace)}`;
  return `${who} resource ${JSON.stringify(what)} in API group ${JSON.stringify(resource.group)} ${where}`;
}
