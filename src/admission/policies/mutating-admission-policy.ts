// Admission: MutatingAdmissionPolicy. Each policy changes the object by patches that its expressions build.

import { Pace } from "../../base/steps.ts";
import type { MutatingAdmissionPolicySpec } from "../../kinds/admissionregistration/mutating-admission-policy.ts";
import type { ApiObject } from "../../meta/object.ts";
import { StatusError, type StatusReason } from "../../meta/status-error.ts";
import { type AdmissionPlugin, type AdmissionRequest, ONLY_ROUND } from "../../registry/admission.ts";
import { CelAuthorizer } from "../matching/cel-authorizer.ts";
import { meetsConditions } from "../matching/match-conditions.ts";
import type { MatchedRequest, Matcher } from "../matching/matcher.ts";
import { type ReplaceParts, replaceObject } from "../matching/replace-object.ts";
import { soon, turnIfOver } from "../matching/soon.ts";
import { refusal } from "../refusal.ts";
import { Reinvocation } from "../webhooks/reinvocation.ts";
import { conditionActivation, secondsSince } from "./evaluate-policy.ts";
import { isExcluded } from "./excluded-resources.ts";
import { MutationError, mutated } from "./mutate-object.ts";
import { ParamError } from "./param-source.ts";
import { type PolicyRuntime, policyActivation } from "./policy-activation.ts";
import { checkErrorOf, type MutationObserver } from "./policy-metrics.ts";
import type { Binding, BoundPolicy, PolicySet } from "./policy-set.ts";

type Policy = BoundPolicy<MutatingAdmissionPolicySpec>;

interface MutatingRuntime extends PolicyRuntime, ReplaceParts {
  readonly mutations: MutationObserver;
}

interface Failure {
  readonly message: string;
  readonly reason: StatusReason;
}

/** One policy with one binding and one parameter object, about one request. */
interface Invocation {
  readonly policy: Policy;
  readonly binding: Binding;
  readonly param: ApiObject | undefined;
  readonly matched: MatchedRequest;
}

/** So many take a millisecond or so, where a policy says little. */
const INVOCATIONS_PER_STEP = 50;

export function mutatingAdmissionPolicy(
  policies: PolicySet<MutatingAdmissionPolicySpec>,
  matcher: Matcher,
  runtime: MutatingRuntime,
): AdmissionPlugin {
  const rounds = new WeakMap<AdmissionRequest, Reinvocation>();
  return {
    name: "MutatingAdmissionPolicy",
    handles: (request) =>
      request.object !== undefined && policies.all().length > 0 && !isExcluded(runtime.names, request),
    async mutate(request, round = ONLY_ROUND) {
      const reinvocation = rounds.get(request) ?? new Reinvocation();
      rounds.set(request, reinvocation);
      if (round.again) await soon(reinvocation.startAgain(request.object), request);
      const authorizer = new CelAuthorizer(runtime.authorizer, request.user);
      const failures: Failure[] = [];
      const pace = new Pace(INVOCATIONS_PER_STEP);
      let anyChange = false;
      for (const invocation of await invocations(policies, matcher, runtime, request, failures)) {
        if (pace.due()) await turnIfOver(request);
        const { policy, binding, param } = invocation;
        if (!(await concerned(runtime, authorizer, request, invocation, failures))) continue;
        const { namespace = "", name = "" } = param?.metadata ?? {};
        const id = JSON.stringify([policy.name, binding.name, namespace, name]);
        if (round.again && !reinvocation.isDue(id)) continue;
        if (await mutate(runtime, authorizer, request, invocation, failures)) {
          anyChange = true;
          reinvocation.demandEarlier();
          round.requestReinvocation();
        }
        if (policy.spec.reinvocationPolicy === "IfNeeded") reinvocation.remember(id);
      }
      // Also those that made the last change: only a second round shows that they are done.
      if (anyChange) reinvocation.demandEarlier();
      await soon(reinvocation.finish(request.object), request);
      if (failures[0] !== undefined) throw denial(request, failures[0], failures);
    },
  };
}

/** In order; what cannot be carried out is noted among the failures. */
async function invocations(
  policies: PolicySet<MutatingAdmissionPolicySpec>,
  matcher: Matcher,
  { params }: MutatingRuntime,
  request: AdmissionRequest,
  failures: Failure[],
): Promise<Invocation[]> {
  const found: Invocation[] = [];
  for (const policy of policies.all()) {
    const matched = await matcher.match(request, policy.criteria);
    if (matched === undefined) continue;
    const problem = params.problemOf(policy.spec.paramKind);
    if (problem !== undefined) {
      note(failures, policy, undefined, `failed to configure policy: ${problem}`, "Forbidden");
      continue;
    }
    for (const binding of policy.bindings) {
      if (binding.criteria !== undefined && (await matcher.match(request, binding.criteria, true)) === undefined)
        continue;
      try {
        const chosen = await params.collect(policy.spec.paramKind, binding.spec.paramRef, request);
        for (const param of chosen) found.push({ policy, binding, param, matched });
      } catch (error) {
        if (!(error instanceof ParamError)) throw error;
        note(failures, policy, binding, `failed to configure binding: ${error.message}`, "Forbidden");
      }
    }
  }
  return found;
}

/** Whether the match conditions hold. */
async function concerned(
  runtime: MutatingRuntime,
  authorizer: CelAuthorizer,
  request: AdmissionRequest,
  { policy, binding, param, matched }: Invocation,
  failures: Failure[],
): Promise<boolean> {
  const { conditions } = await policy.expressions.get(request);
  if (conditions.length === 0) return true;
  const activation = await policyActivation(runtime, authorizer, request, matched, param);
  const startMs = performance.now();
  const outcome = await authorizer.settleInSteps(
    () => meetsConditions(conditions, conditionActivation(activation)),
    request,
  );
  const owner = { name: policy.name, kind: "policy", type: "validate" } as const;
  const errors = "error" in outcome ? outcome.errors : 0;
  runtime.conditions.evaluated(owner, request.operation, secondsSince(startMs), errors);
  if ("error" in outcome) note(failures, policy, binding, outcome.error, "Invalid");
  else if (outcome.matches) return true;
  runtime.conditions.excluded(owner, request.operation);
  return false;
}

/** One mutation after the other, each on what those before it have made. True when the object is another one now. */
async function mutate(
  runtime: MutatingRuntime,
  authorizer: CelAuthorizer,
  request: AdmissionRequest,
  { policy, binding, param, matched }: Invocation,
  failures: Failure[],
): Promise<boolean> {
  let changed = false;
  const { environment } = await policy.expressions.get(request);
  for (const mutation of policy.spec.mutations ?? []) {
    const activation = await policyActivation(runtime, authorizer, request, matched, param);
    const schema = runtime.equivalents.find(matched.resource)?.kind.schema;
    const startMs = performance.now();
    const observe = (error: Parameters<MutationObserver["mutated"]>[2]) =>
      runtime.mutations.mutated(policy.name, binding.name, error, secondsSince(startMs));
    try {
      const next = await authorizer.settleInSteps(() => mutated(environment, mutation, schema, activation), request);
      if (next !== undefined) changed = (await replaceObject(runtime, request, matched, next, "strict")) || changed;
      observe("no_error");
    } catch (error) {
      if (!(error instanceof MutationError)) {
        observe("invalid_error");
        throw error;
      }
      observe(checkErrorOf(error.message));
      note(failures, policy, binding, error.message, "Invalid");
    }
  }
  return changed;
}

function note(
  failures: Failure[],
  { name, spec }: Policy,
  binding: Binding | undefined,
  message: string,
  reason: StatusReason,
): void {
  if (spec.failurePolicy === "Ignore") return;
  const who =
    binding === undefined ? `policy ${JSON.stringify(name)}` : `policy '${name}' with binding '${binding.name}'`;
  failures.push({ message: `${who} denied request: ${message}`, reason });
}

/** As upstream answers: 403 whatever the reason. */
function denial(request: AdmissionRequest, { message, reason }: Failure, all: readonly Failure[]): StatusError {
  const refused = refusal(request, message);
  return new StatusError(refused.code, reason, message, {
    ...refused.details,
    causes: all.map((failure) => ({ message: failure.message })),
  });
}
