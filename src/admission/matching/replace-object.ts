// Puts a changed object in place of the one that a request brings: in the kind's shape, defaulted, in the request's version.

import { countValues, type Json, type JsonObject } from "../../base/json.ts";
import { equalJsonInSteps } from "../../base/json-in-steps.ts";
import type { Steps } from "../../base/steps.ts";
import type { ApiObject } from "../../meta/object.ts";
import { badRequest, internalError } from "../../meta/status-error.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";
import { STRICT_DECODING_ERROR } from "../../registry/decode-body.ts";
import type { ServedResource } from "../../registry/served-resource.ts";
import { hookContext, type WriteDeps } from "../../registry/write.ts";
import { ShapeError } from "../../schema/walk.ts";
import type { Equivalents } from "./equivalents.ts";
import type { MatchedRequest } from "./matcher.ts";
import { soon } from "./soon.ts";

export interface ReplaceParts {
  readonly equivalents: Equivalents;
  readonly writeDeps: () => WriteDeps;
}

/**
 * `changed` is in the matched version; what its kind does not know is dropped, or refused where reading is strict. True when the
 * object is another one now.
 */
export async function replaceObject(
  parts: ReplaceParts,
  request: AdmissionRequest,
  matched: MatchedRequest,
  changed: JsonObject,
  reading: "lenient" | "strict" = "lenient",
): Promise<boolean> {
  const typed = withType(parts, request, matched, changed);
  const next = await reshape(parts, request, matched, typed, reading === "strict");
  keepPlace(request.object!, next);
  if (await soon(equalJsonInSteps(next, request.object), request)) return false;
  if (countValues(next as unknown as Json, FEW_VALUES) > FEW_VALUES) request.isLarge = true;
  request.object = next;
  return true;
}

/** What has no more is small. */
const FEW_VALUES = 1_000;

function keepPlace({ metadata: before }: ApiObject, { metadata }: ApiObject): void {
  // What a connection asks for has no metadata.
  if (before === undefined || metadata === undefined) return;
  if ((metadata.namespace ?? "") === "" && before.namespace !== undefined) metadata.namespace = before.namespace;
  if ((metadata.namespace ?? "") !== (before.namespace ?? ""))
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  // Who leaves the version of an update away means the one that is there.
  if ((metadata.resourceVersion ?? "") === "" && before.resourceVersion !== undefined)
    metadata.resourceVersion = before.resourceVersion;
  // Only the server records who owns which field: what admission has made of that is dropped.
  if (before.managedFields === undefined) delete metadata.managedFields;
  else metadata.managedFields = before.managedFields;
}

/** Admission may change anything but the kind and the version; what is built in need not say them. */
function withType(
  { equivalents }: ReplaceParts,
  { object, resource }: AdmissionRequest,
  { other }: MatchedRequest,
  result: JsonObject,
): JsonObject {
  const { kind, apiVersion } = object!;
  const isPart = other !== undefined && kind !== other.kind.kind;
  const version = other === undefined || isPart ? apiVersion : other.apiVersion;
  const changed =
    equivalents.find(resource)?.custom === true
      ? result
      : { ...result, kind: result["kind"] || kind!, apiVersion: result["apiVersion"] || version! };
  if (typeof changed["kind"] !== "string" || changed["kind"] === "") throw internalError("Object 'Kind' is missing");
  if (changed["apiVersion"] !== version)
    throw internalError(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(changed["apiVersion"])}`,
    );
  if (changed["kind"] !== kind) throw internalError(`converting (${changed["kind"]}) to (${kind}): unknown conversion`);
  return changed;
}

/** Bodies of sub-resources are taken as they come: their handlers look at them again. */
async function reshape(
  { equivalents, writeDeps }: ReplaceParts,
  request: AdmissionRequest,
  matched: MatchedRequest,
  changed: JsonObject,
  strict: boolean,
): Promise<ApiObject> {
  const served = matched.other ?? equivalents.find(request.resource);
  const isItself = served !== undefined && changed["kind"] === served.kind.kind;
  if (!isItself) {
    const { metadata, ...rest } = changed;
    return (metadata === undefined
      ? rest
      : { ...rest, metadata: { ...(metadata as JsonObject) } }) as unknown as ApiObject;
  }
  const shaped = async (resource: ServedResource, value: JsonObject): Promise<ApiObject> => {
    const object = await soon(shape(resource, value, strict), request);
    await soon(resource.rules.defaultInSteps(object, hookContext(writeDeps(), request)), request);
    return object;
  };
  if (matched.other === undefined) return await shaped(served, changed);
  const own = equivalents.find(request.resource)!;
  const { group, kind, custom } = matched.other;
  const said = { group, version: kind.version, resource: kind.resource };
  if (custom !== true) return (await equivalents.convert(await shaped(served, changed), said, own))!;
  // Its own version says what it has: the other one may know less of it.
  const back = (await equivalents.convert(changed as unknown as ApiObject, said, own))!;
  return await shaped(own, back as unknown as JsonObject);
}

/** Somebody may have made something of the object that its kind cannot be. */
function* shape({ rules, custom }: ServedResource, changed: JsonObject, strict: boolean): Steps<ApiObject> {
  try {
    const { object, unknown } = yield* rules.shapeInSteps(changed);
    if (strict && custom !== true && unknown.length > 0)
      throw internalError(`${STRICT_DECODING_ERROR}: ${unknown.join(", ")}`);
    object.metadata ??= {};
    return object;
  } catch (error) {
    if (error instanceof ShapeError) throw internalError(error.message);
    throw error;
  }
}
