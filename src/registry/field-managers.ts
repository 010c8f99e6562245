// Who owns which field after a write: the registry's side of patch/'s ownership rules.

import type { Steps } from "../base/steps.ts";
import type { ApiObject, ManagedFieldsEntry } from "../meta/object.ts";
import type { WriteContext } from "../patch/ownership.ts";
import { keepTimesWhenUnchanged, trackUpdate, trackUpdateInSteps, type UpdateInput } from "../patch/track-update.ts";
import { inOtherVersions } from "./other-versions.ts";
import type { ServedResource } from "./served-resource.ts";
import { inStages, timestamp, type WriteDeps, type WriteRequest } from "./write.ts";

/**
 * A promise only for large objects, and where a webhook must be asked what the object is in the version of one of its
 * managers.
 */
export function recordCreate(deps: WriteDeps, request: WriteRequest, object: ApiObject): void | Promise<void> {
  return record(deps, request, object, undefined, 0);
}

export function recordUpdate(
  deps: WriteDeps,
  request: WriteRequest,
  object: ApiObject,
  old: ApiObject,
  storedBytes = 0,
): void | Promise<void> {
  return record(deps, request, object, old, storedBytes);
}

/** A write that changed nothing but times is none: called when the object is what will be stored. */
export function* settleTimes(object: ApiObject, old: ApiObject, large: boolean): Steps<void> {
  yield;
  setManagers(object, yield* keepTimesWhenUnchanged(old, object, large));
  yield;
}

/** What ownership needs to know about the endpoint of a write. */
export function ownershipContext(deps: WriteDeps, request: WriteRequest): Required<Omit<WriteContext, "convert">> {
  const { resource, subresource } = request;
  return {
    schema: resource.kind.schema,
    apiVersion: resource.apiVersion,
    kind: resource.kind.kind,
    subresource,
    resetFields: resetFieldsOf(resource, subresource),
    now: timestamp(deps.clock),
  };
}

function record(
  deps: WriteDeps,
  request: WriteRequest,
  object: ApiObject,
  live: ApiObject | undefined,
  storedBytes: number,
): void | Promise<void> {
  const { schema, apiVersion, kind, subresource, resetFields, now } = ownershipContext(deps, request);
  // Member by member: every write does this, and spread objects are slow to make.
  const input = (convert: UpdateInput["convert"]): UpdateInput => ({
    schema,
    apiVersion,
    kind,
    subresource,
    resetFields,
    now,
    convert,
    live,
    updated: object,
    manager: request.fieldManager,
    // Rule 8 of the document holds in both dialects.
    resetRule: "document",
  });
  const entries = inOtherVersions(request.resource, (convert, answeredBytes) =>
    inStages(request, storedBytes + answeredBytes, {
      atOnce: () => trackUpdate(input(convert)),
      inSteps: () => trackUpdateInSteps(input(convert)),
    }),
  );
  if (!(entries instanceof Promise)) {
    setManagers(object, entries);
    return;
  }
  // A webhook that does not answer does not stop a write that needs no conversion: ownership stays as it was.
  const unanswered = () => live?.metadata.managedFields;
  return entries.catch(unanswered).then((answered) => setManagers(object, answered));
}

function setManagers(object: ApiObject, entries: ManagedFieldsEntry[] | undefined): void {
  if (entries === undefined || entries.length === 0) delete object.metadata.managedFields;
  else object.metadata.managedFields = entries;
}

function resetFieldsOf({ kind }: ServedResource, subresource: string): readonly (readonly string[])[] {
  const part = kind.subresources?.[subresource];
  if (part?.type === "object") return part.resetFields;
  if (kind.resetFields !== undefined) return kind.resetFields;
  return kind.subresources?.["status"] === undefined ? NO_FIELDS : STATUS;
}

// Shared: what is made of them is remembered with them.
const NO_FIELDS: readonly (readonly string[])[] = [];
const STATUS: readonly (readonly string[])[] = [["status"]];
