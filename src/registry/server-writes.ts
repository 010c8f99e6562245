// Writes that the server does on its own account: objects that every cluster has, and what it notes in objects. They go
// through the same stages as everybody's; several servers of one store may do the same at once.

import { cloneJson, type JsonObject } from "../base/json.ts";
import type { ApiObject } from "../meta/object.ts";
import { isStatusError } from "../meta/status-error.ts";
import { SYSTEM_MASTERS, type UserInfo } from "../meta/user.ts";
import { createObject } from "./create-object.ts";
import { type DeletionRequest, deleteObject } from "./delete-object.ts";
import { incomingObject, setTypeAndDefaults } from "./incoming-object.ts";
import type { ServedResource } from "./served-resource.ts";
import { type ObjectChange, updateObject } from "./update-object.ts";
import { inStages, type WriteDeps, type WriteRequest } from "./write.ts";

export const SERVER_USER: UserInfo = { name: "system:apiserver", groups: [SYSTEM_MASTERS] };

const NEVER = new AbortController().signal;
/** Others who create and delete it all the time are not waited for: whoever asks tries again later. */
const MAX_ATTEMPTS = 8;

/** Which object the server writes. */
export interface ServerWrite {
  readonly resource: ServedResource;
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly subresource?: string;
  /** The field manager of what is set. */
  readonly manager?: string;
}

/** The object as stored; undefined when there is one already: another server was faster. */
export async function createAsServer(
  deps: WriteDeps,
  write: ServerWrite,
  draft: JsonObject,
): Promise<ApiObject | undefined> {
  return unless("AlreadyExists", () => create(deps, write, draft));
}

async function create(deps: WriteDeps, write: ServerWrite, draft: JsonObject): Promise<ApiObject> {
  const { object } = await createObject(deps, requestOf(write), { draft: cloneJson(draft) });
  return object;
}

/**
 * Changes the object as it stands in the store, again when another writer was faster. `change` gets a copy of its own, and
 * answers undefined to leave the object as it is. Undefined when there is no such object, or one of another uid than `uid`.
 */
export async function updateAsServer(
  deps: WriteDeps,
  write: ServerWrite,
  change: (stored: ApiObject) => ApiObject | undefined | Promise<ApiObject | undefined>,
  options: Pick<ObjectChange, "internal" | "managesFields"> & { readonly uid?: string | undefined } = {},
): Promise<ApiObject | undefined> {
  await write.resource.ready?.();
  const { uid, ...rest } = options;
  const request = requestOf(write);
  const { rules } = request.resource;
  const next = async (stored: ApiObject | undefined, storedBytes = 0): Promise<ApiObject> => {
    const changed = (await change(stored!)) ?? stored!;
    // Without a version the change is made again from what another writer left.
    const { resourceVersion: _, ...metadata } = changed.metadata;
    const value = { ...changed, metadata } as unknown as JsonObject;
    const { object } = await inStages(request, storedBytes, {
      atOnce: () => rules.shape(value),
      inSteps: () => rules.shapeInSteps(value),
    });
    await setTypeAndDefaults(deps, request, object, storedBytes);
    return object;
  };
  const update = () =>
    updateObject(deps, request, {
      ...rest,
      next,
      versionOptional: true,
      ...(uid === undefined ? {} : { expected: { uid } }),
    });
  return unless("NotFound", async () => {
    if (uid === undefined) return (await update()).object;
    return unless("Conflict", async () => (await update()).object);
  });
}

/** Whether the object is gone; false while finalizers or a grace period hold it. */
export async function deleteAsServer(
  deps: WriteDeps,
  write: ServerWrite,
  options: DeletionRequest = {},
): Promise<boolean> {
  await write.resource.ready?.();
  const deleted = await unless("NotFound", () => deleteObject(deps, requestOf(write), options));
  return deleted?.gone ?? true;
}

/** Creates the object from a draft, or corrects the one that is there. `correct` changes it and says whether it did. */
export async function ensureAsServer(
  deps: WriteDeps,
  write: ServerWrite,
  draft: JsonObject,
  correct: (object: ApiObject) => boolean = () => false,
): Promise<ApiObject> {
  const { resource, namespace = "", name } = write;
  const store = resource.store!;
  for (let attempt = 1; ; attempt += 1) {
    const entry = await store.get(store.keyOf(namespace, name));
    if (entry === undefined) {
      if (attempt === MAX_ATTEMPTS) return create(deps, write, draft);
      const created = await createAsServer(deps, write, draft);
      if (created !== undefined) return created;
      continue;
    }
    const current = store.decode(entry);
    if (!correct(store.decode(entry))) return current;
    const request = requestOf(write);
    const { object } = await updateObject(deps, request, {
      async next(stored) {
        const next = stored ?? (await incomingObject(deps, request, { draft: cloneJson(draft) }));
        correct(next);
        return next;
      },
      create: { authorize: async () => undefined },
      versionOptional: true,
    });
    return object;
  }
}

/** The request behind a write of the server, for those who drive the write path themselves. */
export function requestOf({ resource, namespace = "", name, subresource = "", manager }: ServerWrite): WriteRequest {
  return {
    resource,
    subresource,
    namespace,
    name,
    user: SERVER_USER,
    dryRun: false,
    fieldManager: manager ?? "plinth",
    options: {},
    warnings: [],
    auditAnnotations: new Map(),
    caller: { signal: NEVER, cancelled: false },
  };
}

async function unless<T>(reason: Parameters<typeof isStatusError>[1], act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    if (isStatusError(error, reason)) return undefined;
    throw error;
  }
}
