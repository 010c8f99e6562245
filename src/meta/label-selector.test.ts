import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LabelRequirement, MAX_TERMS, parseLabelSelector, selectorFromObject } from "./label-selector.ts";

const errorOf = (text: string): string => {
  try {
    parseLabelSelector(text);
  } catch (error) {
    return (error as Error).message;
  }
  return "";
};

describe("the text of a label selector", () => {
  const good: [string, string][] = [
    ["", ""],
    ["b=1,a", "a,b=1"],
    ["a==1", "a==1"],
    ["a in (z, b,b)", "a in (b,z)"],
    ["a notin (,)", "a notin ()"],
    ["a in (b,)", "a in (,b)"],
    ["!a,b!=c", "!a,b!=c"],
    ["a=", "a="],
    ["in in (in,notin)", "in in (in,notin)"],
    ["a>1,a<5", "a>1,a<5"],
  ];
  it.each(good)("%j is read as %j", (text, canonical) => {
    expect(parseLabelSelector(text).text).toBe(canonical);
  });

  it("is read once for those who ask one after the other, and again after another text", () => {
    const read = parseLabelSelector("a in (b,c)");
    expect(parseLabelSelector("a in (b,c)")).toBe(read);
    expect(parseLabelSelector("a in (d)").text).toBe("a in (d)");
    expect(() => parseLabelSelector("a in (")).toThrow();
    expect(parseLabelSelector("a in (d)").text).toBe("a in (d)");
    expect(parseLabelSelector("a in (b,c)").text).toBe(read.text);
  });

  const key =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
  const value =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
  const bad: [string, string][] = [
    ["=a", "found '=', expected: !, identifier, or 'end of string'"],
    ["a,", "found '', expected: identifier after ','"],
    ["a=b c", "found 'c', expected: ',' or 'end of string'"],
    ["!a=b", "found '=', expected: ',' or 'end of string'"],
    ["!", "unable to parse requirement: found '', expected: identifier"],
    ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ["a in b", "unable to parse requirement: found 'b' expected: '('"],
    ["a in (", "unable to parse requirement: found '', expected: ',', ')' or identifier"],
    ["a in (=", "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
    ["a in (b", "unable to parse requirement: found '', expected: ',' or ')'"],
    ["a in (b c)", "unable to parse requirement: found 'c', expected: ',' or ')'"],
    ["a in (b,", "unable to parse requirement: found '', expected: ',', or identifier"],
    ["a=(", "unable to parse requirement: found '(', expected: identifier"],
    ["-a b", `unable to parse requirement: <nil>: Invalid value: "-a": ${key}`],
    ["a=-b", `unable to parse requirement: values[0][a]: Invalid value: "-b": ${value}`],
    [
      "a in (-b,-c)",
      `unable to parse requirement: [values[0][a]: Invalid value: "-b": ${value}, values[1][a]: Invalid value: "-c": ${value}]`,
    ],
    [
      "a>b",
      `unable to parse requirement: values[0]: Invalid value: "b": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
  ];
  it.each(bad)("%j is refused in upstream's words", (text, message) => {
    expect(errorOf(text)).toBe(message);
  });

  it("shows the beginning of what it cannot read", () => {
    expect(errorOf(`a ${"b".repeat(1_000_000)}`).length).toBeLessThan(500);
    expect(errorOf(`a in (${"-b,".repeat(MAX_TERMS - 1)})`).length).toBeLessThan(10_000);
  });

  const crowded: [string, (count: number) => string][] = [
    ["requirements", (count) => Array(count).fill("a").join(",")],
    ["values of a set", (count) => `a in (${Array(count).fill("b").join(",")})`],
  ];
  it.each(crowded)("has no more %s than can be read at once", (_name, text) => {
    expect(errorOf(text(MAX_TERMS))).toBe("");
    expect(errorOf(text(MAX_TERMS + 1))).toContain("a selector has at most 4096 terms and values");
  });
});

describe("a label selector", () => {
  /** One requirement after the other, as the rules are told. */
  const isMet = ({ key, operator, values }: LabelRequirement, labels: Record<string, string>): boolean => {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    switch (operator) {
      case "=":
      case "==":
      case "in":
        return value !== undefined && values.includes(value);
      case "!=":
      case "notin":
        return value === undefined || !values.includes(value);
      case "exists":
        return value !== undefined;
      case "!":
        return value === undefined;
      default: {
        const number = Number(value ?? "x");
        if (Number.isNaN(number)) return false;
        return operator === ">" ? number > Number(values[0]) : number < Number(values[0]);
      }
    }
  };
  const key = fc.constantFrom("a", "b", "constructor");
  const value = fc.constantFrom("1", "2", "30", "x");
  const number = fc.constantFrom("1", "2", "30");
  const term = fc.oneof(
    key,
    key.map((name) => `!${name}`),
    fc.tuple(key, fc.constantFrom("=", "==", "!="), value).map((parts) => parts.join("")),
    fc.tuple(key, fc.constantFrom(">", "<"), number).map((parts) => parts.join("")),
    fc
      .tuple(key, fc.constantFrom("in", "notin"), fc.array(value, { minLength: 1, maxLength: 3 }))
      .map(([name, word, values]) => `${name} ${word} (${values.join(",")})`),
  );

  it("matches what each of its requirements matches", () => {
    const property = fc.property(fc.array(term, { maxLength: 12 }), fc.dictionary(key, value), (terms, labels) => {
      const selector = parseLabelSelector(terms.join(","));
      expect(selector.matches(labels)).toBe(selector.requirements.every((each) => isMet(each, labels)));
    });
    fc.assert(property, { numRuns: 500 });
  });

  it("compares integers of 64 bits, and nothing else", () => {
    const { matches } = parseLabelSelector("a>5");
    expect(["5", "6", "9223372036854775807"].map((a) => matches({ a }))).toEqual([false, true, true]);
    expect(["9223372036854775808", "6.0", "x"].map((a) => matches({ a }))).toEqual([false, false, false]);
  });

  it("from an object selects nothing when there is none, and everything when it is empty", () => {
    expect(selectorFromObject(undefined).matches({})).toBe(false);
    expect(selectorFromObject({}).matches(undefined)).toBe(true);
    const selector = selectorFromObject({
      matchLabels: { a: "1" },
      matchExpressions: [{ key: "b", operator: "NotIn", values: ["x"] }],
    });
    expect(selector.matches({ a: "1" })).toBe(true);
    expect(selector.matches({ a: "1", b: "x" })).toBe(false);
  });
});
