// Selectors with very many terms: reading them, and asking them about the labels of an object.

import { describe, expect, it } from "vitest";
import { parseFieldSelector } from "../../src/meta/field-selector.ts";
import { MAX_TERMS, parseLabelSelector } from "../../src/meta/label-selector.ts";
import { growthProblem, timeOf } from "./growth.testing.ts";

const SIZE = 16_000;

/** No more than a selector may have. */
const terms = (size: number, term: (index: number) => string): string =>
  Array.from({ length: Math.min(size, MAX_TERMS - 1) }, (_, index) => term(index)).join(",");

const rows: [string, (size: number) => string][] = [
  ["terms about many labels", (size) => terms(size, (index) => `k${index}=v`)],
  ["terms about one label", (size) => terms(size, (index) => `k!=v${index}`)],
  ["labels that must be absent", (size) => terms(size, (index) => `!k${index}`)],
  ["a set", (size) => `k in (${terms(size, (index) => `v${index}`)})`],
  ["numbers", (size) => terms(size, (index) => `k>${index}`)],
  ["spaces", (size) => `${" ".repeat(size)}k${" ".repeat(size)}`],
  ["mistakes", (size) => `k in (${terms(size, (index) => `-${index}`)})`],
];

describe("a label selector", () => {
  it.each(rows)("is read in time that grows with it: %s", (_name, text) => {
    const work = (size: number) => {
      const made = text(size);
      return () => {
        try {
          return parseLabelSelector(made);
        } catch (error) {
          return error;
        }
      };
    };
    expect(growthProblem(work, SIZE)).toBeUndefined();
  });

  it.each(rows.slice(0, 5))("is asked about labels at a cost of its own: %s", (_name, text) => {
    const labels = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`k${index}`, "v"]));
    const asking = (size: number) => {
      const selector = parseLabelSelector(text(size));
      return () => {
        for (let count = 0; count < 8_000; count++) selector.matches(labels);
      };
    };
    const [few, many] = [asking(20), asking(SIZE)];
    few();
    // Not in proportion to the terms, of which there are hundreds of times as many.
    expect(timeOf(many)).toBeLessThan(Math.max(20 * timeOf(few), 200));
  });
});

describe("a field selector", () => {
  it("is read in time that grows with it", () => {
    const work = (size: number) => {
      const text = terms(size, (index) => `metadata.name!=v${index}`);
      return () => parseFieldSelector(text).matches({ "metadata.name": "a" });
    };
    expect(growthProblem(work, SIZE)).toBeUndefined();
  });
});
