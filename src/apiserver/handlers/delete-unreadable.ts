// DELETE of an object whose stored bytes cannot be decoded: the one way to get rid of it, with a gate and a verb of its own.
// Requirements: document 1, "Deletion of an object", rules for unsafe deletion.

import type { Output } from "../../codec/negotiate.ts";
import type { Response } from "../../http/message.ts";
import { invalid } from "../../meta/field-error.ts";
import { forbidden, invalidObject, isStatusError, notFoundObject } from "../../meta/status-error.ts";
import { decodeOrCorrupt } from "../../registry/read-object.ts";
import type { ResourceRequest } from "../../registry/resource-request.ts";
import { toStatusError } from "../../registry/storage-errors.ts";
import type { WriteRequest } from "../../registry/write.ts";
import { attributesOf, refusedSentence } from "../steps/authorize.ts";
import { answerDeleted } from "./answer-status.ts";
import { UNSAFE } from "./delete-options.ts";
import type { HandlerContext } from "./handler-context.ts";

const VERB = "unsafe-delete-ignore-read-errors";

export async function deleteUnreadable(
  context: HandlerContext,
  resourceRequest: ResourceRequest,
  write: WriteRequest,
  output: Output,
): Promise<Response> {
  const { request, resource } = resourceRequest;
  const { name } = write;
  const attributes = { ...attributesOf(request), verb: VERB };
  const decision = await context.authorizer.authorize(attributes);
  if (decision.verdict !== "allow")
    throw forbidden(resource.subject, name, `not permitted to do "${VERB}", reason: ${refusedSentence(attributes)}`);

  const store = resource.store!;
  const key = store.keyOf(write.namespace, name);
  const entry = await store.get(key);
  if (entry === undefined) throw notFoundObject(resource.subject, name);
  if (await readable(resourceRequest, entry)) {
    const readableError = invalid(
      UNSAFE,
      true,
      "is exclusively used to delete corrupt object(s), try again by removing this option",
    );
    throw invalidObject(resource.group, resource.kind.kind, name, [readableError]);
  }
  try {
    await store.engine.delete(key, entry.revision);
  } catch (error) {
    throw toStatusError(error, resource.subject, name);
  }
  return answerDeleted(context, resourceRequest, output, { metadata: { name } });
}

async function readable({ resource }: ResourceRequest, entry: Parameters<typeof decodeOrCorrupt>[1]): Promise<boolean> {
  try {
    await decodeOrCorrupt(resource, entry);
    return true;
  } catch (error) {
    if (isStatusError(error, "StoreReadError")) return false;
    throw error;
  }
}
