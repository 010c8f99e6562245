// The first stages of every write: what came in becomes an object of its kind. Decode, check fields, shape, default, and
// the decision which namespace it belongs to.

import type { JsonObject } from "../base/json.ts";
import type { ApiObject } from "../meta/object.ts";
import { badRequest } from "../meta/status-error.ts";
import { decodeObject, decodeObjectInSteps, type FieldValidation } from "./decode-body.ts";
import type { EncodedBody } from "./encoding/decode-bytes.ts";
import {
  hookContext,
  inStages,
  isLarge,
  sizeByValues,
  stepByStep,
  turnOf,
  type WriteDeps,
  type WriteRequest,
} from "./write.ts";

/** The body of a request, or the draft of an object whose type and place the request names. */
export type Incoming = IncomingBody | { readonly draft: JsonObject };

interface IncomingBody extends EncodedBody {
  readonly validation: FieldValidation;
}

/** Made for every write, member by member: spread objects are slow to make. */
export function incomingBody({ bytes, mediaType, longYaml }: EncodedBody, validation: FieldValidation): IncomingBody {
  return longYaml === undefined ? { bytes, mediaType, validation } : { bytes, mediaType, validation, longYaml };
}

/** Takes a draft over: the object may share its members. Fails with 400. */
export async function incomingObject(deps: WriteDeps, request: WriteRequest, incoming: Incoming): Promise<ApiObject> {
  const decoded = "draft" in incoming ? shapeDraft(request, incoming.draft) : decodeBody(request, incoming);
  const object = decoded instanceof Promise ? await decoded : decoded;
  noteValues(request, object);
  if (isLarge(request, 0)) await turnOf(request.caller);
  const filled = setTypeAndDefaults(deps, request, object);
  if (filled !== undefined) await filled;
  placeObject(request, object);
  return object;
}

/** Type and defaults, for what has been decoded and shaped. A promise where they take long: of a large object, or large ones. */
export function setTypeAndDefaults(
  deps: WriteDeps,
  request: Pick<WriteRequest, "resource" | "user" | "caller" | "bodyBytes">,
  object: ApiObject,
  storedBytes = 0,
): void | Promise<void> {
  const { kind, apiVersion, rules, custom } = request.resource;
  object.kind = kind.kind;
  object.apiVersion = apiVersion;
  const context = hookContext(deps, request);
  if (custom !== true && !isLarge(request, storedBytes)) return rules.default(object, context);
  const filled = stepByStep(request, storedBytes, rules.defaultInSteps(object, context));
  if (typeof filled === "number") noteDefaults(request, filled);
  else return filled.then((values) => noteDefaults(request, values));
}

/** So many bytes may hold so many values that they take as long as those of a long body. */
const MAYBE_MANY_BYTES = 8 * 1024;

/** A body of few bytes that holds many values is large. */
export function noteValues(request: Pick<WriteRequest, "bodyBytes">, object: ApiObject): void {
  const { bodyBytes = 0 } = request;
  if (bodyBytes > MAYBE_MANY_BYTES && !isLarge(request, 0)) request.bodyBytes = sizeByValues(object, bodyBytes);
}

/** What is small may be large with its defaults. */
function noteDefaults(request: Pick<WriteRequest, "bodyBytes">, values: number): void {
  if (values > 0) request.bodyBytes = (request.bodyBytes ?? 0) + values * BYTES_PER_DEFAULT;
}

/** As they are written, about. */
const BYTES_PER_DEFAULT = 16;

/** The namespace of the body must be that of the path; a body without one takes it, that of a cluster-wide kind loses it. */
export function placeObject(request: Pick<WriteRequest, "namespace" | "resource">, { metadata }: ApiObject): void {
  if (request.resource.kind.scope === "Cluster") {
    delete metadata.namespace;
    return;
  }
  if (metadata.namespace === undefined || metadata.namespace === "") metadata.namespace = request.namespace;
  else if (metadata.namespace !== request.namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
}

/** A promise only for a large body. Fails with 400. */
export function decodeBody(
  request: Pick<WriteRequest, "resource" | "warnings" | "caller" | "bodyBytes">,
  body: IncomingBody,
): ApiObject | Promise<ApiObject> {
  const { resource, warnings } = request;
  const options = { validation: body.validation, warnings };
  return inStages(request, 0, {
    atOnce: () => decodeObject(resource, body, options),
    inSteps: () => decodeObjectInSteps(resource, body, options),
  });
}

function shapeDraft({ resource, name }: WriteRequest, draft: JsonObject): ApiObject {
  const metadata = { ...(draft["metadata"] as JsonObject | undefined), name };
  return resource.rules.shape({ ...draft, metadata }).object;
}
