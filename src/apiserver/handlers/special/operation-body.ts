// The body of an operation in the form of a kind (a binding, an eviction, a review), decoded like any object.

import { negotiateInput } from "../../../codec/negotiate.ts";
import type { Kind } from "../../../kinds/define-kind.ts";
import type { ApiObject } from "../../../meta/object.ts";
import { encodedBody, sizeOfBody } from "../../../registry/encoding/decode-bytes.ts";
import { decodeBody, incomingBody, placeObject, setTypeAndDefaults } from "../../../registry/incoming-object.ts";
import { readBody } from "../../../registry/read-body.ts";
import { identityOf } from "../../../registry/request.ts";
import type { ResourceRequest } from "../../../registry/resource-request.ts";
import type { ServedResource } from "../../../registry/served-resource.ts";
import { endpointOf, type HandlerContext } from "../handler-context.ts";
import { kindInPlace } from "../kind-in-place.ts";
import { readWriteOptions, type WriteQuery } from "../write-options.ts";

export interface OperationBody {
  readonly object: ApiObject;
  readonly options: WriteQuery;
  /** The kind of the body as a served resource, for encoding the answer. */
  readonly resource: ServedResource;
  readonly bodyBytes: number;
}

/** `kind` is the body's kind where it differs from the resource's; `older` are versions that it may say instead. */
export async function readOperation(
  context: HandlerContext,
  resourceRequest: ResourceRequest,
  kind?: Kind,
  older: ReadonlySet<string> = NONE,
): Promise<OperationBody> {
  const { request, target } = resourceRequest;
  const resource =
    kind === undefined ? resourceRequest.resource : inClothes(context, resourceRequest.resource, kind, older);
  const mediaType = negotiateInput(request.headers.first("content-type"), context.names, endpointOf(context, resource));
  const options = readWriteOptions(context, request.query, "CreateOptions");
  const body = await encodedBody(context.yaml, await readBody(request, context.maxBodyBytes), mediaType);
  const { user, warnings } = request;
  const bodyBytes = sizeOfBody(body);
  const write = { resource, user, caller: request, warnings, bodyBytes };
  const object = await decodeBody(write, incomingBody(body, options.fieldValidation));
  request.notes.body = identityOf(object);
  await setTypeAndDefaults(context, write, object);
  placeObject({ resource: resourceRequest.resource, namespace: target.namespace }, object);
  return { object, options, resource, bodyBytes };
}

const NONE: ReadonlySet<string> = new Set();

/** Put together once for each: a binding comes for every pod. */
const CLOTHES = new WeakMap<ServedResource, Map<Kind, ServedResource>>();

function inClothes(
  context: HandlerContext,
  parent: ServedResource,
  kind: Kind,
  older: ReadonlySet<string>,
): ServedResource {
  let ofParent = CLOTHES.get(parent);
  if (ofParent === undefined) {
    ofParent = new Map();
    CLOTHES.set(parent, ofParent);
  }
  let made = ofParent.get(kind);
  if (made === undefined) {
    made = kindInPlace(context, parent, kind, { store: undefined, storedForm: true, alsoAccepts: older });
    ofParent.set(kind, made);
  }
  return made;
}
