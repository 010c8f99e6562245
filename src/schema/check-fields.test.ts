import { describe, expect, it } from "vitest";
import { type FieldError, fieldErrorText } from "../meta/field-error.ts";
import { dns1123LabelProblems } from "../meta/name-formats.ts";
import { opt, ptr, s } from "./builder.ts";
import { checkFields, FILLED, fieldErrors, INSIDE, LISTED, NOT_NEGATIVE, POSITIVE } from "./check-fields.ts";

const struct = s.struct("test.v1.Thing", () => ({
  free: opt.string(1),
  name: s.string(2, "", { must: { filled: true, form: dns1123LabelProblems } }),
  others: opt.atomic("string", 3, "", { must: FILLED }),
  count: ptr.int32(4, "", { must: NOT_NEGATIVE }),
  unit: ptr.int32(5, "", { must: { least: 0, most: 255 } }),
  mode: ptr.enumOf("Mode", ["A", "B"], 6, "", { must: LISTED }),
}));

const good = { name: "a", others: ["b"], count: 0, unit: 255, mode: "A" };

function found(change: object, only?: readonly ("count" | "mode")[]): string[] {
  const errors: FieldError[] = [];
  checkFields<object & { count?: number; mode?: string }>({ ...good, ...change }, struct, "spec", errors, only);
  return errors.map(fieldErrorText);
}

describe("the fields of a struct", () => {
  it.each([
    ["that are as they must be", {}, []],
    ["that may be left out and are", { count: undefined, unit: undefined, mode: undefined }, []],
    ["that must be filled", { name: "", others: [] }, ["spec.name: Required value", "spec.others: Required value"]],
    ["that must not be negative", { count: -1 }, ["spec.count: Invalid value: -1: must be greater than or equal to 0"]],
    ["that have a range", { unit: 256 }, ["spec.unit: Invalid value: 256: must be between 0 and 255, inclusive"]],
    ["that have a list of words", { mode: "C" }, ['spec.mode: Unsupported value: "C": supported values: "A", "B"']],
    [
      "that have such a list and are empty",
      { mode: "" },
      ['spec.mode: Unsupported value: "": supported values: "A", "B"'],
    ],
  ])("are judged: those %s", (_which, change, expected) => {
    expect(found(change)).toEqual(expected);
  });

  it("are judged by their form", () => {
    expect(found({ name: "A_b" })).toEqual([expect.stringContaining('spec.name: Invalid value: "A_b": a lowercase')]);
  });

  it("are judged in the order of their declaration, or some in the order in which they are asked for", () => {
    const bad = { mode: "C", count: -1, name: "" };
    const order = (only?: readonly ("count" | "mode")[]) => found(bad, only).map((text) => text.split(":")[0]);
    expect(order()).toEqual(["spec.name", "spec.count", "spec.mode"]);
    expect(order(["mode", "count"])).toEqual(["spec.mode", "spec.count"]);
  });
});

const short = (text: string): string[] => (text.length < 3 ? ["must be long"] : []);

const item = s.struct("test.v1.Item", () => ({
  id: s.string(1, "", { must: FILLED }),
  size: s.int32(2, "", { must: POSITIVE }),
}));

const holder = s.struct("test.v1.Holder", () => ({
  reason: opt.string(1, "", { must: { filled: "say why", form: short, after: { maxBytes: 4 } } }),
  driver: opt.string(2, "", { must: { filled: true, strict: true, maxBytes: 4, form: short } }),
  policy: opt.string(3, "", { must: { strict: true, listed: ["B", "A"] } }),
  pointed: ptr.string(4, "", { must: { strict: true, form: short } }),
  port: opt.intOrString(5, "", { must: { strict: true, least: 1, form: short } }),
  seconds: ptr.int64(6, "", { must: { amount: (value) => (value > 9 ? ["too late"] : []) } }),
  names: opt.atomic("string", 7, "", { must: { maxItems: 2, each: { strict: true, form: short }, unique: true } }),
  items: opt.atomic(item, 8, "", { must: { inside: true, unique: "id" } }),
  one: ptr.of(item, 9, "", { must: INSIDE }),
  verbs: opt.atomic("string", 10, "", {
    must: { whole: (list) => (list.length > 1 ? ["only one"] : []), each: FILLED },
  }),
}));

const fine = { reason: "xyz", driver: "abc", policy: "A", port: 1 };

describe("what a field can be asked", () => {
  it.each<[what: string, change: object, expected: string[]]>([
    ["nothing more than it says", {}, []],
    ["a reason, in words", { reason: undefined }, ["reason: Required value: say why"]],
    ["a form before a length", { reason: "ab" }, ['reason: Invalid value: "ab": must be long']],
    ["a length after the form", { reason: "abcde" }, ["reason: Too long: may not be more than 4 bytes"]],
    [
      "a form although it is empty",
      { driver: "" },
      ["driver: Required value", 'driver: Invalid value: "": must be long'],
    ],
    ["a length in bytes", { driver: "äöü" }, ["driver: Too long: may not be more than 4 bytes"]],
    [
      "a word where none is absent",
      { policy: undefined },
      ['policy: Unsupported value: "": supported values: "B", "A"'],
    ],
    ["nothing where there is none", { pointed: undefined }, []],
    ["a form where the empty text is one", { pointed: "" }, ['pointed: Invalid value: "": must be long']],
    [
      "a number, and an absent one is 0",
      { port: undefined },
      ["port: Invalid value: 0: must be greater than or equal to 1"],
    ],
    ["the form of a text in place of a number", { port: "a" }, ['port: Invalid value: "a": must be long']],
    ["an amount, however large", { seconds: 2n ** 60n }, ["seconds: Invalid value: 1152921504606846976: too late"]],
    [
      "how many items, what each is and that none is twice",
      { names: ["abc", "", "abc"] },
      [
        "names: Too many: 3: must have at most 2 items",
        'names[1]: Invalid value: "": must be long',
        'names[2]: Duplicate value: "abc"',
      ],
    ],
    [
      "what stands inside, and that no key is twice",
      {
        items: [
          { id: "a", size: 1 },
          { id: "a", size: 0 },
        ],
      },
      ["items[1].size: Invalid value: 0: must be greater than zero", 'items[1].id: Duplicate value: "a"'],
    ],
    [
      "something of a list as a whole, then of its items",
      { verbs: ["*", ""] },
      ['verbs: Invalid value: ["*",""]: only one', "verbs[1]: Required value"],
    ],
    ["what stands inside one", { one: { id: "", size: 1 } }, ["one.id: Required value"]],
  ])("%s", (_what, change, expected) => {
    expect(fieldErrors({ ...fine, ...change }, holder, "").map(fieldErrorText)).toEqual(expected);
  });
});
