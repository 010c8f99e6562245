// Handler: PUT of an object. Requirements: document 1, "Update mechanisms".

import { negotiateInput } from "../../codec/negotiate.ts";
import type { Response } from "../../http/message.ts";
import type { ApiObject } from "../../meta/object.ts";
import { badRequest } from "../../meta/status-error.ts";
import { encodedBody, sizeOfBody } from "../../registry/encoding/decode-bytes.ts";
import { incomingBody, incomingObject } from "../../registry/incoming-object.ts";
import { readBody } from "../../registry/read-body.ts";
import { identityOf } from "../../registry/request.ts";
import type { ResourceRequest } from "../../registry/resource-request.ts";
import { updateObject } from "../../registry/update-object.ts";
import { answerObject, refuseLargeWrite } from "./answer.ts";
import { authorizeCreate } from "./authorize-create.ts";
import { endpointOf, type HandlerContext, outputOf } from "./handler-context.ts";
import { readWriteOptions, writeRequest } from "./write-options.ts";

export async function update(context: HandlerContext, resourceRequest: ResourceRequest): Promise<Response> {
  const { request, target, resource } = resourceRequest;
  const output = outputOf(context, resourceRequest);
  const mediaType = negotiateInput(request.headers.first("content-type"), context.names, endpointOf(context, resource));
  const options = readWriteOptions(context, request.query, "UpdateOptions");
  const body = await encodedBody(context.yaml, await readBody(request, context.maxBodyBytes), mediaType);
  refuseLargeWrite(output, resourceRequest, sizeOfBody(body));
  const write = writeRequest(resourceRequest, options, "UpdateOptions", context, sizeOfBody(body));
  const decoded = () => incomingObject(context, write, incomingBody(body, options.fieldValidation));
  let object: ApiObject | undefined = await decoded();
  request.notes.body = identityOf(object);
  checkName(object.metadata.name, target.name);
  const { uid } = object.metadata;
  const written = await updateObject(context, write, {
    next: () => {
      // The first attempt takes the decoded body, a repeated one needs it fresh: the write path changes what it is given.
      const next = object ?? decoded();
      object = undefined;
      return next;
    },
    leavesCurrent: true,
    ...(uid === undefined || uid === "" ? {} : { expected: { uid } }),
    ...(resource.kind.createOnUpdate && target.subresource === ""
      ? { create: authorizeCreate(context, resourceRequest) }
      : {}),
  });
  return answerObject(context, resourceRequest, output, written, written.created ? 201 : 200);
}

export function checkName(inBody: string | undefined, inPath: string): void {
  if (inBody === undefined || inBody === "") {
    throw badRequest(`the name of the object (${inPath} based on URL) was undeterminable: name must be provided`);
  }
  if (inBody !== inPath)
    throw badRequest(`the name of the object (${inBody}) does not match the name on the URL (${inPath})`);
}
