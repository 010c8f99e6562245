import { describe, expect, it } from "vitest";
import type { DefinitionNames } from "./definition.ts";
import { decideNames, HeldNames } from "./naming.ts";

const names = (plural: string, kind: string, more: Partial<DefinitionNames> = {}): DefinitionNames => ({
  plural,
  singular: plural.replace(/s$/, ""),
  kind,
  listKind: `${kind}List`,
  shortNames: [],
  categories: [],
  ...more,
});
function takenBy(others: readonly DefinitionNames[]): HeldNames {
  const held = new HeldNames();
  for (const each of others) held.hold(each);
  return held;
}

const NONE = names("", "", { listKind: "", singular: "" });

describe("names of definitions", () => {
  it("are accepted when nobody holds them", () => {
    const wanted = names("foos", "Foo", { shortNames: ["f"] });
    expect(decideNames({ names: wanted, acceptedNames: NONE }, takenBy([]))).toEqual({
      accepted: wanted,
      conflict: undefined,
    });
  });

  it.each<[string, DefinitionNames, DefinitionNames, string, string]>([
    [
      "plural",
      names("foos", "Foo"),
      names("bars", "Bar", { singular: "foos" }),
      "PluralConflict",
      '"foos" is already in use',
    ],
    [
      "singular",
      names("foos", "Foo"),
      names("bars", "Bar", { shortNames: ["foo"] }),
      "SingularConflict",
      '"foo" is already in use',
    ],
    [
      "short name",
      names("foos", "Foo", { shortNames: ["a", "b"] }),
      names("a", "Bar", { singular: "b" }),
      "ShortNamesConflict",
      '["a" is already in use, "b" is already in use]',
    ],
    [
      "kind",
      names("foos", "Foo"),
      names("bars", "Bar", { listKind: "Foo" }),
      "KindConflict",
      '"Foo" is already in use',
    ],
    [
      "list kind",
      names("foos", "Foo"),
      names("bars", "FooList", { listKind: "X" }),
      "ListKindConflict",
      '"FooList" is already in use',
    ],
  ])("conflict by %s", (_what, wanted, other, reason, message) => {
    expect(decideNames({ names: wanted, acceptedNames: NONE }, takenBy([other])).conflict).toEqual({ reason, message });
  });

  it("that were accepted stay until others are free", () => {
    const before = names("foos", "Foo", { shortNames: ["f"] });
    const wanted = { ...before, shortNames: ["f", "taken"] };
    const outcome = decideNames({ names: wanted, acceptedNames: before }, takenBy([names("taken", "T")]));
    expect(outcome.accepted.shortNames).toEqual(["f"]);
    expect(outcome.conflict?.reason).toBe("ShortNamesConflict");
  });

  it("conflict with others only: what is one's own already is kept", () => {
    const own = names("foos", "Foo");
    expect(decideNames({ names: own, acceptedNames: own }, takenBy([own])).conflict).toBeUndefined();
  });

  it("are free when the last who held them has let them go", () => {
    const own = names("foos", "Foo");
    const held = takenBy([own, own]);
    const isFree = () => decideNames({ names: own, acceptedNames: NONE }, held).conflict === undefined;
    held.release(own);
    expect(isFree()).toBe(false);
    held.release(own);
    expect(isFree()).toBe(true);
  });
});
