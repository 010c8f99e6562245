// Handler: DELETE of one object. Requirements: document 1, "Deletion of an object".

import { append } from "../../base/append.ts";
import type { Response } from "../../http/message.ts";
import { deleteObject, orphanWarnings } from "../../registry/delete-object.ts";
import type { ResourceRequest } from "../../registry/resource-request.ts";
import type { WriteRequest } from "../../registry/write.ts";
import { answerDecoded, refuseLargeWrite } from "./answer.ts";
import { answerDeleted } from "./answer-status.ts";
import { type ReadDeleteOptions, readDeleteOptions } from "./delete-options.ts";
import { deleteUnreadable } from "./delete-unreadable.ts";
import { type HandlerContext, outputOf } from "./handler-context.ts";
import { requestedWrite } from "./write-options.ts";

export async function deleteOne(context: HandlerContext, resourceRequest: ResourceRequest): Promise<Response> {
  const { resource } = resourceRequest;
  const output = outputOf(context, resourceRequest);
  const options = await readDeleteOptions(context, resourceRequest);
  refuseLargeWrite(output, resourceRequest);
  const write = deleteRequest(resourceRequest, options);
  if (options.ignoreReadErrors) return deleteUnreadable(context, resourceRequest, write, output);
  const { object, gone, sizeBytes } = await deleteObject(context, write, options);
  if (gone && !resource.kind.returnDeletedObject) return answerDeleted(context, resourceRequest, output, object);
  // Upstream's older clients tell by 202 that dependents go first.
  const status = !gone && options.orphanDependents === false ? 202 : 200;
  return answerDecoded(context, resourceRequest, output, object, status, sizeBytes);
}

export function deleteRequest(resourceRequest: ResourceRequest, options: ReadDeleteOptions): WriteRequest {
  const { dryRun, sent } = options;
  const write = requestedWrite(resourceRequest, { dryRun, fieldManager: "", options: sent });
  append(write.warnings, orphanWarnings(write.resource, options));
  return write;
}
