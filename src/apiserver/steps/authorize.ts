// Step: may this user do this? First allow or deny wins, no opinion is no. Requirements: document 2, "Authorization verdicts".

import { goQuote } from "../../base/go-quote.ts";
import type { Step } from "../../http/pipeline.ts";
import { pathSegmentProblems } from "../../meta/name-formats.ts";
import type { Names } from "../../meta/names.ts";
import { forbidden, type StatusError } from "../../meta/status-error.ts";
import type { Attributes, Authorizer, Decision, SelectorRequirement, Verdict } from "../../registry/authorizer.ts";
import { readFieldSelector, readLabelSelector } from "../../registry/read-selectors.ts";
import { type AuthenticatedRequest, type AuthorizedRequest, authorizedRequest } from "../../registry/request.ts";

export interface AuthorizeOptions {
  /** Authorizers see the selectors of lists, watches and collection deletes. */
  readonly withSelectors: boolean;
  /** Told of every decision and how long it took; for metrics. */
  readonly observe?: ((verdict: Verdict, seconds: number) => void) | undefined;
}

export function authorize(
  names: Names,
  authorizer: Authorizer,
  options: AuthorizeOptions,
): Step<AuthenticatedRequest, AuthorizedRequest> {
  return function authorize(request, next) {
    const startMs = performance.now();
    const attributes = attributesOf(request, options);
    const admit = (decision: Decision): AuthorizedRequest => {
      options.observe?.(decision.verdict, (performance.now() - startMs) / 1000);
      request.auditAnnotations.set(names.decisionAuditAnnotation, decision.verdict === "allow" ? "allow" : "forbid");
      request.auditAnnotations.set(names.decisionReasonAuditAnnotation, decision.reason);
      if (decision.verdict !== "allow") throw refusal(attributes, decision);
      return authorizedRequest(request);
    };
    const decision = authorizer.authorize(attributes, request);
    if (decision instanceof Promise)
      return decision.then((late) => {
        request.goOn();
        return next(admit(late));
      });
    return next(admit(decision));
  };
}

export function attributesOf(
  request: AuthenticatedRequest,
  options: AuthorizeOptions = { withSelectors: false },
): Attributes {
  const { target, user } = request;
  if (target.type === "path") return { user, verb: target.verb, path: target.path };
  const { group, version, resource, subresource, namespace, name, verb } = target;
  if (name !== "" || !COLLECTION_VERBS.has(verb)) {
    return { user, verb, resource: { group, version, resource, subresource, namespace, name } };
  }
  const { fieldSelector = [], labelSelector = [] } = selectorsOf(request);
  return {
    user,
    verb,
    resource: {
      group,
      version,
      resource,
      subresource,
      namespace,
      name: verb === "deletecollection" ? "" : exactName(fieldSelector),
      ...(options.withSelectors && fieldSelector.length > 0 ? { fieldSelector } : {}),
      ...(options.withSelectors && labelSelector.length > 0 ? { labelSelector } : {}),
    },
  };
}

const COLLECTION_VERBS: ReadonlySet<string> = new Set(["list", "watch", "deletecollection"]);

function selectorsOf({
  query,
}: AuthenticatedRequest): Pick<NonNullable<Attributes["resource"]>, "fieldSelector" | "labelSelector"> {
  const fields = query.get("fieldSelector");
  const labels = query.get("labelSelector");
  return {
    ...(fields === null ? {} : { fieldSelector: readFieldSelector(fields).requirements }),
    ...(labels === null ? {} : { labelSelector: readLabelSelector(labels).requirements }),
  };
}

/** A list of at most one object, known by name, is authorized like that object. */
function exactName(requirements: readonly SelectorRequirement[]): string {
  const found = requirements.find(
    ({ key, operator, values }) => key === "metadata.name" && operator === "In" && values.length === 1,
  );
  const name = found?.values[0] ?? "";
  return pathSegmentProblems(name).length === 0 ? name : "";
}

/** The 403 of a request that authorization did not allow. */
export function refusal(attributes: Attributes, decision: Decision): StatusError {
  const sentence = escapeHtml(refusedSentence(attributes));
  const why = decision.reason === "" ? sentence : `${sentence}: ${decision.reason}`;
  const { resource } = attributes;
  if (resource === undefined) return forbidden({ group: "", resource: "" }, "", why);
  return forbidden({ group: resource.group, resource: resource.resource }, resource.name, why);
}

/** `User "x" cannot get resource "pods" in API group "" in the namespace "y"`. */
export function refusedSentence({ user, verb, resource, path }: Attributes): string {
  const who = `User ${goQuote(user.name)} cannot ${verb}`;
  if (resource === undefined) return `${who} path ${goQuote(path ?? "")}`;
  const what = resource.subresource === "" ? resource.resource : `${resource.resource}/${resource.subresource}`;
  const where = resource.namespace === "" ? "at the cluster scope" : `in the namespace ${goQuote(resource.namespace)}`;
  return `${who} resource ${goQuote(what)} in API group ${goQuote(resource.group)} ${where}`;
}

/** What somebody wrote into a URL must not become markup where the message is shown. */
function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
