// Writes that the server does on its own account: objects that every cluster has, and notes that it keeps in objects.

import { cloneJson, type JsonObject } from "../base/json.ts";
import type { HookContext } from "../kinds/define-kind.ts";
import type { ApiObject } from "../meta/object.ts";
import { isStatusError } from "../meta/status-error.ts";
import { createObject } from "./create-object.ts";
import { deleteObject } from "./delete-object.ts";
import type { ServedResource } from "./served-resource.ts";
import { serverWrite } from "./server-write.ts";
import { updateObject } from "./update-object.ts";
import { hookContext, type WriteDeps, type WriteRequest } from "./write.ts";

/** Creates an object; one that another server of the same store has made meanwhile is as good. */
export async function createOnOwn(
  deps: WriteDeps,
  resource: ServedResource,
  manager: string,
  object: ApiObject,
): Promise<void> {
  const request = ownRequest(resource, manager, object);
  try {
    await createObject(deps, request, shaped(deps, request, object));
  } catch (error) {
    if (!isStatusError(error, "AlreadyExists")) throw error;
  }
}

/** Changes an object, from what is stored when it comes to it. `change` answers undefined to leave it as it is. */
export async function updateOnOwn(
  deps: WriteDeps,
  resource: ServedResource,
  manager: string,
  object: ApiObject,
  change: (stored: ApiObject) => ApiObject | undefined,
): Promise<void> {
  const request = ownRequest(resource, manager, object);
  try {
    await updateObject(deps, request, {
      versionOptional: true,
      next: (stored) => {
        const changed = change(stored!) ?? stored!;
        // Without a version the change is made again from what another writer left.
        const { resourceVersion: _, ...metadata } = changed.metadata;
        return shaped(deps, request, { ...changed, metadata });
      },
    });
  } catch (error) {
    if (!isStatusError(error, "NotFound")) throw error;
  }
}

export async function deleteOnOwn(
  deps: WriteDeps,
  resource: ServedResource,
  manager: string,
  object: ApiObject,
): Promise<void> {
  try {
    await deleteObject(deps, ownRequest(resource, manager, object), {});
  } catch (error) {
    if (!isStatusError(error, "NotFound")) throw error;
  }
}

function ownRequest(resource: ServedResource, fieldManager: string, { metadata }: ApiObject): WriteRequest {
  return { ...serverWrite(resource, metadata.name ?? ""), namespace: metadata.namespace ?? "", fieldManager };
}

function shaped(deps: WriteDeps, request: WriteRequest, object: ApiObject): ApiObject {
  const { rules } = request.resource;
  const { object: fresh } = rules.shape(cloneJson(object) as unknown as JsonObject);
  const context: HookContext = hookContext(deps, request);
  rules.default(fresh, context);
  return fresh;
}
