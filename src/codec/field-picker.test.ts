// Fields cut out of bytes equal those of the decoded object.

import { describe, expect, it } from "vitest";
import { FieldPicker } from "./field-picker.ts";

const picker = (...fields: string[]) => new FieldPicker(fields.map((path) => path.split(".")));
const pick = (fields: string[], text: string) => {
  const picked = picker(...fields).pick(Buffer.from(text));
  return picked && Buffer.from(picked.bytes).toString("utf8");
};

describe("picking fields", () => {
  it.each<[string, string[], string, string]>([
    ["one", ["a"], '{"metadata":{},"a":1,"b":2}', '{"metadata":{},"a":1}'],
    ["none", [], '{"metadata":{"x":1},"b":[{}]}', '{"metadata":{}}'],
    ["a whole tree", ["a"], '{"metadata":{},"a":{"b":[1,{"c":"}"}]},"d":0}', '{"metadata":{},"a":{"b":[1,{"c":"}"}]}}'],
    ["one inside", ["a.b"], '{"metadata":{},"a":{"x":{"b":1},"b":2,"y":3}}', '{"metadata":{},"a":{"b":2}}'],
    ["nothing inside", ["a.b"], '{"metadata":{},"a":{"x":1}}', '{"metadata":{},"a":{}}'],
    [
      "through a list",
      ["a.b"],
      '{"metadata":{},"a":[{"b":1,"c":2},{},7,null]}',
      '{"metadata":{},"a":[{"b":1},{},7,null]}',
    ],
    ["through an empty list", ["a.b"], '{"metadata":{},"a":[]}', '{"metadata":{},"a":[]}'],
    ["what has no fields", ["a.b"], '{"metadata":{},"a":"text","c":1}', '{"metadata":{},"a":"text"}'],
    ["keys alone", ["a.*"], '{"metadata":{},"a":{"k":"v","l":{"m":1}}}', '{"metadata":{},"a":{"k":0,"l":0}}'],
    ["names that begin alike", ["ab"], '{"metadata":{},"a":1,"abc":2,"ab":3}', '{"metadata":{},"ab":3}'],
    ["a name in another object", ["a"], '{"metadata":{"a":1},"x":{"a":2}}', '{"metadata":{}}'],
    ["a name in a text", ["a"], '{"metadata":{},"x":"\\",\\"a\\":1","a":2}', '{"metadata":{},"a":2}'],
    ["behind a backslash at the end", ["a"], '{"metadata":{},"x":"\\\\","a":"\\\\"}', '{"metadata":{},"a":"\\\\"}'],
    [
      "from spread text",
      ["a.b"],
      ' { "metadata" : { } , "a" : { "b" : 1 , "c" : 2 } } ',
      '{"metadata":{},"a":{"b":1}}',
    ],
    [
      "prototype words",
      ["a"],
      '{"metadata":{"__proto__":{}},"constructor":1,"a":{"__proto__":1}}',
      '{"metadata":{},"a":{"__proto__":1}}',
    ],
    ["characters of several bytes", ["é.ü"], '{"metadata":{},"é":{"ü":"ß","u":1}}', '{"metadata":{},"é":{"ü":"ß"}}'],
    ["long values", ["a"], `{"metadata":{},"a":"${"x".repeat(500)}"}`, `{"metadata":{},"a":"${"x".repeat(500)}"}`],
  ])("takes %s", (_, fields, text, expected) => {
    expect(pick(fields, text)).toBe(expected);
    expect(() => JSON.parse(expected)).not.toThrow();
  });

  it("says where metadata stand", () => {
    const text = '{"kind":"A","metadata":{"name":"}{\\"","labels":{"metadata":"]"}},"spec":{"metadata":{}}}';
    const { metadataFrom, metadataTo } = picker("spec.metadata").pick(Buffer.from(text))!;
    expect(text.slice(metadataFrom, metadataTo)).toBe('{"name":"}{\\"","labels":{"metadata":"]"}}');
  });

  it.each([
    ["a key with an escape", '{"metadata":{},"\\u0061":1}'],
    ["no metadata", '{"a":1}'],
    ["no object", "[1]"],
    ["nothing", ""],
    ["no end", '{"metadata":{},"a":'],
    ["no end of a key", '{"metadata'],
    ["something behind", '{"metadata":{}}x'],
    ["no key", '{"metadata":{},1:2}'],
    ["no colon", '{"metadata"}'],
  ])("leaves to others what has %s", (_, text) => {
    expect(pick(["a"], text)).toBeUndefined();
  });

  it("holds no larger room than it needs", () => {
    const one = picker("a");
    const large = Buffer.from(`{"metadata":{},"a":"${"x".repeat(600_000)}"}`);
    expect(one.pick(large)?.bytes.length).toBe(large.length);
    expect(Buffer.from(one.pick(Buffer.from('{"metadata":{},"a":2}'))!.bytes).toString()).toBe('{"metadata":{},"a":2}');
  });

  it("takes from each object of a list what it has, however much it resembles the one before", () => {
    const long = "x".repeat(60);
    const values = [
      `{"m":[{"t":1,"f":{"k":"${long}"}},{"t":2}]}`,
      `{"m":[{"t":3,"f":{"k":"${long}"}},{"t":2}]}`,
      `{"m":[{"t":3,"f":{"k":"${long}","l":["${long}"]}}]}`,
      `{"m":[{"t":3,"f":{"k":"${long}","l":["${long}}]"]}}]}`,
      `["${long}",{}]`,
      `{"m":"${long}"}`,
      "{}",
      `{"m":"${long}","n":{"b":2}}`,
      '"text"',
      `{"m":"${long}","n":{"b":"${long}"}}`,
    ];
    const one = picker("z", "c.z");
    for (const [n, a] of values.entries()) {
      for (const b of [...values, "7", "70"]) {
        const text = `{"metadata":{},"a":${a},"c":{"b":${b},"z":${n}},"b":${b},"z":${n}}`;
        expect(Buffer.from(one.pick(Buffer.from(text))!.bytes).toString()).toBe(
          `{"metadata":{},"c":{"z":${n}},"z":${n}}`,
        );
      }
    }
    one.forget();
    expect(one.pick(Buffer.from('{"metadata":{},"a":{},"z":1}'))).toBeDefined();
  });

  it("goes any number of levels down", () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    expect(pick(["a"], `{"metadata":{},"b":${deep},"a":1}`)).toBe('{"metadata":{},"a":1}');
  });
});
