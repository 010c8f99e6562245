import { describe, expect, it } from "vitest";
import { VariableFileError, variableOf } from "./variable-file.ts";

describe("a variable of a file", () => {
  it.each([
    ["A=one\nB=two\n", "B", "two"],
    ["A=one", "A", "one"],
    ["  \tA \t=  one two \t \r\nB=x", "A", "one two"],
    ["# A=no\n\n   \n\t# B=no\nA=one", "A", "one"],
    ["A=one # two", "A", "one # two"],
    ['A=b=c=$D $(E) "f"', "A", 'b=c=$D $(E) "f"'],
    ["A=one \\\n  two\\ \n\tthree  \nB=x", "A", "one two three"],
    ["A=one \\\r\ntwo\r\n", "A", "one two"],
    ["\\\nA=one", "A", "one"],
    ["A=one\nA=two", "A", "one"],
    ["A=\nB=  ", "B", ""],
    ["A=one\nthis is no line", "A", "one"],
    ["A=one", "B", undefined],
    ["A=one", "a", undefined],
    ["", "A", undefined],
  ])("of %j, %s, is %j", (text, name, value) => {
    expect(variableOf(text, name)).toBe(value);
  });

  it.each([
    ["A=one\nnonsense\nB=two", "line 2 is not of the form NAME=value"],
    ["=one\nB=two", "line 1 is not of the form NAME=value"],
    ["A=one \\\n\nB=two", "line 2 says nothing, where the line before it goes on"],
    ["A=one \\\n# two\nB=two", "line 2 says nothing, where the line before it goes on"],
    ["A=one \\\ntwo \\\n", "line 2 goes on, and is the last"],
    ["A=one \\\ntwo \\", "line 2 goes on, and is the last"],
    ["one \\\ntwo\nB=two", "line 2 is not of the form NAME=value"],
  ])("is not looked for in %j: %s", (text, problem) => {
    expect(() => variableOf(text, "B")).toThrow(VariableFileError);
    expect(() => variableOf(text, "B")).toThrow(problem);
  });

  it("is found behind very many blanks at once", () => {
    const blanks = " ".repeat(1 << 20);
    expect(variableOf(`A=x${blanks}y\n${blanks}B=one${blanks}`, "B")).toBe("one");
  });
});
