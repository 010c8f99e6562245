// Scores: what the pod prefers of nodes, taints that should keep it away, and images that are there already. Pure.

import { tolerates } from "../../kinds/core/pod/tolerates.ts";
import { BEST, type Score, stretched } from "./score.ts";

export const preferredNodes: Score = ({ preferredNodes: preferences }, nodes) => {
  if (preferences.length === 0) return undefined;
  const weights = nodes.map((node) => {
    let sum = 0;
    for (const { weight, matcher } of preferences) if (matcher.matches(node)) sum += weight;
    return sum;
  });
  return stretched(weights, "best");
};

export const taintPreference: Score = ({ tolerations }, nodes, { state: { rows } }, places) => {
  if (!places.some((place) => rows.hasSoftTaints(place))) return undefined;
  const relevant = tolerations.filter(({ effect = "" }) => effect === "" || effect === "PreferNoSchedule");
  const counts = nodes.map(({ softTaints }) => softTaints.filter((taint) => !tolerates(relevant, taint)).length);
  return stretched(counts, "worst");
};

const MB = 1024 * 1024;
const MIN_BYTES = 23 * MB;
const MAX_BYTES_PER_CONTAINER = 1000 * MB;

/** How much would not have to be pulled; an image that few nodes have counts less, so that not all pods go there. */
export const imageLocality: Score = ({ images }, nodes, { state }, places) => {
  if (!places.some((place) => state.rows.hasImages(place))) return undefined;
  const names = images.map(withTag);
  const spread = names.map((name) => {
    let count = 0;
    for (const node of state.nodes) if (node.images.has(name)) count += 1;
    return count / Math.max(1, state.nodes.length);
  });
  const maxBytes = MAX_BYTES_PER_CONTAINER * Math.max(1, names.length);
  return nodes.map((node) => {
    let bytes = 0;
    for (const [index, name] of names.entries()) bytes += (node.images.get(name) ?? 0) * spread[index]!;
    const within = Math.min(Math.max(bytes, MIN_BYTES), maxBytes);
    return Math.trunc((BEST * (within - MIN_BYTES)) / (maxBytes - MIN_BYTES));
  });
};

/** Without a tag or digest the newest is meant. */
function withTag(image: string): string {
  return image.lastIndexOf(":") <= image.lastIndexOf("/") && !image.includes("@") ? `${image}:latest` : image;
}
