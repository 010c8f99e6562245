// PATCH as server-side apply: decode the intent, merge it, default and shape the result.
// Requirements: document 1, "Server-side apply rules".

import { append } from "../../base/append.ts";
import { isObject, type JsonObject } from "../../base/json.ts";
import { atOnce, type Steps } from "../../base/steps.ts";
import { DecodeError } from "../../codec/decode-error.ts";
import type { ApiObject } from "../../meta/object.ts";
import { badRequest } from "../../meta/status-error.ts";
import { type ApplyInput, applyIntent, applyIntentInSteps } from "../../patch/apply.ts";
import { applyConflictError } from "../../patch/apply-conflict.ts";
import { asUnreadable, oneByOne, shapeValue, strictError } from "../../registry/decode-body.ts";
import { decodeBytesInSteps, type EncodedBody, encodedBody, sizeOfBody } from "../../registry/encoding/decode-bytes.ts";
import { ownershipContext } from "../../registry/field-managers.ts";
import { noteValues, setTypeAndDefaults } from "../../registry/incoming-object.ts";
import { shapeWithManagers } from "../../registry/known-managers.ts";
import { inOtherVersions } from "../../registry/other-versions.ts";
import type { ResourceRequest } from "../../registry/resource-request.ts";
import type { ServedResource } from "../../registry/served-resource.ts";
import { updateObject } from "../../registry/update-object.ts";
import {
  hookContext,
  inStages,
  isLarge,
  stepByStep,
  turnOf,
  type WriteRequest,
  type Written,
} from "../../registry/write.ts";
import { pruneInner } from "../../schema/prune.ts";
import type { StructSchema } from "../../schema/schema.ts";
import { authorizeCreate } from "./authorize-create.ts";
import type { HandlerContext } from "./handler-context.ts";
import { ifMatch } from "./if-match.ts";
import { checkName } from "./update.ts";
import type { WriteQuery } from "./write-options.ts";

export async function applyPatch(
  context: HandlerContext,
  resourceRequest: ResourceRequest,
  write: WriteRequest,
  options: WriteQuery,
  bytes: Uint8Array,
  type: "applyYaml" | "applyCbor",
): Promise<Written> {
  const intent = await readIntent(context, resourceRequest.resource, write, options, bytes, type);
  if (isLarge(write, 0)) await turnOf(write.caller);
  return updateObject(context, write, {
    managesFields: true,
    versionOptional: true,
    // What is merged shares parts with it, but is shaped into a copy.
    leavesCurrent: true,
    ...ifMatch(resourceRequest.request.headers),
    ...(resourceRequest.target.subresource === "" ? { create: authorizeCreate(context, resourceRequest) } : {}),
    next: applier(context, resourceRequest, write, options, intent),
  });
}

/** Says how an intent is merged into the current object. `write` names the endpoint that the ownership is recorded for. */
export function applier(
  context: HandlerContext,
  { resource, target }: ResourceRequest,
  write: WriteRequest,
  options: WriteQuery,
  intent: ApiObject,
): (current: ApiObject | undefined, storedBytes?: number) => Promise<ApiObject> {
  return async (current, storedBytes = 0) => {
    const large = isLarge(write, storedBytes);
    const { schema, apiVersion, kind, subresource, resetFields, now } = ownershipContext(context, write);
    // Member by member: every apply does this, and spread objects are slow to make.
    const input = (convert: ApplyInput["convert"]): ApplyInput => ({
      schema,
      apiVersion,
      kind,
      subresource,
      resetFields,
      now,
      convert,
      live: current,
      intent,
      manager: options.fieldManager,
      force: options.force === true,
      shape: (merged) => asStored(context, write, merged, large),
      lastAppliedAnnotation: context.names.lastAppliedAnnotation,
    });
    const result = await mergeIntent(resource, (convert, answeredBytes) =>
      inStages(write, storedBytes + answeredBytes, {
        atOnce: () => applyIntent(input(convert)),
        inSteps: () => applyIntentInSteps(input(convert)),
      }),
    );
    if (result.conflicts !== undefined) throw applyConflictError(result.conflicts);
    if (large) await turnOf(write.caller);
    const merged = result.object as unknown as JsonObject;
    const shaping = shapeWithManagers(merged, result.object.metadata.managedFields, (value) =>
      shapeValue(resource, value, large, { keepNulls: true }),
    );
    const { object } = await stepByStep(write, storedBytes, shaping);
    checkName(object.metadata.name, target.name);
    if (large) await turnOf(write.caller);
    // What is as it was has the defaults that it was stored with: those of another version must not change it.
    if (result.changed) await setTypeAndDefaults(context, write, object, storedBytes);
    return object;
  };
}

/** The object in shape, with defaults: only to compare it with what others own. */
function* asStored(deps: HandlerContext, write: WriteRequest, merged: JsonObject, large: boolean): Steps<JsonObject> {
  const { resource } = write;
  const { object } = yield* shapeValue(resource, merged, large, { keepNulls: true });
  yield;
  const hooks = hookContext(deps, write);
  yield* resource.rules.defaultInSteps(object, hooks);
  yield;
  yield* resource.rules.canonicalize(object, hooks);
  return object as unknown as JsonObject;
}

/** What is merged stands as it was sent: to see it in another version may be the first to find that it cannot be read. */
async function mergeIntent<T>(
  resource: ServedResource,
  merge: (convert: ApplyInput["convert"], answeredBytes: number) => T | Promise<T>,
): Promise<T> {
  try {
    return await inOtherVersions(resource, merge);
  } catch (error) {
    throw asUnreadable(resource, error);
  }
}

/** The body of an apply. Repeated keys and unknown fields are reported as the field validation asks. */
export async function readIntent(
  context: HandlerContext,
  resource: ServedResource,
  write: WriteRequest,
  options: WriteQuery,
  bytes: Uint8Array,
  type: "applyYaml" | "applyCbor",
): Promise<ApiObject> {
  const body = await encodedBody(context.yaml, bytes, type === "applyCbor" ? "cbor" : "yaml");
  write.bodyBytes = sizeOfBody(body);
  const { schema } = resource.kind;
  const { intent, duplicates } = await inStages(write, 0, {
    atOnce: () => atOnce(decodeIntent(schema, body)),
    inSteps: () => decodeIntent(schema, body),
  });
  noteValues(write, intent);
  if (options.fieldValidation === "Strict" && duplicates.length > 0) {
    throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${duplicates.join(", ")}`);
  }
  if (options.fieldValidation === "Warn") append(write.warnings, duplicates.flatMap(oneByOne));
  // Upstream refuses them in every mode, where it compares the intent with the schema; the documents do not.
  return context.names.dialect === "platform" ? await withoutUnknown(resource, intent, write, options) : intent;
}

async function withoutUnknown(
  resource: ServedResource,
  intent: ApiObject,
  write: WriteRequest,
  { fieldValidation }: WriteQuery,
): Promise<ApiObject> {
  const shaping = shapeValue(resource, intent as unknown as JsonObject, isLarge(write, 0), { keepNulls: true });
  const { object, unknown } = await stepByStep(write, 0, shaping);
  if (unknown.length === 0) return intent;
  if (fieldValidation === "Strict") throw strictError(resource, unknown);
  if (fieldValidation === "Warn") append(write.warnings, unknown);
  const { schema } = resource.kind;
  // Only custom resources are no more than what was sent when they are in shape.
  if (schema.name === undefined) return object;
  await stepByStep(write, 0, pruneInner(intent, schema));
  return intent;
}

function* decodeIntent(
  schema: StructSchema,
  body: EncodedBody,
): Steps<{ intent: ApiObject; duplicates: readonly string[] }> {
  try {
    const { value, duplicates } = yield* decodeBytesInSteps(body, schema);
    if (value !== null && !isObject(value)) {
      const word = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
      throw badRequest(
        `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${word} into Go value of type map[string]interface {}`,
      );
    }
    return { intent: (value ?? {}) as unknown as ApiObject, duplicates };
  } catch (error) {
    if (error instanceof DecodeError)
      throw badRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`);
    throw error;
  }
}
