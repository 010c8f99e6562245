// How long changes of pods are gathered before their owner looks at all of them again. A look costs as much as there are
// pods: one for every change of a pod would make thousands of pods cost millions of steps.

const FEW = 100;
const PODS_PER_MS = 10;
const MAX_MS = 1_000;

/** Nothing for few pods; half a second for five thousand. */
export function gatheringMs(pods: number): number {
  return pods < FEW ? 0 : Math.min(MAX_MS, Math.ceil(pods / PODS_PER_MS));
}
