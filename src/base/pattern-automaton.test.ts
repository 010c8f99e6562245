// The automaton says of every text what the library says.

import { RE2JS } from "re2js";
import { describe, expect, it } from "vitest";
import { type Instruction, PatternAutomaton } from "./pattern-automaton.ts";
import { counted } from "./steps.testing.ts";

function automatonOf(pattern: string): PatternAutomaton | undefined {
  const compiled = RE2JS.compile(pattern) as unknown as { re2Input: { prog: { inst: Instruction[]; start: number } } };
  const { inst, start } = compiled.re2Input.prog;
  return PatternAutomaton.of(inst, start);
}

const TEXTS = [
  "",
  "a",
  "b",
  "ab",
  "ba",
  "aab",
  "abc",
  "aaaa",
  "a\n",
  "\n",
  "\na",
  "a\nb",
  "ß",
  "é",
  "😀",
  "a😀b",
  "\ud800",
];
TEXTS.push(
  "A",
  "0",
  "12",
  "a1",
  "-",
  "a-b",
  "a.b",
  "foo",
  "xfoobar",
  "\u2028",
  " ",
  "a b",
  "\u0000",
  "\u007f",
  "\u0080",
);

describe("an automaton", () => {
  it.each([
    ["^a+$"],
    ["a"],
    [""],
    ["^"],
    ["$"],
    ["^$"],
    ["$^"],
    ["a$"],
    ["^a"],
    ["a|b$"],
    ["^(a|b)*$"],
    ["^(a|ab)(c|bcd)?$"],
    ["."],
    ["^.$"],
    ["^..$"],
    ["(?s)^.$"],
    ["[^a]"],
    ["^[^a]+$"],
    ["^[[:alpha:]]+$"],
    ["\\d{2}"],
    ["^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"],
    ["^[a-z0-9]([-a-z0-9]{0,10}[a-z0-9])?(\\.[a-z])*$"],
    ["foo.*bar"],
    ["(^a|b$)"],
    ["(a$|^b)*c?"],
    ["\\x{1F600}"],
    ["[\\x{80}-\\x{10FFFF}]"],
    ["\\s"],
    ["^\\S*$"],
    ["\\Aa\\z"],
    ["(?:)"],
    ["a{0}"],
    ["(a*)*b"],
  ])("of %s judges as the library", (pattern) => {
    const automaton = automatonOf(pattern);
    const library = RE2JS.compile(pattern);
    // Twice: what was found out is remembered.
    for (const text of [...TEXTS, ...TEXTS]) expect([text, automaton?.test(text)]).toEqual([text, library.test(text)]);
  });

  it("judges as the library, whatever pattern and text", () => {
    const random = randomOf(7);
    const pick = (from: readonly string[]) => from[random(from.length)]!;
    const atoms = ["a", "b", ".", "[ab]", "[^b]", "\\d", "c", "^", "$", "(?:ab)", "[a-c]"];
    const pattern = (depth: number): string =>
      Array.from({ length: 1 + random(4) }, () => {
        const atom = depth > 0 && random(3) === 0 ? `(${pattern(depth - 1)}|${pattern(depth - 1)})` : pick(atoms);
        return atom + (atom === "^" || atom === "$" ? "" : pick(["", "", "*", "+", "?", "{2}", "{0,2}", "*?"]));
      }).join("");
    for (let round = 0; round < 2_000; round += 1) {
      const tried = pattern(2);
      const automaton = automatonOf(tried);
      if (automaton === undefined) continue;
      const library = RE2JS.compile(tried);
      for (let texts = 0; texts < 12; texts += 1) {
        const text = Array.from({ length: random(7) }, () => pick(["a", "b", "c", "1", "\n", "é", "😀"])).join("");
        const judged = automaton.test(text);
        if (judged !== undefined) expect([tried, text, judged]).toEqual([tried, text, library.test(text)]);
      }
    }
  });

  it("is none of patterns that look at more, or are large", () => {
    for (const pattern of ["\\ba", "(?m)^a$", "(?i)straße", "\\pL", "[ab]{400}"])
      expect(automatonOf(pattern)).toBeUndefined();
  });

  it("goes over long texts in steps, also where one ends within a character", () => {
    const automaton = automatonOf("^[a\\x{1F600}]+b$")!;
    for (const [text, expected] of [
      [`${"a".repeat(65_535)}${"\u{1F600}".repeat(70_000)}b`, true],
      [`${"a".repeat(300_000)}c`, false],
      ["", false],
    ] as const) {
      const { result, steps } = counted(automaton.testInSteps(text));
      expect([result, automaton.test(text)]).toEqual([expected, expected]);
      expect(steps).toBeGreaterThanOrEqual(Math.floor(text.length / 70_000));
    }
  });

  it("leaves to the library what would take too many states", () => {
    const automaton = automatonOf("(a|b)*a(a|b){8}$");
    const random = randomOf(3);
    const text = Array.from({ length: 2_000 }, () => "ab"[random(2)]).join("");
    expect(automaton?.test(text)).toBeUndefined();
  });
});

function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}
