// The body of a review: decoded and taken through admission like any object, though it is never stored.

import type { ApiObject } from "../../../meta/object.ts";
import { recordCreate } from "../../../registry/field-managers.ts";
import { wipeSystemFields } from "../../../registry/metadata.ts";
import type { ResourceRequest } from "../../../registry/resource-request.ts";
import { admissionRequest } from "../../../registry/write.ts";
import type { HandlerContext } from "../handler-context.ts";
import { writeRequest } from "../write-options.ts";
import { readOperation } from "./operation-body.ts";

export async function receiveReview(context: HandlerContext, resourceRequest: ResourceRequest): Promise<ApiObject> {
  const { object, options } = await readOperation(context, resourceRequest);
  const write = writeRequest(resourceRequest, options, "CreateOptions", context);
  wipeSystemFields(object.metadata);
  delete object.metadata.uid;
  delete object.metadata.creationTimestamp;
  await recordCreate(context, write, object);
  const admission = admissionRequest(write, "CREATE", object.metadata.name ?? "", object, undefined);
  await context.admission.mutate(admission);
  await context.admission.validate(admission);
  // A body need not say what it is; an answer says it first.
  const { kind, apiVersion, metadata, ...rest } = admission.object ?? object;
  return {
    ...(kind === undefined ? {} : { kind }),
    ...(apiVersion === undefined ? {} : { apiVersion }),
    metadata,
    ...rest,
  };
}
