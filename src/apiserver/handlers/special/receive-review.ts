// The body of a review: decoded and taken through admission like any object, though it is never stored.

import type { ApiObject } from "../../../meta/object.ts";
import { recordCreate } from "../../../registry/field-managers.ts";
import { wipeSystemFields } from "../../../registry/metadata.ts";
import type { ResourceRequest } from "../../../registry/resource-request.ts";
import { admissionRequest } from "../../../registry/write.ts";
import type { HandlerContext } from "../handler-context.ts";
import { writeRequest } from "../write-options.ts";
import { readOperation } from "./operation-body.ts";

interface ReceivedReview {
  readonly review: ApiObject;
  /** About its size, for the answer. */
  readonly sizeBytes: number;
}

export async function receiveReview(
  context: HandlerContext,
  resourceRequest: ResourceRequest,
): Promise<ReceivedReview> {
  const { object, options, bodyBytes } = await readOperation(context, resourceRequest);
  const write = writeRequest(resourceRequest, options, "CreateOptions", context, bodyBytes);
  wipeSystemFields(object.metadata);
  await recordCreate(context, write, object);
  const admission = admissionRequest(write, "CREATE", object.metadata.name ?? "", object, undefined);
  await context.admission.mutate(admission);
  await context.admission.validate(admission);
  // A body need not say what it is; an answer says it first.
  const { kind, apiVersion, metadata, ...rest } = admission.object ?? object;
  const review = {
    ...(kind === undefined ? {} : { kind }),
    ...(apiVersion === undefined ? {} : { apiVersion }),
    metadata,
    ...rest,
  };
  return { review, sizeBytes: bodyBytes };
}
