// Handler: POST of an object to a collection.

import { negotiateInput } from "../../codec/negotiate.ts";
import type { Response } from "../../http/message.ts";
import { methodNotAllowed } from "../../meta/status-error.ts";
import { createObject, ensureNamespace } from "../../registry/create-object.ts";
import { decodeObject } from "../../registry/decode-body.ts";
import { readBody } from "../../registry/read-body.ts";
import type { ResourceRequest } from "../../registry/resource-request.ts";
import { hookContext } from "../../registry/write.ts";
import { answerObject } from "./answer.ts";
import { endpointOf, type HandlerContext, outputOf } from "./handler-context.ts";
import { readWriteOptions, writeRequest } from "./write-options.ts";

export async function create(context: HandlerContext, asked: ResourceRequest): Promise<Response> {
  const { request, target, resource } = asked;
  // A name in the path belongs to an item, which is not created by POST.
  if (target.name !== "") throw methodNotAllowed();
  const output = outputOf(context, asked);
  const mediaType = negotiateInput(request.headers.first("content-type"), context.names, endpointOf(context, resource));
  const options = readWriteOptions(context, request.query, "CreateOptions");
  const bytes = await readBody(request, context.maxBodyBytes);
  const write = writeRequest(asked, options, "CreateOptions", context);
  const object = decodeObject(resource, bytes, {
    mediaType,
    validation: options.fieldValidation,
    warnings: request.warnings,
    context: hookContext(context, write),
  });
  ensureNamespace(write, object);
  const written = await createObject(context, write, object);
  return answerObject(context, asked, output, written, 201);
}
