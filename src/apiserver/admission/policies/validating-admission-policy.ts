// Admission: ValidatingAdmissionPolicy. Each policy with each of its bindings and each parameter object has its say.

import type { ValidatingAdmissionPolicySpec } from "../../../kinds/admissionregistration/validating-admission-policy-schema.ts";
import { StatusError, type StatusReason } from "../../../meta/status-error.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../admission.ts";
import { CelAuthorizer } from "../matching/cel-authorizer.ts";
import { isAdmissionConfiguration, type MatchedRequest, type Matcher } from "../matching/matcher.ts";
import { refusal } from "../refusal.ts";
import { type Denial, evaluatePolicy } from "./evaluate-policy.ts";
import { ParamError } from "./param-source.ts";
import { type PolicyRuntime, policyActivation } from "./policy-activation.ts";
import type { Binding, BoundPolicy, PolicySet } from "./policy-set.ts";

type Policy = BoundPolicy<ValidatingAdmissionPolicySpec>;

/** Kinds that are questions: a policy on them would see nothing that is stored. */
const REVIEWS: ReadonlySet<string> = new Set([
  "tokenreviews",
  "selfsubjectreviews",
  "subjectaccessreviews",
  "localsubjectaccessreviews",
  "selfsubjectaccessreviews",
  "selfsubjectrulesreviews",
]);

const CODES: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
  Invalid: 422,
};

interface Failure extends Denial {
  readonly policy: string;
  readonly binding?: string;
}

export function validatingAdmissionPolicy(
  policies: PolicySet<ValidatingAdmissionPolicySpec>,
  matcher: Matcher,
  runtime: PolicyRuntime,
): AdmissionPlugin {
  const { names } = runtime;
  return {
    name: "ValidatingAdmissionPolicy",
    handles: (request) =>
      policies.all().length > 0 && !isAdmissionConfiguration(names, request) && !REVIEWS.has(request.resource.resource),
    async validate(request) {
      const denied: Failure[] = [];
      const audited: Record<string, unknown>[] = [];
      const authorizer = new CelAuthorizer(runtime.authorizer, request.user);
      for (const policy of policies.all()) {
        const matched = await matcher.match(request, policy.criteria);
        if (matched === undefined) continue;
        for (const binding of policy.bindings) {
          if (binding.criteria !== undefined && (await matcher.match(request, binding.criteria, true)) === undefined)
            continue;
          for (const failure of await apply(runtime, authorizer, request, policy, binding, matched)) {
            report(request, failure, binding, denied, audited);
          }
        }
      }
      if (audited.length > 0)
        request.auditAnnotations.set(names.validationFailureAuditAnnotation, JSON.stringify(audited));
      if (denied[0] !== undefined) throw denial(request, denied[0]);
    },
  };
}

async function apply(
  runtime: PolicyRuntime,
  authorizer: CelAuthorizer,
  request: AdmissionRequest,
  policy: Policy,
  binding: Binding,
  matched: MatchedRequest,
): Promise<Failure[]> {
  const { paramKind, failurePolicy } = policy.spec;
  const about = { policy: policy.name, binding: binding.name };
  try {
    const params = await runtime.params.collect(paramKind, binding.spec.paramRef, request.namespace);
    const failures: Failure[] = [];
    for (const param of params) {
      const activation = await policyActivation(runtime, authorizer, request, matched, param);
      const { denials, annotations } = await authorizer.settle(() => evaluatePolicy(policy, activation));
      for (const [key, value] of annotations) addAnnotation(request, key, value);
      failures.push(...denials.map((one) => ({ ...one, ...about })));
    }
    return failures;
  } catch (error) {
    if (!(error instanceof ParamError)) throw error;
    if (failurePolicy === "Ignore") return [];
    return [{ ...about, message: `failed to configure binding: ${error.message}`, reason: "" }];
  }
}

/** Several bindings may have something to say under one key. */
function addAnnotation({ auditAnnotations }: AdmissionRequest, key: string, value: string): void {
  const known = auditAnnotations.get(key);
  auditAnnotations.set(key, known === undefined ? value : `${known}, ${value}`);
}

function report(
  request: AdmissionRequest,
  failure: Failure,
  { spec: { validationActions = [] } }: Binding,
  denied: Failure[],
  audited: Record<string, unknown>[],
): void {
  const { policy, binding, message, index } = failure;
  if (validationActions.includes("Deny")) denied.push(failure);
  if (validationActions.includes("Warn")) {
    request.warnings.push(
      `Validation failed for ValidatingAdmissionPolicy '${policy}' with binding '${binding}': ${message}`,
    );
  }
  if (validationActions.includes("Audit")) {
    audited.push({ message, policy, binding, expressionIndex: index ?? 0, validationActions });
  }
}

function denial(request: AdmissionRequest, { policy, binding, message, reason }: Failure): StatusError {
  const who = binding === undefined ? `'${policy}'` : `'${policy}' with binding '${binding}'`;
  const text = `ValidatingAdmissionPolicy ${who} denied request: ${message}`;
  const refused = refusal(request, text);
  const answer = reason === "" ? "Invalid" : reason;
  return new StatusError(CODES[answer] ?? 422, answer as StatusReason, refused.message, {
    ...refused.details,
    causes: [{ message: text }],
  });
}
