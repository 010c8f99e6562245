import { describe, expect, it } from "vitest";
import type { Element, Rendering } from "./render-port.ts";
import { RuleBook } from "./rule-book.ts";

const OLD = "2030-01-01T00:00:00Z";
const NEW = "2030-01-02T00:00:00Z";

function rendering(
  elements: readonly (readonly [key: string, value: string, rank?: number])[],
  more: Partial<Rendering> = {},
): Rendering {
  const all = elements.map(([key, value, rank = 0]): Element => ({ set: "m", key, value, rank }));
  return { elements: all, chains: [], ...more };
}
const chain = (name: string, ...rules: string[]) => ({ name, rules });
const lines = (text: string) =>
  text
    .replaceAll(" plinth-proxy", "")
    .split("\n")
    .filter((line) => line !== "");

describe("the book of rules", () => {
  it("says only what has changed", () => {
    const book = new RuleBook(4);
    book.put("a", OLD, [
      rendering([
        ["1", "x"],
        ["2", "y"],
      ]),
    ]);
    expect(lines(book.changes())).toEqual(["add element ip m { 1 : x, 2 : y }"]);
    book.put("a", OLD, [
      rendering([
        ["1", "x"],
        ["2", "z"],
        ["3", ""],
      ]),
    ]);
    expect(lines(book.changes())).toEqual(["delete element ip m { 2 : y }", "add element ip m { 2 : z, 3 }"]);
    book.put("a", OLD, [
      rendering([
        ["1", "x"],
        ["2", "z"],
        ["3", ""],
      ]),
    ]);
    expect(book.changes()).toBe("");
    book.put("a", OLD, []);
    expect(lines(book.changes())).toEqual(["delete element ip m { 1 : x, 2 : z, 3 }"]);
  });

  it("forgets what was taken back before anybody asked", () => {
    const book = new RuleBook(4);
    book.put("a", OLD, [rendering([["1", "x"]], { chains: [chain("c", "accept")] })]);
    book.put("a", OLD, []);
    expect(book.changes()).toBe("");
  });

  it.each([
    ["the older one", [0, OLD], [0, NEW], "x"],
    ["the better founded one, though younger", [1, OLD], [0, NEW], "y"],
    ["the first by name, when nothing else differs", [0, OLD], [0, OLD], "x"],
  ] as const)("gives a key that two claim to %s, and to the other one afterwards", (_, a, b, winner) => {
    for (const order of ["ab", "ba"]) {
      const book = new RuleBook(4);
      const put = {
        a: () => book.put("a", a[1], [rendering([["1", "x", a[0]]])]),
        b: () => book.put("b", b[1], [rendering([["1", "y", b[0]]])]),
      };
      for (const name of order) put[name as "a" | "b"]();
      expect(lines(book.changes())).toEqual([`add element ip m { 1 : ${winner} }`]);
      book.put(winner === "x" ? "a" : "b", OLD, []);
      const other = winner === "x" ? "y" : "x";
      expect(lines(book.changes())).toEqual([
        `delete element ip m { 1 : ${winner} }`,
        `add element ip m { 1 : ${other} }`,
      ]);
    }
  });

  it("gives a key that one claims twice to the better claim", () => {
    const book = new RuleBook(4);
    book.put("a", OLD, [
      rendering([
        ["1", "cluster", 0],
        ["1", "external", 2],
      ]),
    ]);
    expect(lines(book.changes())).toEqual(["add element ip m { 1 : cluster }"]);
  });

  it("keeps chains as long as somebody needs them, and takes elements away before them", () => {
    const book = new RuleBook(6);
    const shared = { chains: [chain("c", "accept")] };
    book.put("a", OLD, [rendering([["1", "goto c"]], shared)]);
    expect(lines(book.changes())).toEqual([
      "add chain ip6 c",
      "add rule ip6 c accept",
      "add element ip6 m { 1 : goto c }",
    ]);
    book.put("b", OLD, [rendering([["2", "goto c"]], shared)]);
    expect(lines(book.changes())).toEqual(["add element ip6 m { 2 : goto c }"]);
    book.put("a", OLD, []);
    expect(lines(book.changes())).toEqual(["delete element ip6 m { 1 : goto c }"]);
    book.put("b", OLD, []);
    expect(lines(book.changes())).toEqual([
      "delete element ip6 m { 2 : goto c }",
      "flush chain ip6 c",
      "delete chain ip6 c",
    ]);
  });

  it("writes a chain anew whose rules have changed", () => {
    const book = new RuleBook(4);
    const put = (...rules: string[]) =>
      book.put("a", OLD, [rendering([["1", "goto c"]], { chains: [chain("c", ...rules)] })]);
    put("accept");
    book.changes();
    put("drop", "accept");
    expect(lines(book.changes())).toEqual(["flush chain ip c", "add rule ip c drop", "add rule ip c accept"]);
  });

  it("says everything for a table that is new, and no change twice", () => {
    const book = new RuleBook(4);
    book.put("a", OLD, [rendering([["1", "goto c"]], { chains: [chain("c", "accept")] })]);
    expect(lines(book.all())).toEqual(["add chain ip c", "add rule ip c accept", "add element ip m { 1 : goto c }"]);
    expect(book.changes()).toBe("");
  });
});
