// Admission: MutatingAdmissionPolicy. Each policy changes the object by patches that its expressions build.

import { isObject, type Json, type JsonObject } from "../../../base/json.ts";
import { CelError } from "../../../cel/errors.ts";
import { toJson } from "../../../cel/json.ts";
import { REQUEST_COST_LIMIT } from "../../../cel/limits.ts";
import { CostBudget } from "../../../cel/program.ts";
import type {
  MutatingAdmissionPolicySpec,
  Mutation,
} from "../../../kinds/admissionregistration/mutating-admission-policy.ts";
import { isStatusError, StatusError } from "../../../meta/status-error.ts";
import { applyJsonPatch, decodeJsonPatch } from "../../../patch/json-patch.ts";
import { mergeConfiguration } from "../../../patch/merge-configuration.ts";
import { type AdmissionPlugin, type AdmissionRequest, ONLY_ROUND } from "../admission.ts";
import { CelAuthorizer } from "../matching/cel-authorizer.ts";
import { meetsConditions } from "../matching/match-conditions.ts";
import { isAdmissionConfiguration, type MatchedRequest, type Matcher } from "../matching/matcher.ts";
import { type ReplaceParts, replaceObject } from "../matching/replace-object.ts";
import { refusal } from "../refusal.ts";
import { Reinvocation } from "../webhooks/reinvocation.ts";
import { evaluate, withVariables } from "./evaluate-policy.ts";
import { ParamError } from "./param-source.ts";
import { type PolicyRuntime, policyActivation } from "./policy-activation.ts";
import type { Binding, BoundPolicy, PolicySet } from "./policy-set.ts";

type Policy = BoundPolicy<MutatingAdmissionPolicySpec>;

/** A policy that could not be carried out; the failure policy decides what that means. */
class MutationError extends Error {}

export function mutatingAdmissionPolicy(
  policies: PolicySet<MutatingAdmissionPolicySpec>,
  matcher: Matcher,
  runtime: PolicyRuntime & ReplaceParts,
): AdmissionPlugin {
  const rounds = new WeakMap<AdmissionRequest, Reinvocation>();
  return {
    name: "MutatingAdmissionPolicy",
    handles: (request) =>
      request.object !== undefined && policies.all().length > 0 && !isAdmissionConfiguration(runtime.names, request),
    async mutate(request, round = ONLY_ROUND) {
      const reinvocation = rounds.get(request) ?? new Reinvocation();
      rounds.set(request, reinvocation);
      if (round.again) reinvocation.startAgain(request.object);
      const authorizer = new CelAuthorizer(runtime.authorizer, request.user);
      for (const policy of policies.all()) {
        const matched = await matcher.match(request, policy.criteria);
        if (matched === undefined) continue;
        for (const binding of policy.bindings) {
          const id = `${policy.name}/${binding.name}`;
          if (round.again && !reinvocation.isDue(id)) continue;
          if (binding.criteria !== undefined && (await matcher.match(request, binding.criteria, true)) === undefined)
            continue;
          if (await mutate(runtime, authorizer, request, policy, binding, matched)) {
            reinvocation.demandEarlier();
            round.demandAnother();
          }
          if (policy.spec.reinvocationPolicy === "IfNeeded") reinvocation.remember(id);
        }
      }
      reinvocation.finish(request.object);
    },
  };
}

/** True when the object is another one now. */
async function mutate(
  runtime: PolicyRuntime & ReplaceParts,
  authorizer: CelAuthorizer,
  request: AdmissionRequest,
  policy: Policy,
  binding: Binding,
  matched: MatchedRequest,
): Promise<boolean> {
  try {
    let changed = false;
    for (const param of await runtime.params.collect(policy.spec.paramKind, binding.spec.paramRef, request.namespace)) {
      const before = await policyActivation(runtime, authorizer, request, matched, param);
      const outcome = await authorizer.settle(() =>
        meetsConditions(policy.conditions(), withVariables(policy.environment(), before, newBudget())),
      );
      if ("error" in outcome) throw new MutationError(outcome.error);
      if (!outcome.matches) continue;
      for (const mutation of policy.spec.mutations ?? []) {
        const activation = await policyActivation(runtime, authorizer, request, matched, param);
        const next = await authorizer.settle(() => patched(runtime, policy, mutation, matched, activation));
        changed = (await replaceObject(runtime, request, matched, next)) || changed;
      }
    }
    return changed;
  } catch (error) {
    if (!(error instanceof MutationError) && !(error instanceof ParamError)) throw error;
    if (policy.spec.failurePolicy === "Ignore") return false;
    throw denial(request, `policy '${policy.name}' with binding '${binding.name}' denied request: ${error.message}`);
  }
}

const newBudget = (): CostBudget => new CostBudget(REQUEST_COST_LIMIT);

function patched(
  { equivalents }: ReplaceParts,
  policy: Policy,
  mutation: Mutation,
  { resource }: MatchedRequest,
  given: Readonly<Record<string, unknown>>,
): JsonObject {
  const object = given["object"] as JsonObject;
  const expression = (mutation.jsonPatch ?? mutation.applyConfiguration)?.expression ?? "";
  const budget = newBudget();
  const environment = policy.environment();
  const value = evaluate(environment, expression, [], withVariables(environment, given, budget), budget);
  const json = value instanceof CelError ? value : toJson(value);
  if (json instanceof CelError)
    throw new MutationError(`expression '${expression}' resulted in error: ${json.message}`);
  if (mutation.patchType === "JSONPatch") return patchedByOperations(object, json);
  const schema = equivalents.find(resource)?.kind.schema;
  if (!isObject(json) || schema === undefined) throw new MutationError("the expression does not give an object");
  const forbidden = ["apiVersion", "kind"].find((key) => Object.hasOwn(json, key));
  if (forbidden !== undefined) throw new MutationError(`the expression must not set ${forbidden}`);
  const merged = mergeConfiguration(object, json, schema);
  if ("problem" in merged) throw new MutationError(`error applying patch: ${merged.problem}`);
  return merged.object as JsonObject;
}

function patchedByOperations(object: JsonObject, operations: Json): JsonObject {
  try {
    return applyJsonPatch(object, decodeJsonPatch(operations).operations) as JsonObject;
  } catch (error) {
    if (!isStatusError(error)) throw error;
    const cause = error.cause instanceof Error ? error.cause.message : error.message;
    throw new MutationError(`error applying JSON Patch: ${cause}`);
  }
}

function denial(request: AdmissionRequest, text: string): StatusError {
  const refused = refusal(request, text);
  return new StatusError(422, "Invalid", refused.message, { ...refused.details, causes: [{ message: text }] });
}
