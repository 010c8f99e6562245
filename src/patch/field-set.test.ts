import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  areDisjoint,
  EMPTY_SET,
  equalSets,
  type FieldSet,
  fieldSet,
  hasPath,
  intersectSets,
  isSubset,
  subtractSets,
  subtractTrees,
  unionSets,
} from "./field-set.ts";
import { decodeFieldSet, encodeFieldSet } from "./fields-v1.ts";
import { listPaths } from "./list-paths.testing.ts";
import { fieldPath, pathText } from "./path-element.ts";

const element = fc.constantFrom("f:a", "f:b", 'k:{"name":"x"}', 'k:{"name":"y"}', 'v:"s"', "v:1", "i:0");
const path = fc.array(element, { minLength: 1, maxLength: 3 });
const sets = fc.array(path, { maxLength: 12 }).map((paths) => fieldSet(...paths));

const texts = (set: FieldSet) => listPaths(set).map(pathText);

describe("field sets", () => {
  it("obey the laws of sets", () => {
    fc.assert(
      fc.property(sets, sets, sets, (a, b, c) => {
        expect(equalSets(unionSets(a, b), unionSets(b, a))).toBe(true);
        expect(equalSets(unionSets(a, unionSets(b, c)), unionSets(unionSets(a, b), c))).toBe(true);
        const distributed = unionSets(intersectSets(a, b), intersectSets(a, c));
        expect(equalSets(intersectSets(a, unionSets(b, c)), distributed)).toBe(true);
        expect(equalSets(unionSets(subtractSets(a, b), intersectSets(a, b)), a)).toBe(true);
        expect(intersectSets(subtractSets(a, b), b).size).toBe(0);
        expect(areDisjoint(a, b)).toBe(intersectSets(a, b).size === 0);
        expect(isSubset(a, unionSets(a, b))).toBe(true);
        expect(isSubset(unionSets(a, b), a)).toBe(isSubset(b, a));
        expect(isSubset(subtractTrees(a, b), subtractSets(a, b))).toBe(true);
        expect(subtractSets(a, a)).toEqual(EMPTY_SET);
        for (const found of listPaths(a)) {
          expect(hasPath(a, found)).toBe(true);
          expect(hasPath(subtractSets(a, b), found)).toBe(!hasPath(b, found));
        }
      }),
    );
  });

  it("survive the wire", () => {
    fc.assert(
      fc.property(sets, (set) => {
        const wire = JSON.parse(JSON.stringify(encodeFieldSet(set)));
        expect(equalSets(decodeFieldSet(wire), set)).toBe(true);
        expect(JSON.stringify(encodeFieldSet(decodeFieldSet(wire)))).toBe(JSON.stringify(wire));
      }),
    );
  });

  it("subtracts whole trees", () => {
    const set = fieldSet(fieldPath("status", "phase"), fieldPath("status"), fieldPath("spec", "a"));
    expect(texts(subtractTrees(set, fieldSet(fieldPath("status"))))).toEqual([".spec.a"]);
    expect(texts(subtractSets(set, fieldSet(fieldPath("status"))))).toEqual([".spec.a", ".status.phase"]);
  });

  it("lists members of a node before what is below", () => {
    const set = fieldSet(fieldPath("metadata", "labels", "a"), fieldPath("rules"));
    expect(texts(set)).toEqual([".rules", ".metadata.labels.a"]);
  });
});

describe("fieldsV1", () => {
  it("writes a dot for a member with nodes below and sorts fields, keys, values, indexes", () => {
    const set = fieldSet(
      ["i:10"],
      ["i:9"],
      ['v:"b"'],
      ["v:2"],
      ['k:{"name":"b"}'],
      ['k:{"name":"a!"}'],
      ['k:{"name":"a"}'],
      ["f:b"],
      ["f:a", "f:x"],
      ["f:a"],
      ["f:c", "f:y"],
    );
    expect(JSON.stringify(encodeFieldSet(set))).toBe(
      '{"f:a":{".":{},"f:x":{}},"f:b":{},"f:c":{"f:y":{}},"k:{\\"name\\":\\"a\\"}":{},"k:{\\"name\\":\\"a!\\"}":{},' +
        '"k:{\\"name\\":\\"b\\"}":{},"v:2":{},"v:\\"b\\"":{},"i:9":{},"i:10":{}}',
    );
  });

  it("reads elements in any spelling as the same", () => {
    const set = decodeFieldSet({ 'k:{ "protocol":"TCP", "port": 80 }': {}, 'v:"\\u0061"': {} });
    expect([...set.keys()]).toEqual(['k:{"port":80,"protocol":"TCP"}', 'v:"a"']);
  });

  it("skips elements of kinds that it does not know", () => {
    expect(texts(decodeFieldSet({ "z:new": {}, "f:a": { "z:x": {} } }))).toEqual([".a"]);
  });

  it.each([["f"], ["fa"], ["k:nope"], ["k:[1]"], ["v:"], ["i:x"]])("refuses the element %s", (broken) => {
    expect(() => decodeFieldSet({ [broken]: {} })).toThrow();
  });

  it("refuses a tree that is none or too deep", () => {
    expect(() => decodeFieldSet({ "f:a": 1 })).toThrow("tree of objects");
    let deep = {};
    for (let level = 0; level < 20_000; level++) deep = { "f:a": deep };
    expect(() => decodeFieldSet(deep)).toThrow("too deeply");
  });
});

describe("the text of a path", () => {
  it.each([
    [fieldPath("spec", "replicas"), ".spec.replicas"],
    [["f:ports", 'k:{"port":80,"protocol":"TCP"}', "f:name"], '.ports[port=80,protocol="TCP"].name'],
    [["f:finalizers", 'v:"a\\nb"'], '.finalizers[="a\\nb"]'],
    [["f:list", "i:0"], ".list[0]"],
  ])("of %j is %s", (steps, text) => {
    expect(pathText(steps)).toBe(text);
  });
});
