// Labels that nodes have under an old name too. Pure.

import type { Node } from "../../kinds/core/node.ts";
import type { Names } from "../../meta/names.ts";

/** The old labels that have to be set so that they say what the new ones say. */
export function labelsToCopy({ metadata: { labels } }: Node, names: Names): Record<string, string> {
  const copies: Record<string, string> = {};
  for (const [label, old] of [
    [names.osLabel, names.betaOsLabel],
    [names.archLabel, names.betaArchLabel],
  ] as const) {
    const value = labels?.[label];
    if (value !== undefined && labels?.[old] !== value) copies[old] = value;
  }
  return copies;
}
