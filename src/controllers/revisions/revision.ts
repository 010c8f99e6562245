// What a ControllerRevision holds of its StatefulSet or DaemonSet, and how revisions are told apart and ordered. Pure.

import { equalJson, isObject, setKey } from "../../base/json.ts";
import type { Stored } from "../../client/informer.ts";
import type { ControllerRevision } from "../../kinds/apps/controller-revision.ts";
import type { PodTemplateSpec } from "../../kinds/core/pod/template-schema.ts";

/** On pods: which revision they were made from. */
export const REVISION_LABEL = "controller-revision-hash";

/**
 * A strategic merge patch that brings the template back: users roll back with it. Members are in the order of their names:
 * others compare it byte by byte.
 */
export function revisionData(template: PodTemplateSpec): object {
  return byName(patchOf(template)) as object;
}

const patchOf = (template: PodTemplateSpec): object => ({ spec: { template: { ...template, $patch: "replace" } } });

function byName(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(byName);
  if (!isObject(value)) return value;
  const sorted: Record<string, unknown> = {};
  for (const key of Object.keys(value).sort()) setKey(sorted, key, byName(value[key]));
  return sorted;
}

/** Undefined when the revision holds none. */
export function templateOf({ data }: ControllerRevision): PodTemplateSpec | undefined {
  if (!isObject(data) || !isObject(data["spec"]) || !isObject(data["spec"]["template"])) return undefined;
  const { $patch: _directive, ...template } = data["spec"]["template"];
  return template as unknown as PodTemplateSpec;
}

export function holdsTemplate({ data }: ControllerRevision, template: PodTemplateSpec): boolean {
  return equalJson(data, patchOf(template));
}

/** From the oldest to the newest. */
export function inOrder(revisions: readonly Stored<ControllerRevision>[]): Stored<ControllerRevision>[] {
  const createdMs = ({ metadata }: Stored<ControllerRevision>) => Date.parse(metadata.creationTimestamp);
  return [...revisions].sort((a, b) => {
    if (a.revision !== b.revision) return a.revision < b.revision ? -1 : 1;
    return createdMs(a) - createdMs(b) || (a.metadata.name < b.metadata.name ? -1 : 1);
  });
}

export interface HistoryLimit {
  readonly limit: number;
  /** Which of the old ones count: those that nobody uses, or all of them, though none in use is ever deleted. */
  readonly counts: "unused" | "old";
}

/** The oldest that nobody uses, as far as there are more than the limit. */
export function beyondLimit(
  old: readonly Stored<ControllerRevision>[],
  isUsed: (revision: Stored<ControllerRevision>) => boolean,
  { limit, counts }: HistoryLimit,
): readonly Stored<ControllerRevision>[] {
  const unused = old.filter((revision) => !isUsed(revision));
  const count = counts === "old" ? old.length : unused.length;
  return limit < 0 ? [] : unused.slice(0, Math.max(0, count - limit));
}

const MAX_PREFIX_LENGTH = 223;

export function revisionName(ownerName: string, hash: string): string {
  return `${ownerName.slice(0, MAX_PREFIX_LENGTH)}-${hash}`;
}
