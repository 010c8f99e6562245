// What a ControllerRevision holds of its StatefulSet or DaemonSet, and how revisions are told apart and ordered. Pure.

import { equalJson, isObject, setKey } from "../../base/json.ts";
import { finish } from "../../base/steps.ts";
import type { Stored } from "../../client/informer.ts";
import type { ControllerRevision } from "../../kinds/apps/controller-revision.ts";
import { defaultPodTemplate } from "../../kinds/core/pod/defaults.ts";
import { type PodTemplateSpec, podTemplateSpec } from "../../kinds/core/pod/template-schema.ts";
import type { Names } from "../../meta/names.ts";
import { conform, ShapeError } from "../../schema/conform.ts";
import { applyDefaults } from "../../schema/default.ts";

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

/**
 * Whether the revision asks for the same pods, once both have the defaults of today: a release with a new one must not roll
 * pods. Members that are not known here count as they stand.
 */
export function asksForSamePods(revision: ControllerRevision, template: PodTemplateSpec, names: Names): boolean {
  const held = templateOf(revision);
  if (held === undefined) return false;
  try {
    return equalJson(completed(held, names), completed(template, names));
  } catch (error) {
    // A revision may hold anything.
    if (error instanceof ShapeError) return false;
    throw error;
  }
}

function completed(template: PodTemplateSpec, names: Names): Record<string, unknown> {
  const { value } = conform(template, podTemplateSpec, { unknownFields: "keep" });
  applyDefaults(value, podTemplateSpec);
  // What gates do to defaults, they do to both.
  const context = { names, gateEnabled: () => true, nowMs: 0 };
  finish(defaultPodTemplate(value as unknown as PodTemplateSpec, context));
  return value;
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
