// Patterns of paths outside the resources: only a trailing star is a wildcard.

import { ANY } from "../meta/access-rule.ts";

export function pathCovers(pattern: string, path: string): boolean {
  if (pattern === ANY || pattern === path) return true;
  return pattern.endsWith(ANY) && path.startsWith(trimStars(pattern));
}

function trimStars(pattern: string): string {
  let end = pattern.length;
  while (end > 0 && pattern[end - 1] === ANY) end -= 1;
  return pattern.slice(0, end);
}
