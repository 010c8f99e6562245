// Every list and map of every built-in kind, with many entries: shaping, defaulting, validation of creates and updates,
// warnings, columns and the canonical form take time in proportion, and an answer about the mistakes stays small.

import { describe, expect, it } from "vitest";
import { ALL_KINDS } from "../../src/kinds/all-kinds.ts";
import type { Kind } from "../../src/kinds/define-kind.ts";
import { type Filling, fillingsOf, placesOf } from "./fill-schema.testing.ts";
import { growthProblem } from "./growth.testing.ts";
import { writing } from "./write-object.testing.ts";

const MAX_ANSWER_BYTES = 64 * 1024;
const SIZES: Readonly<Record<Filling, number>> = { sparse: 480, siblings: 480, full: 96 };

/** Where metadata and templates of pods are looked at; elsewhere the same functions judge them. */
const WITH_METADATA = new Set(["ConfigMap", "Pod"]);
const WITH_TEMPLATE = new Set(["Deployment"]);

describe.each(ALL_KINDS.filter(({ resource }) => resource !== ""))("$kind $version", (kind) => {
  const places = [...placesOf(kind.schema, (path) => isElsewhere(kind, path))];

  it(`has ${places.length} lists and maps of linear cost and small answers`, () => {
    const problems: string[] = [];
    for (const place of places) {
      for (const filling of fillingsOf(place)) {
        let sizeBytes = 0;
        const work = (size: number) => {
          const run = writing(kind, place, size, filling);
          return () => {
            sizeBytes = Math.max(sizeBytes, run());
          };
        };
        const growth = growthProblem(work, SIZES[filling]);
        const where = `${place.path.join(".")} (${filling})`;
        if (growth !== undefined) problems.push(`${where}: ${growth}`);
        if (sizeBytes > MAX_ANSWER_BYTES) problems.push(`${where}: an answer of ${sizeBytes} bytes`);
      }
    }
    expect(problems).toEqual([]);
  }, 120_000);
});

function isElsewhere({ kind }: Kind, path: string): boolean {
  if (/^metadata\./.test(path)) return !WITH_METADATA.has(kind);
  if (/(?:^|\.)template\.metadata\./.test(path)) return !WITH_TEMPLATE.has(kind);
  // Of a template the lists of its own; what stands in their entries is judged where pods are.
  if (/(?:^|\.)template\.spec\./.test(path)) return !WITH_TEMPLATE.has(kind) || path.includes("[]");
  // All sorts of containers are judged by the same functions.
  return /\.metadata\./.test(path) || /\b(?:initContainers|ephemeralContainers)\.\[\]\./.test(path);
}
