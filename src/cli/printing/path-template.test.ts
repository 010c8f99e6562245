import { describe, expect, it } from "vitest";
import { readCustomColumns } from "./custom-columns.ts";
import { readPathTemplate } from "./path-template.ts";
import { sortedBy } from "./sort-objects.ts";

const list = {
  items: [
    { metadata: { name: "a", labels: { "x.y/z": "1" } }, spec: { n: 10, images: ["i", "j"] } },
    { metadata: { name: "b" }, spec: { n: 9 } },
  ],
};

describe("a template of paths", () => {
  it.each([
    ["{.items[0].metadata.name}", "a"],
    [".items[*].metadata.name", "a b"],
    ["{.items[*].metadata.name}!", "a b!"],
    ['{range .items[*]}{.metadata.name}{"\\t"}{.spec.n}{"\\n"}{end}', "a\t10\nb\t9\n"],
    ["{.items[0].spec}", '{"n":10,"images":["i","j"]}'],
    ["{.items[?(@.spec.n>9)].metadata.name}", "a"],
    ["{.items[0].metadata.labels['x\\.y/z']}", "1"],
    ["{.nothing}", ""],
    ["{range .items[*]}{range .spec.images[*]}<{@}>{end}{end}", "<i><j>"],
    ["{range.items[*]}{.metadata.name}{end}", "ab"],
    ["{.items[*]['metadata.name','spec.n']}", "a b 10 9"],
    ["{.items[*].spec['images', 'n']}", '["i","j"] 10 9'],
    ["{.items[0].metadata.labels['none','x.y/z']}", "1"],
    ['{"\\u00e9\\x41\\t\\\\"}', "éA\t\\"],
  ])("%s", (template, text) => {
    expect(readPathTemplate(template)(list)).toBe(text);
  });

  it.each([
    ["{.items[2].metadata.name}", "index 2, length 2"],
    ["{.items[-3]}", "index -3, length 2"],
    ["{.items[5:].metadata}", "index 5, length 2"],
    ["{range .items[9]}{@}{end}", "index 9, length 2"],
  ])("%s fails: a list has no such place", (template, text) => {
    expect(() => readPathTemplate(template)(list)).toThrow(`array index out of bounds: ${text}`);
  });

  it("may ask for a place of a list that is not there", () => {
    expect(readPathTemplate("{.nothing[0]}{.items[1].spec.images[0]}")(list)).toBe("");
  });

  it("compares only what can be compared", () => {
    const compare = readPathTemplate("{.items[?(@.spec.n=='9')].metadata.name}");
    expect(() => compare(list)).toThrow("incompatible types for comparison");
    expect(readPathTemplate("{.items[?(@.nothing=='9')]}")(list)).toBe("");
  });

  it.each([
    "{.a",
    "{range .items[*]}",
    "{end}",
    "{.a[}",
    "{len .items}",
    '{.items[?(@.metadata.name=~"a.*")]}',
    "{.items[?(@.metadata.name in ['a'])]}",
    "{.items[?(@.a=='x' && @.b=='y')]}",
    "{.items[*]['a',b]}",
  ])("%s is none", (template) => {
    expect(() => readPathTemplate(template)).toThrow("jsonpath: ");
  });
});

describe("columns of paths", () => {
  it("show what the paths lead to", () => {
    const table = readCustomColumns("NAME:.metadata.name,IMAGES:.spec.images[*],N:.spec.n");
    expect(table(list.items, true)).toBe("NAME   IMAGES   N\na      i,j      10\nb      <none>   9\n");
    expect(table(list.items, false)).toBe("a     i,j      10\nb     <none>   9\n");
    expect(readCustomColumns(":.metadata.name")(list.items, true)).toBe("\na\nb\n");
    expect(() => readCustomColumns("NAME")).toThrow("NAME:PATH");
  });
});

describe("sorting by a path", () => {
  it("takes numbers as numbers, and what has none first", () => {
    const sorted = (path: string) => sortedBy(list.items, path, (item) => item).map(({ metadata }) => metadata.name);
    expect(sorted(".spec.n")).toEqual(["b", "a"]);
    expect(sorted("{.metadata.name}")).toEqual(["a", "b"]);
    expect(sorted(".spec.images[0]")).toEqual(["b", "a"]);
  });
});
