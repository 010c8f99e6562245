// One mutation of a policy carried out on an object: the expression builds a patch or a configuration. Pure.

import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import type { Steps } from "../../base/steps.ts";
import { CelError } from "../../cel/errors.ts";
import { toJson } from "../../cel/json.ts";
import type { Mutation } from "../../kinds/admissionregistration/mutating-admission-policy.ts";
import { isStatusError } from "../../meta/status-error.ts";
import { atomicParts } from "../../patch/atomic-parts.ts";
import { applyJsonPatchInSteps, decodeJsonPatchInSteps } from "../../patch/json-patch.ts";
import { mergeConfiguration } from "../../patch/merge-configuration.ts";
import { ANY, type PolicyEnvironment } from "../../schema/policy-expressions.ts";
import { misplacedLiteral } from "../../schema/policy-literals.ts";
import type { Schema } from "../../schema/schema.ts";
import { type Activation, evaluate, failureText, newBudget, withVariables } from "./evaluate-policy.ts";

/** A mutation that could not be carried out; the failure policy decides what that means. */
export class MutationError extends Error {}

/** The changed object; undefined when a test in the patch does not hold, which leaves the object as it is. */
export function* mutated(
  environment: PolicyEnvironment,
  mutation: Mutation,
  schema: Schema | undefined,
  given: Activation,
): Steps<JsonObject | undefined> {
  const object = given["object"] as JsonObject;
  const expression = (mutation.jsonPatch ?? mutation.applyConfiguration)?.expression ?? "";
  const budget = newBudget();
  const value = yield* evaluate(environment, expression, ANY, withVariables(environment, given, budget), budget);
  if (value instanceof CelError) throw new MutationError(failureText(expression, value));
  const json = toJson(value);
  if (json instanceof CelError) throw new MutationError(failureText(expression, json));
  yield;
  return yield* mutation.patchType === "JSONPatch" ? patched(object, json) : configured(object, json, schema);
}

function* patched(object: JsonObject, json: Json): Steps<JsonObject | undefined> {
  try {
    const { operations } = yield* decodeJsonPatchInSteps(json);
    return (yield* applyJsonPatchInSteps(object, operations, { replaceSets: true })) as JsonObject;
  } catch (error) {
    if (!isStatusError(error)) throw error;
    const why = typeof error.cause === "string" ? error.cause : error.message;
    if (why.endsWith(": test failed")) return undefined;
    throw new MutationError(`JSON Patch: ${why}`);
  }
}

function* configured(object: JsonObject, json: Json, schema: Schema | undefined): Steps<JsonObject> {
  if (!isObject(json) || schema === undefined) throw new MutationError("the expression does not give an object");
  const misplaced = misplacedLiteral(json);
  if (misplaced !== undefined) throw new MutationError(`type mismatch: ${misplaced}`);
  // Kind and version are those of the object, whatever the expression says.
  const { apiVersion: _apiVersion, kind: _kind, ...configuration } = json;
  const atomics = atomicParts(configuration, schema);
  if (atomics.length > 0) {
    throw new MutationError(
      `error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(", ")}`,
    );
  }
  yield;
  const merged = yield* mergeConfiguration(object, configuration, schema);
  if ("problem" in merged)
    throw new MutationError(`error applying patch: failed to convert patch object to typed object: ${merged.problem}`);
  return merged.object as JsonObject;
}
