// Handler: POST of an object to a collection.

import { negotiateInput } from "../../codec/negotiate.ts";
import type { Response } from "../../http/message.ts";
import { methodNotAllowed } from "../../meta/status-error.ts";
import { storeNewObject } from "../../registry/create-object.ts";
import { encodedBody, sizeOfBody } from "../../registry/encoding/decode-bytes.ts";
import { incomingBody, incomingObject } from "../../registry/incoming-object.ts";
import { readBody } from "../../registry/read-body.ts";
import { identityOf } from "../../registry/request.ts";
import type { ResourceRequest } from "../../registry/resource-request.ts";
import { answerObject, refuseLargeWrite } from "./answer.ts";
import { endpointOf, type HandlerContext, outputOf } from "./handler-context.ts";
import { readWriteOptions, writeRequest } from "./write-options.ts";

export async function create(context: HandlerContext, resourceRequest: ResourceRequest): Promise<Response> {
  const { request, target, resource } = resourceRequest;
  // A name in the path belongs to an item, which is not created by POST.
  if (target.name !== "") throw methodNotAllowed();
  const output = outputOf(context, resourceRequest);
  const mediaType = negotiateInput(request.headers.first("content-type"), context.names, endpointOf(context, resource));
  const options = readWriteOptions(context, request.query, "CreateOptions");
  const body = await encodedBody(context.yaml, await readBody(request, context.maxBodyBytes), mediaType);
  refuseLargeWrite(output, resourceRequest, sizeOfBody(body));
  const write = writeRequest(resourceRequest, options, "CreateOptions", context, sizeOfBody(body));
  const object = await incomingObject(context, write, incomingBody(body, options.fieldValidation));
  request.notes.body = identityOf(object);
  const written = await storeNewObject(context, write, object);
  return answerObject(context, resourceRequest, output, written, 201);
}
