// What the expressions of a policy see of a request.

import type { Names } from "../../meta/names.ts";
import type { ApiObject } from "../../meta/object.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";
import type { Authorizer } from "../../registry/authorizer.ts";
import { isAboutNamespace } from "../match-request.ts";
import { authorizerVariables, type CelAuthorizer } from "../matching/cel-authorizer.ts";
import type { ConditionObserver } from "../matching/condition-metrics.ts";
import type { Equivalents } from "../matching/equivalents.ts";
import type { MatchedRequest } from "../matching/matcher.ts";
import { reviewRequest } from "../matching/review-request.ts";
import { findFresh, type Lookup } from "../mirrors.ts";
import type { NamespaceState } from "../namespace-lifecycle.ts";
import type { Activation } from "./evaluate-policy.ts";
import type { ParamSource } from "./param-source.ts";

export interface PolicyRuntime {
  readonly names: Names;
  readonly authorizer: Authorizer;
  readonly namespaces: Lookup<NamespaceState>;
  readonly equivalents: Equivalents;
  readonly params: ParamSource;
  readonly conditions: ConditionObserver;
}

export async function policyActivation(
  { names, namespaces, equivalents }: PolicyRuntime,
  authorizer: CelAuthorizer,
  request: AdmissionRequest,
  matched: MatchedRequest,
  params: ApiObject | undefined,
): Promise<Activation> {
  const said = async (object: ApiObject | undefined) =>
    (matched.other === undefined ? object : await equivalents.convert(object, request.resource, matched.other)) ?? null;
  return {
    object: await said(request.object),
    oldObject: await said(request.oldObject),
    request: reviewRequest(request, matched),
    params: params ?? null,
    namespaceObject: await namespaceOf(namespaces, request),
    ...authorizerVariables(names, authorizer, request),
  };
}

async function namespaceOf(namespaces: Lookup<NamespaceState>, request: AdmissionRequest): Promise<unknown> {
  const { namespace } = request;
  if (namespace === "" || isAboutNamespace(request)) return null;
  return (await findFresh(namespaces, "", namespace))?.object ?? null;
}
