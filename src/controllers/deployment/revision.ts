// What a ReplicaSet is told in annotations: which revision of its Deployment it is and has been, the annotations of the
// Deployment itself, and the size that this had when the set was last scaled.

import type { Deployment } from "../../kinds/apps/deployment.ts";
import type { Names } from "../../meta/names.ts";
import type { RecordedSizes } from "./proportional-scaling.ts";
import type { OwnedSet } from "./replica-sets.ts";
import type { RolloutLimits } from "./rollout-limits.ts";

type Annotations = Readonly<Record<string, string>>;

/** Older revisions beyond this are forgotten. */
const MAX_HISTORY_CHARACTERS = 2_000;

/** 0 when there is none, or none that can be read. */
export function revisionOf(names: Names, annotations: Annotations | undefined): bigint {
  return revisionIn(annotations?.[names.deploymentRevisionAnnotation]) ?? 0n;
}

/** The revision after all of these. */
export function nextRevision(names: Names, sets: readonly OwnedSet[]): bigint {
  let most = 0n;
  for (const { metadata } of sets) {
    const revision = revisionOf(names, metadata.annotations);
    if (revision > most) most = revision;
  }
  return most + 1n;
}

/** The annotations that the current set shall have; what it has beyond them stays. */
export function currentSetAnnotations(
  names: Names,
  deployment: Deployment,
  annotations: Annotations | undefined,
  revision: bigint,
): Record<string, string> {
  const wanted: Record<string, string> = { ...annotations };
  const own = new Set(ownAnnotations(names));
  for (const [key, value] of Object.entries(deployment.metadata.annotations ?? {})) {
    if (!own.has(key)) wanted[key] = value;
  }
  const before = annotations?.[names.deploymentRevisionAnnotation];
  // Somebody else's word: it is left alone, as what follows from it would be a guess.
  if (before !== undefined && revisionIn(before) === undefined) return wanted;
  if (revisionOf(names, annotations) >= revision) return wanted;
  wanted[names.deploymentRevisionAnnotation] = String(revision);
  if (before !== undefined) {
    const history = annotations?.[names.deploymentRevisionHistoryAnnotation] ?? "";
    wanted[names.deploymentRevisionHistoryAnnotation] = withRevision(history, before);
  }
  return wanted;
}

/** What a set records when it is scaled. */
export function sizeAnnotations(names: Names, { replicas, maxSurge }: RolloutLimits): Record<string, string> {
  return {
    [names.deploymentDesiredReplicasAnnotation]: String(replicas),
    [names.deploymentMaxReplicasAnnotation]: String(replicas + maxSurge),
  };
}

export function recordedSizes(names: Names): RecordedSizes {
  return {
    desired: ({ metadata }) => integerIn(metadata.annotations, names.deploymentDesiredReplicasAnnotation),
    max: ({ metadata }) => integerIn(metadata.annotations, names.deploymentMaxReplicasAnnotation),
  };
}

/** Those that are each object's own, and are never copied. */
function ownAnnotations(names: Names): string[] {
  return [
    names.lastAppliedAnnotation,
    names.deploymentRevisionAnnotation,
    names.deploymentRevisionHistoryAnnotation,
    names.deploymentDesiredReplicasAnnotation,
    names.deploymentMaxReplicasAnnotation,
    "deprecated.deployment.rollback.to",
  ];
}

/** The oldest go when there is no room. */
function withRevision(history: string, revision: string): string {
  const revisions = history === "" ? [revision] : [...history.split(","), revision];
  let length = revisions.reduce((total, each) => total + each.length + 1, -1);
  let first = 0;
  for (; length > MAX_HISTORY_CHARACTERS && first < revisions.length - 1; first += 1)
    length -= revisions[first]!.length + 1;
  return revisions.slice(first).join(",");
}

/** A number of 64 bits: it may have begun anywhere. */
function revisionIn(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^-?[0-9]{1,19}$/.test(text)) return undefined;
  const revision = BigInt(text);
  return BigInt.asIntN(64, revision) === revision ? revision : undefined;
}

function integerIn(annotations: Annotations | undefined, key: string): number | undefined {
  const text = annotations?.[key];
  return text !== undefined && /^-?[0-9]{1,15}$/.test(text) ? Number(text) : undefined;
}
