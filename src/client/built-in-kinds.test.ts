import { describe, expect, it } from "vitest";
import { ALL_KINDS } from "../kinds/all-kinds.ts";
import { OPTIONAL_KINDS } from "../kinds/optional-kinds.ts";
import { kinds } from "./built-in-kinds.ts";

interface Words {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly resource: string;
  readonly scope: string;
}

const wordsOf = ({ group, version, kind, resource, scope }: Words): string =>
  [group, version, kind, resource, scope].join(" ");

const listed = Object.values(kinds)
  .flatMap((versions) => Object.values<Record<string, Words>>(versions))
  .flatMap((resources) => Object.values(resources))
  .map(wordsOf);

describe("the kinds that clients know", () => {
  it("are those that servers serve, in the same words", () => {
    const served = ALL_KINDS.filter(({ resource }) => resource !== "").map(wordsOf);
    expect(listed).toEqual(expect.arrayContaining(served));
  });

  it("are otherwise kinds that servers can be told to serve", () => {
    const known = new Set([...ALL_KINDS, ...OPTIONAL_KINDS].map(wordsOf));
    expect(listed.filter((words) => !known.has(words))).toEqual([]);
  });
});
