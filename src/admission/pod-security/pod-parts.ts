// The parts of a pod that security checks look at, and how findings name them.

import type { PodSpec } from "../../kinds/core/pod/spec.ts";
import type { ObjectMeta } from "../../meta/object.ts";

/** A pod, or the template of pods in another object. */
export interface PodTemplate {
  readonly metadata: Pick<ObjectMeta, "annotations">;
  readonly spec: PodSpec;
}

export interface Finding {
  readonly reason: string;
  readonly detail: string;
}

type ContainerLike = NonNullable<PodSpec["containers"]>[number];

export function containersOf({ initContainers, containers, ephemeralContainers }: PodSpec): ContainerLike[] {
  return [
    ...(initContainers ?? []),
    ...(containers ?? []),
    ...((ephemeralContainers ?? []) as unknown as ContainerLike[]),
  ];
}

/** Names of the containers for which the test holds. */
export function containersWhere(spec: PodSpec, test: (container: ContainerLike) => boolean): string[] {
  return containersOf(spec)
    .filter(test)
    .map(({ name }) => name);
}

export const plural = (one: string, many: string, count: number): string => (count === 1 ? one : many);

export const quoted = (words: Iterable<string>): string => Array.from(words, (word) => JSON.stringify(word)).join(", ");

export const sortedQuoted = (words: Iterable<string>): string => quoted([...new Set(words)].sort());

/** `container "a"`, `containers "a", "b"`. */
export function named(containers: readonly string[]): string {
  return `${plural("container", "containers", containers.length)} ${quoted(containers)}`;
}

/** `pod`, `container "a"`, `pod and containers "a", "b"`. */
export function setters(pod: boolean, containers: readonly string[]): string {
  return [...(pod ? ["pod"] : []), ...(containers.length > 0 ? [named(containers)] : [])].join(" and ");
}

export const isWindows = ({ os }: PodSpec): boolean => os?.name === "windows";
