// Scores: what the pod prefers of nodes, taints that should keep it away, and images that are there already. Pure.

import { tolerates } from "../../kinds/core/pod/tolerates.ts";
import type { PodInfo } from "../state/pod-info.ts";
import { BEST, type Score, stretch } from "./score.ts";

/** `added`: what a profile prefers for all its pods. */
export function preferredNodesWith(added: PodInfo["preferredNodes"]): Score {
  return ({ preferredNodes: own }, nodes, _surroundings, _places, points) => {
    const preferences = added.length === 0 ? own : [...added, ...own];
    if (preferences.length === 0) return false;
    for (const [index, node] of nodes.entries()) {
      let sum = 0;
      for (const { weight, matcher } of preferences) if (matcher.matches(node)) sum += weight;
      points[index] = sum;
    }
    stretch(points, "best");
    return true;
  };
}

export const taintPreference: Score = ({ tolerations }, nodes, { state: { rows } }, places, points) => {
  if (!places.some((place) => rows.hasSoftTaints(place))) return false;
  const relevant = tolerations.filter(({ effect = "" }) => effect === "" || effect === "PreferNoSchedule");
  for (const [index, { softTaints }] of nodes.entries())
    points[index] = softTaints.filter((taint) => !tolerates(relevant, taint)).length;
  stretch(points, "worst");
  return true;
};

const MB = 1024 * 1024;
const MIN_BYTES = 23 * MB;
const MAX_BYTES_PER_CONTAINER = 1000 * MB;

/** How much would not have to be pulled; an image that few nodes have counts less, so that not all pods go there. */
export const imageLocality: Score = ({ images }, nodes, { state }, places, points) => {
  if (!places.some((place) => state.rows.hasImages(place))) return false;
  const names = images.map(withTag);
  const spread = names.map((name) => {
    let count = 0;
    for (const node of state.nodes) if (node.images.has(name)) count += 1;
    return count / Math.max(1, state.nodes.length);
  });
  const maxBytes = MAX_BYTES_PER_CONTAINER * Math.max(1, names.length);
  for (const [index, node] of nodes.entries()) {
    let bytes = 0;
    for (const [at, name] of names.entries()) bytes += (node.images.get(name) ?? 0) * spread[at]!;
    const within = Math.min(Math.max(bytes, MIN_BYTES), maxBytes);
    points[index] = Math.trunc((BEST * (within - MIN_BYTES)) / (maxBytes - MIN_BYTES));
  }
  return true;
};

/** Without a tag or digest the newest is meant. */
function withTag(image: string): string {
  return image.lastIndexOf(":") <= image.lastIndexOf("/") && !image.includes("@") ? `${image}:latest` : image;
}
