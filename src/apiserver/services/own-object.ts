// Objects that the server itself keeps in the API: created when absent, corrected when they differ.

import type { JsonObject } from "../../base/json.ts";
import type { ApiObject } from "../../meta/object.ts";
import { isStatusError } from "../../meta/status-error.ts";
import { createObject } from "../../registry/create-object.ts";
import type { ServedResource } from "../../registry/served-resource.ts";
import { serverWrite } from "../../registry/server-write.ts";
import { updateObject } from "../../registry/update-object.ts";
import { hookContext, type WriteDeps, type WriteRequest } from "../../registry/write.ts";

export interface OwnObject {
  readonly resource: ServedResource;
  readonly namespace: string;
  readonly name: string;
  /** The whole object without its type, when it is absent. */
  readonly draft: JsonObject;
  /** Changes what differs in the stored object; false when nothing does. Absent: it stays as it is. */
  readonly correct?: (object: ApiObject) => boolean;
  readonly subresource?: string;
}

/** The object as it is now. */
export async function ensureOwnObject(deps: WriteDeps, own: OwnObject): Promise<ApiObject> {
  const { resource, namespace, name, draft, correct, subresource = "" } = own;
  const store = resource.store!;
  const request: WriteRequest = { ...serverWrite(resource, name), namespace, subresource };
  const entry = await store.get(store.keyOf(namespace, name));
  if (entry === undefined) {
    try {
      return (await createObject(deps, request, shaped(deps, request, draft))).object;
    } catch (error) {
      // Another server of the same store was faster.
      if (!isStatusError(error, "AlreadyExists")) throw error;
      return ensureOwnObject(deps, own);
    }
  }
  const current = store.decode(entry);
  if (correct === undefined || !correct(store.decode(entry))) return current;
  const { object } = await updateObject(deps, request, {
    next(stored) {
      const next = stored ?? shaped(deps, request, draft);
      correct(next);
      return next;
    },
    create: { authorize: async () => undefined },
    versionOptional: true,
  });
  return object;
}

function shaped(deps: WriteDeps, request: WriteRequest, draft: JsonObject): ApiObject {
  const { resource, namespace, name } = request;
  const metadata = {
    ...(draft["metadata"] as JsonObject | undefined),
    name,
    ...(namespace === "" ? {} : { namespace }),
  };
  const { object } = resource.rules.shape({
    ...draft,
    apiVersion: resource.apiVersion,
    kind: resource.kind.kind,
    metadata,
  });
  resource.rules.default(object, hookContext(deps, request));
  return object;
}
