// Every list and map of every built-in kind, with many entries: shaping, defaulting, validation of creates and updates,
// warnings, columns and the canonical form take time in proportion, an answer about the mistakes stays small, and no hook
// judges more of it between two turns than others can wait for.

import { describe, expect, it } from "vitest";
import { ALL_KINDS } from "../../src/kinds/all-kinds.ts";
import type { Kind } from "../../src/kinds/define-kind.ts";
import { MAX_MISTAKES } from "../../src/meta/field-error.ts";
import { type Filling, fillingsOf, holdsStructs, type Place, placesOf } from "./fill-schema.testing.ts";
import { growthProblem } from "./growth.testing.ts";
import { judging, mistakes } from "./judging.testing.ts";
import { writing } from "./write-object.testing.ts";

const MAX_ANSWER_BYTES = 64 * 1024;
const SIZES: Readonly<Record<Exclude<Filling, "empty">, number>> = { sparse: 480, siblings: 480, parts: 240, full: 96 };
const SIZE_OF_ALL = 480;

/**
 * So often a hook may read a value of an object that it judges at once, its absent members counted: with as many values as
 * such an object may hold, some 30 ms.
 */
const READS_PER_VALUE = 24;
/**
 * What is judged in steps is read so often between two turns, whatever its size: the keys of a map are found at once, and with
 * as many entries as there are here, once or twice.
 */
const READS_PER_STEP = 3_750;
/** Definitions are gone through several times, a few short looks at each version and property. */
const READS_OF_DEFINITION_PER_STEP = 6_500;
const STEPPED_ENTRIES: typeof SIZES = { sparse: 1_500, siblings: 1_500, parts: 500, full: 150 };

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
          const run = writing(kind, [place], size, filling);
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

  it.each([
    ["all lists and maps", places],
    ["all but those inside others", places.filter(({ path }) => !path.includes("[]"))],
  ])(
    "is of linear cost with %s filled, which may be compared with each other",
    (_which, filled) => {
      const work = (size: number) => writing(kind, filled, size, "sparse");
      expect(growthProblem(work, SIZE_OF_ALL)).toBeUndefined();
    },
    120_000,
  );

  it("has no entries whose mistakes are all looked for", () => {
    const problems: string[] = [];
    for (const place of places.filter(({ schema }) => holdsStructs(schema))) {
      const found = mistakes(kind, place, 2 * MAX_MISTAKES);
      if (found > MAX_MISTAKES) problems.push(`${place.path.join(".")}: ${found} mistakes`);
    }
    expect(problems).toEqual([]);
  }, 120_000);

  it("is judged in steps, or holds little enough to be judged at once", () => {
    const problems: string[] = [];
    for (const place of places.filter(({ path }) => path[0] !== "metadata")) {
      for (const filling of fillingsOf(place)) {
        const problem = judge(kind, place, filling);
        if (problem !== undefined) problems.push(`${place.path.join(".")} (${filling}): ${problem}`);
      }
    }
    expect(problems).toEqual([]);
  }, 120_000);
});

function judge(kind: Kind, place: Place, filling: keyof typeof SIZES): string | undefined {
  return kind.judgedInSteps ? longStep(kind, place, filling) : dearValue(kind, place, filling, READS_PER_VALUE);
}

function longStep(kind: Kind, place: Place, filling: keyof typeof SIZES): string | undefined {
  const { mostReads } = judging(kind, place, STEPPED_ENTRIES[filling], filling);
  const most = kind.kind === "CustomResourceDefinition" ? READS_OF_DEFINITION_PER_STEP : READS_PER_STEP;
  return mostReads > most ? `${mostReads} reads in one step` : undefined;
}

/** What more entries cost, so that all else in the object does not count. */
function dearValue(kind: Kind, place: Place, filling: keyof typeof SIZES, mostReads: number): string | undefined {
  const [few, more] = [12, 24].map((size) => judging(kind, place, size, filling));
  const reads = (more!.mostReads - few!.mostReads) / (more!.values - few!.values);
  return reads > mostReads ? `${reads.toFixed(1)} reads of each value` : undefined;
}

function isElsewhere({ kind }: Kind, path: string): boolean {
  if (/^metadata\./.test(path)) return !WITH_METADATA.has(kind);
  if (/(?:^|\.)template\.metadata\./.test(path)) return !WITH_TEMPLATE.has(kind);
  // Of a template the lists of its own; what stands in their entries is judged where pods are.
  if (/(?:^|\.)template\.spec\./.test(path)) return !WITH_TEMPLATE.has(kind) || path.includes("[]");
  // All sorts of containers are judged by the same functions.
  return /\.metadata\./.test(path) || /\b(?:initContainers|ephemeralContainers)\.\[\]\./.test(path);
}
