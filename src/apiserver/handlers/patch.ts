// Handler: PATCH in all its kinds. Requirements: document 1, "Update mechanisms", "Server-side apply rules".

import { append } from "../../base/append.ts";
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { atOnce, type Steps } from "../../base/steps.ts";
import { type Decoded, DecodeError } from "../../codec/decode-error.ts";
import { decodeJson, decodeJsonInSteps, encodeJsonPlain } from "../../codec/json.ts";
import { negotiatePatch, type PatchType } from "../../codec/negotiate.ts";
import type { Response } from "../../http/message.ts";
import { type FieldError, forbiddenField, invalid, required } from "../../meta/field-error.ts";
import type { ApiObject } from "../../meta/object.ts";
import { badRequest, invalidObject } from "../../meta/status-error.ts";
import { goValue } from "../../patch/go-text.ts";
import { applyJsonPatchInSteps, decodeJsonPatchInSteps } from "../../patch/json-patch.ts";
import { applyMergePatch } from "../../patch/merge-patch.ts";
import { restoreProblem } from "../../patch/restore-problem.ts";
import { applyStrategicMergePatch } from "../../patch/strategic-merge.ts";
import { type FieldValidation, inKeyOrder, STRICT_DECODING_ERROR, strictError } from "../../registry/decode-body.ts";
import { refuseCrowdedText } from "../../registry/encoding/crowded-body.ts";
import { setTypeAndDefaults } from "../../registry/incoming-object.ts";
import { shapeWithManagers } from "../../registry/known-managers.ts";
import { readBody } from "../../registry/read-body.ts";
import type { ResourceRequest } from "../../registry/resource-request.ts";
import type { ServedResource, ShapedObject } from "../../registry/served-resource.ts";
import { type ObjectChange, updateObject } from "../../registry/update-object.ts";
import { inStages, isLarge, stepByStep, turnOf, type WriteRequest } from "../../registry/write.ts";
import { ShapeError } from "../../schema/conform.ts";
import { answerObject, refuseLargeWrite } from "./answer.ts";
import { applyPatch } from "./apply.ts";
import { endpointOf, type HandlerContext, outputOf } from "./handler-context.ts";
import { ifMatch } from "./if-match.ts";
import { patchedDocument } from "./patched-document.ts";
import { checkPatchedType } from "./patched-type.ts";
import { checkName } from "./update.ts";
import { readWriteOptions, type WriteQuery, writeRequest } from "./write-options.ts";

export async function patch(context: HandlerContext, resourceRequest: ResourceRequest): Promise<Response> {
  const { request, resource } = resourceRequest;
  const output = outputOf(context, resourceRequest);
  const type = negotiatePatch(request.headers.first("content-type"), endpointOf(context, resource));
  const options = readWriteOptions(context, request.query, "PatchOptions", patchErrors(type, request.query));
  const bytes = await readBody(request, context.maxBodyBytes);
  refuseLargeWrite(output, resourceRequest, bytes.length);
  const write = writeRequest(resourceRequest, options, "PatchOptions", context, bytes.length);
  const written =
    type === "applyYaml" || type === "applyCbor"
      ? await applyPatch(context, resourceRequest, write, options, bytes, type)
      : await updateObject(context, write, {
          next: patcher(context, resourceRequest, write, options, bytes, type),
          versionOptional: true,
          // No patch changes what it is applied to, and what comes of it is shaped into a copy.
          leavesCurrent: true,
          ...ifMatch(request.headers),
        });
  return answerObject(context, resourceRequest, output, written, written.created ? 201 : 200);
}

/** Says how the current object becomes the new one. */
export function patcher(
  context: HandlerContext,
  resourceRequest: ResourceRequest,
  write: WriteRequest,
  options: WriteQuery,
  bytes: Uint8Array,
  type: Exclude<PatchType, "applyYaml" | "applyCbor">,
): ObjectChange["next"] {
  const { resource, target } = resourceRequest;
  // Read when the object has been found: an absent object is 404, whatever the patch is.
  let read: ReadPatch | undefined;
  return async (current, storedBytes = 0) => {
    // What nobody asked to have checked is judged by what it does.
    const loose = options.fieldValidation === "Ignore";
    if (read === undefined) {
      const decoded = await decodePatch(write, bytes, type, loose);
      read = await stepByStep(write, storedBytes, readPatch(context, decoded, type, resource, loose));
    }
    const { apply, findings } = read;
    const large = isLarge(write, storedBytes);
    if (large) await turnOf(write.caller);
    const patched = await inStages(write, storedBytes, {
      atOnce: () => atOnce(apply(current as unknown as JsonObject)),
      inSteps: () => apply(current as unknown as JsonObject),
    });
    if (!isObject(patched)) throw badRequest("the patch does not leave an object");
    if (large) await turnOf(write.caller);
    const shaping = shapePatched(context, resource, current!, patched, read, options.fieldValidation, large);
    const { object, unknown } = await stepByStep(write, storedBytes, shaping);
    if (options.fieldValidation === "Warn") {
      append(write.warnings, findings);
      append(write.warnings, await stepByStep(write, storedBytes, inKeyOrder(unknown)));
    }
    checkName(object.metadata?.name, target.name);
    if (large) await turnOf(write.caller);
    await setTypeAndDefaults(context, write, object, storedBytes);
    return object;
  };
}

interface ReadPatch {
  apply(current: JsonObject): Steps<Json>;
  /** Repeated and unknown members of the patch itself. */
  readonly findings: readonly string[];
  /** What a refusal shows where it is not the patched document: upstream shows a strategic patch itself. */
  readonly shown?: () => string;
}

function* readPatch(
  { names }: HandlerContext,
  { value, duplicates }: Pick<Decoded<Json>, "value" | "duplicates">,
  type: "json" | "merge" | "strategic",
  resource: ServedResource,
  loose: boolean,
): Steps<ReadPatch> {
  switch (type) {
    case "json": {
      const { operations, unknownFields } = yield* decodeJsonPatchInSteps(value, { loose });
      return {
        apply: (current) => applyJsonPatchInSteps(current, operations, { replaceSets: names.dialect !== "platform" }),
        findings: [...duplicates.map((text) => `json patch ${text}`), ...unknownFields],
      };
    }
    case "merge":
      if (loose && !isObject(value)) throw noMergePatch(value);
      return { apply: (current) => applyMergePatch(current, value), findings: duplicates };
    case "strategic":
      return {
        apply: (current) => mergeStrategically(resource, current, value),
        findings: duplicates,
        shown: () => goValue(value),
      };
  }
}

function* mergeStrategically(resource: ServedResource, current: JsonObject, patch: Json): Steps<Json> {
  const merged = yield* applyStrategicMergePatch(current, patch, resource.kind.schema);
  // What kind the patch says it is for does not matter, as long as it can be read: it is the endpoint's.
  const isText = (member: unknown) => member === undefined || typeof member === "string";
  if (!isText(merged["kind"]) || !isText(merged["apiVersion"])) return merged;
  return { ...merged, kind: resource.kind.kind, apiVersion: resource.apiVersion };
}

async function decodePatch(
  write: WriteRequest,
  bytes: Uint8Array,
  type: "json" | "merge" | "strategic",
  loose: boolean,
): Promise<Decoded<Json>> {
  await stepByStep(write, 0, refuseCrowdedText(bytes));
  try {
    return await inStages(write, 0, { atOnce: () => decodeJson(bytes), inSteps: () => decodeJsonInSteps(bytes) });
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    if (loose && type === "merge") throw badRequest(INVALID_MERGE_PATCH);
    throw badRequest(loose || type === "strategic" ? error.message : `error decoding patch: ${error.message}`);
  }
}

const INVALID_MERGE_PATCH = "Invalid JSON Patch";

/** A list takes the place of the object, and has no type; upstream shows the structure that it looks for. */
function noMergePatch(value: Json): Error {
  if (!Array.isArray(value)) return badRequest(INVALID_MERGE_PATCH);
  const wanted =
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
  const why = `couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type ${wanted}`;
  const shown = Buffer.from(encodeJsonPlain(value)).toString("utf8");
  return invalidObject("", "", "", [invalid("patch", shown, why)]);
}

/**
 * What a patch leaves must be an object of the kind; if it is not, the patch was wrong, and the answer is 422. For
 * fields that Strict forbids the documents ask for 400, as of every other body.
 */
function* shapePatched(
  { names }: HandlerContext,
  resource: ServedResource,
  current: ApiObject,
  patched: JsonObject,
  { findings, shown }: ReadPatch,
  validation: FieldValidation,
  large: boolean,
): Steps<ShapedObject> {
  try {
    checkPatchedType(resource, patched, current.metadata.name ?? "", (why) => new PatchProblem(why));
    const shaped = yield* shapeWithManagers(patched, current.metadata.managedFields, (value) =>
      shapeOf(resource, value, large),
    );
    if (validation !== "Strict") return shaped;
    const all = [...findings, ...(yield* inKeyOrder(shaped.unknown))];
    if (all.length === 0) return shaped;
    throw names.dialect === "platform"
      ? strictError(resource, all)
      : new PatchProblem(`${STRICT_DECODING_ERROR}: ${all.join(", ")}`);
  } catch (error) {
    const why = problemOf(error, shown !== undefined);
    if (why === undefined) throw error;
    const document = shown === undefined ? yield* patchedDocument(resource, patched, current) : shown();
    throw invalidObject("", "", "", [invalid("patch", document, why)]);
  }
}

/** What is wrong with a patch; the answer shows what it leaves, or the patch itself. */
class PatchProblem extends Error {}

function problemOf(error: unknown, isStrategic: boolean): string | undefined {
  if (error instanceof ShapeError && isStrategic) return restoreProblem(error);
  return error instanceof PatchProblem || error instanceof ShapeError ? error.message : undefined;
}

function* shapeOf({ rules }: ServedResource, value: JsonObject, large: boolean): Steps<ShapedObject> {
  return large ? yield* rules.shapeInSteps(value) : rules.shape(value);
}

export function patchErrors(type: PatchType, query: URLSearchParams): FieldError[] {
  const applies = type === "applyYaml" || type === "applyCbor";
  if (applies && (query.get("fieldManager") ?? "") === "")
    return [required("fieldManager", "is required for apply patch")];
  if (!applies && query.has("force")) return [forbiddenField("force", "may not be specified for non-apply patch")];
  return [];
}
