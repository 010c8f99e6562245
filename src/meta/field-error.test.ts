// What a finding says of the value, and how many of them are looked for.

import { describe, expect, it } from "vitest";
import { counted } from "../base/steps.testing.ts";
import { atOnce, type Steps } from "../base/steps.ts";
import { type FieldError, fieldErrorBody, invalid, MAX_MISTAKES, notSupported, untilEnough } from "./field-error.ts";

it.each<[string, FieldError, string]>([
  ["a text as a text", invalid("f", "\0<", "no"), 'Invalid value: "\\x00<": no'],
  [
    "a word of several as JSON",
    notSupported("f", "\0<", ["a"]),
    'Unsupported value: "\\u0000\\u003c": supported values: "a"',
  ],
  ["no value as null", notSupported("f", undefined, []), "Unsupported value: null"],
])("shows %s", (_what, error, expected) => {
  expect(fieldErrorBody(error)).toBe(expected);
});

describe("untilEnough", () => {
  it("stops rules that find more mistakes than anybody is told of", () => {
    let judged = 0;
    const judge = () => Array.from({ length: 10 * MAX_MISTAKES }, (_, index) => mistakeIn(index, () => (judged += 1)));
    const found = atOnce(untilEnough(judge));
    expect(judged).toBe(MAX_MISTAKES);
    expect([found[0]?.field, found.length, found.at(-1)?.field]).toEqual([
      "list[0]",
      MAX_MISTAKES,
      `list[${MAX_MISTAKES - 1}]`,
    ]);
  });

  it("counts what each finds for itself, whose steps take turns", () => {
    const judgings = [1, 2].map(() => untilEnough(inSteps));
    const found = judgings.map(() => [] as FieldError[]);
    for (let isOver = false; !isOver; ) {
      judgings.forEach((judging, index) => {
        const step = judging.next();
        if (step.done === true) found[index] = step.value;
        isOver = step.done === true;
      });
      // Who does not count finds as many as there are.
      invalid("elsewhere", "", "");
    }
    expect(found.map(({ length }) => length)).toEqual([MAX_MISTAKES - 1, MAX_MISTAKES - 1]);
  });

  it("lets others have their turn wherever the rules do", () => {
    expect(counted(untilEnough(inSteps)).steps).toBe(counted(inSteps()).steps);
  });

  it("goes on counting after rules inside, which count for themselves", () => {
    const judge = () => [
      ...atOnce(untilEnough(inSteps)),
      ...Array.from({ length: 2 * MAX_MISTAKES }, (_, index) => mistakeIn(index)),
    ];
    expect(atOnce(untilEnough(judge))).toHaveLength(MAX_MISTAKES);
  });

  it("fails as the rules fail", () => {
    const failing = untilEnough(() => {
      throw new RangeError("no");
    });
    expect(() => atOnce(failing)).toThrow(RangeError);
    expect(Array.from({ length: 2 * MAX_MISTAKES }, (_, index) => mistakeIn(index))).toHaveLength(2 * MAX_MISTAKES);
  });
});

function mistakeIn(index: number, judged?: () => void): FieldError {
  judged?.();
  return invalid(`list[${index}]`, "", "no");
}

function* inSteps(): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  for (let index = 0; index < MAX_MISTAKES - 1; index += 1) {
    if (index % 100 === 0) yield;
    errors.push(mistakeIn(index));
  }
  return errors;
}
