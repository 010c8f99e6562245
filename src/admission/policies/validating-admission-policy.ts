// Admission: ValidatingAdmissionPolicy. Each policy with each of its bindings and each parameter object has its say.

import { Pace } from "../../base/steps.ts";
import type { ValidatingAdmissionPolicySpec } from "../../kinds/admissionregistration/validating-admission-policy-schema.ts";
import { StatusError, type StatusReason } from "../../meta/status-error.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../../registry/admission.ts";
import { CelAuthorizer } from "../matching/cel-authorizer.ts";
import type { MatchedRequest, Matcher } from "../matching/matcher.ts";
import { turnIfOver } from "../matching/soon.ts";
import { refusal } from "../refusal.ts";
import { type Denial, evaluatePolicy, type PolicyVerdict } from "./evaluate-policy.ts";
import { isExcluded } from "./excluded-resources.ts";
import { ParamError } from "./param-source.ts";
import { type PolicyRuntime, policyActivation } from "./policy-activation.ts";
import { checkErrorOf, type PolicyObserver } from "./policy-metrics.ts";
import type { Binding, BoundPolicy, PolicySet } from "./policy-set.ts";

type Policy = BoundPolicy<ValidatingAdmissionPolicySpec>;

const CODES: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
  Invalid: 422,
};

interface ValidatingRuntime extends PolicyRuntime {
  readonly checks: PolicyObserver;
}

interface Failure extends Pick<Denial, "message" | "reason"> {
  readonly policy: string;
  readonly binding?: string;
}

/** What the policies have to say about one request. */
class Findings {
  readonly denied: Failure[] = [];
  readonly audited: Record<string, unknown>[] = [];
  readonly #annotations = new Map<string, Set<string>>();

  annotate(key: string, value: string): void {
    const values = this.#annotations.get(key) ?? new Set();
    this.#annotations.set(key, values.add(value));
  }

  /** Several bindings may have something to say under one key. */
  *annotations(): Generator<[string, string]> {
    for (const [key, values] of this.#annotations) yield [key, [...values].join(", ")];
  }
}

export function validatingAdmissionPolicy(
  policies: PolicySet<ValidatingAdmissionPolicySpec>,
  matcher: Matcher,
  runtime: ValidatingRuntime,
): AdmissionPlugin {
  const { names } = runtime;
  return {
    name: "ValidatingAdmissionPolicy",
    handles: (request) => policies.all().length > 0 && !isExcluded(names, request),
    async validate(request) {
      const findings = new Findings();
      const authorizer = new CelAuthorizer(runtime.authorizer, request.user);
      for (const policy of policies.all()) {
        const matched = await matcher.match(request, policy.criteria);
        if (matched === undefined) continue;
        const problem = runtime.params.problemOf(policy.spec.paramKind);
        if (problem !== undefined) {
          misconfigured(findings, policy, undefined, `failed to configure policy: ${problem}`);
          continue;
        }
        for (const binding of policy.bindings) {
          if (binding.criteria !== undefined && (await matcher.match(request, binding.criteria, true)) === undefined)
            continue;
          await apply(runtime, authorizer, request, policy, binding, matched, findings);
        }
      }
      const { audited, denied } = findings;
      for (const [key, value] of findings.annotations()) request.auditAnnotations.set(key, value);
      if (audited.length > 0)
        request.auditAnnotations.set(names.validationFailureAuditAnnotation, JSON.stringify(audited));
      if (denied[0] !== undefined) throw denial(request, denied[0]);
    },
  };
}

/** By so many parameter objects a request is judged in a millisecond or so, where a policy says little. */
const PARAMS_PER_STEP = 50;

async function apply(
  runtime: ValidatingRuntime,
  authorizer: CelAuthorizer,
  request: AdmissionRequest,
  policy: Policy,
  binding: Binding,
  matched: MatchedRequest,
  findings: Findings,
): Promise<void> {
  try {
    const params = await runtime.params.collect(policy.spec.paramKind, binding.spec.paramRef, request);
    const { spec } = policy;
    const expressions = await policy.expressions.get(request);
    const pace = new Pace(PARAMS_PER_STEP);
    for (const param of params) {
      if (pace.due()) await turnIfOver(request);
      const activation = await policyActivation(runtime, authorizer, request, matched, param);
      const verdict = await authorizer.settleInSteps(
        () => evaluatePolicy({ spec, ...expressions }, activation),
        request,
      );
      report(runtime, request, policy, binding, verdict, findings);
    }
  } catch (error) {
    if (!(error instanceof ParamError)) throw error;
    misconfigured(findings, policy, binding.name, `failed to configure binding: ${error.message}`);
  }
}

/** Denies whatever the binding wants done about validations. */
function misconfigured(findings: Findings, policy: Policy, binding: string | undefined, message: string): void {
  if (policy.spec.failurePolicy === "Ignore") return;
  findings.denied.push({ policy: policy.name, ...(binding === undefined ? {} : { binding }), message, reason: "" });
}

function report(
  runtime: ValidatingRuntime,
  request: AdmissionRequest,
  { name: policy }: Policy,
  { name: binding, spec: { validationActions = [] } }: Binding,
  { denials, ignored, annotations, conditions }: PolicyVerdict,
  findings: Findings,
): void {
  if (conditions !== undefined) {
    const owner = { name: policy, kind: "policy", type: "validate" } as const;
    runtime.conditions.evaluated(owner, request.operation, conditions.seconds, conditions.errors);
    if (conditions.excluded) runtime.conditions.excluded(owner, request.operation);
  }
  for (const { message, seconds } of ignored)
    runtime.checks.checked(policy, binding, checkErrorOf(message), "allow", seconds);
  for (const [key, value] of annotations) findings.annotate(`${policy}/${key}`, value);
  for (const one of denials) {
    const { message, seconds, index, always = false } = one;
    const error = checkErrorOf(message);
    for (const action of always ? ["Deny"] : validationActions) {
      if (action === "Deny") {
        findings.denied.push({ ...one, policy, binding });
        runtime.checks.checked(policy, binding, error, "deny", seconds);
      } else if (action === "Audit") {
        findings.audited.push({ message, policy, binding, expressionIndex: index, validationActions });
        runtime.checks.checked(policy, binding, error, "audit", seconds);
      } else if (action === "Warn") {
        request.warnings.push(
          `Validation failed for ValidatingAdmissionPolicy '${policy}' with binding '${binding}': ${message}`,
        );
        runtime.checks.checked(policy, binding, error, "warn", seconds);
      }
    }
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
