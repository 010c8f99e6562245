import { describe, expect, it } from "vitest";
import { cloneJson, type Json } from "../base/json.ts";
import { counted } from "../base/steps.testing.ts";
import { StatusError } from "../meta/status-error.ts";
import {
  applyJsonPatch,
  applyJsonPatchInSteps,
  decodeJsonPatch,
  decodeJsonPatchInSteps,
  MAX_JSON_PATCH_COPY_BYTES,
  MAX_JSON_PATCH_OPERATIONS,
} from "./json-patch.ts";

const wide = Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`key-${index}`, index]));

const patched = (document: Json, patch: Json): Json => applyJsonPatch(document, decodeJsonPatch(patch).operations);

function failure(document: Json, patch: Json): StatusError {
  try {
    patched(document, patch);
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error("the patch applied");
}

describe("JSON Patch", () => {
  it.each<[behaviour: string, document: Json, patch: Json, expected: Json]>([
    ["adds a member", { a: 1 }, [{ op: "add", path: "/b", value: 2 }], { a: 1, b: 2 }],
    ["replaces a member that it adds again", { a: 1 }, [{ op: "add", path: "/a", value: 2 }], { a: 2 }],
    ["adds null", { a: 1 }, [{ op: "add", path: "/a", value: null }], { a: null }],
    ["takes a missing value for null", {}, [{ op: "add", path: "/a" }], { a: null }],
    ["inserts into a list", { l: [1, 3] }, [{ op: "add", path: "/l/1", value: 2 }], { l: [1, 2, 3] }],
    ["inserts behind the last element", { l: [1] }, [{ op: "add", path: "/l/1", value: 2 }], { l: [1, 2] }],
    ["appends at -", { l: [1] }, [{ op: "add", path: "/l/-", value: 2 }], { l: [1, 2] }],
    ["removes a member", { a: 1, b: 2 }, [{ op: "remove", path: "/a" }], { b: 2 }],
    ["removes an element", { l: [1, 2, 3] }, [{ op: "remove", path: "/l/0" }], { l: [2, 3] }],
    ["counts negative indexes from the end", { l: [1, 2, 3] }, [{ op: "remove", path: "/l/-1" }], { l: [1, 2] }],
    ["replaces a member", { a: 1 }, [{ op: "replace", path: "/a", value: 2 }], { a: 2 }],
    ["replaces an element", { l: [1, 2] }, [{ op: "replace", path: "/l/1", value: 9 }], { l: [1, 9] }],
    ["replaces the whole document", { a: 1 }, [{ op: "replace", path: "", value: { b: 1 } }], { b: 1 }],
    ["moves a member", { a: { x: 1 } }, [{ op: "move", from: "/a/x", path: "/y" }], { a: {}, y: 1 }],
    ["moves within a list", { l: [1, 2, 3] }, [{ op: "move", from: "/l/0", path: "/l/2" }], { l: [2, 3, 1] }],
    ["copies a member", { a: { x: 1 } }, [{ op: "copy", from: "/a", path: "/b" }], { a: { x: 1 }, b: { x: 1 } }],
    [
      "keeps a copy apart from its source",
      { a: { x: { y: 1 } } },
      [
        { op: "add", path: "/a/x/z", value: 1 },
        { op: "copy", from: "/a", path: "/b" },
        { op: "add", path: "/b/x/y", value: 2 },
      ],
      { a: { x: { y: 1, z: 1 } }, b: { x: { y: 2, z: 1 } } },
    ],
    [
      "reads ~1 as / and ~0 as ~",
      { "a/b": 1, "~1": 2 },
      [
        { op: "remove", path: "/a~1b" },
        { op: "remove", path: "/~01" },
      ],
      {},
    ],
    [
      "ignores what stands before the first slash, as upstream",
      {},
      [{ op: "add", path: "data/z", value: 1 }],
      { z: 1 },
    ],
    [
      "lets a test that holds through",
      { a: [1, { b: 2 }] },
      [{ op: "test", path: "/a", value: [1, { b: 2 }] }],
      { a: [1, { b: 2 }] },
    ],
    ["holds a test for null on a missing member", {}, [{ op: "test", path: "/a", value: null }], {}],
    ["tests the whole document", { a: 1 }, [{ op: "test", path: "", value: { a: 1 } }], { a: 1 }],
    ["does nothing for an empty patch", { a: 1 }, [], { a: 1 }],
    ["does nothing for null", { a: 1 }, null, { a: 1 }],
    [
      "takes __proto__ for an ordinary key",
      {},
      [{ op: "add", path: "/__proto__", value: 1 }],
      JSON.parse('{"__proto__":1}'),
    ],
  ])("%s", (_behaviour, document, patch, expected) => {
    const before = cloneJson(document);
    expect(patched(document, patch)).toEqual(expected);
    expect(document).toEqual(before);
  });

  it.each<[why: string, document: Json, patch: Json, cause: string]>([
    [
      "a removed member is missing",
      {},
      [{ op: "remove", path: "/a" }],
      "error in remove for path: '/a': Unable to remove nonexistent key: a: missing value",
    ],
    [
      "the parent is missing",
      {},
      [{ op: "add", path: "/a/b", value: 1 }],
      'add operation does not apply: doc is missing path: "/a/b": missing value',
    ],
    [
      "the parent is a scalar",
      { a: 1 },
      [{ op: "add", path: "/a/b", value: 1 }],
      'add operation does not apply: doc is missing path: "/a/b": missing value',
    ],
    [
      "an index is beyond the end",
      { l: [] },
      [{ op: "add", path: "/l/5", value: 1 }],
      "error in add for path: '/l/5': Unable to access invalid index: 5: invalid index referenced",
    ],
    [
      "an index is no number",
      { l: [] },
      [{ op: "add", path: "/l/x", value: 1 }],
      "error in add for path: '/l/x': value was not a proper array index: 'x'",
    ],
    [
      "a replaced member is missing",
      {},
      [{ op: "replace", path: "/a", value: 1 }],
      "replace operation does not apply: doc is missing key: /a: missing value",
    ],
    [
      "a replaced element is missing",
      { l: [] },
      [{ op: "replace", path: "/l/0", value: 1 }],
      "replace operation does not apply: doc is missing key: /l/0: missing value",
    ],
    [
      "a moved member is missing",
      {},
      [{ op: "move", from: "/a", path: "/b" }],
      "error in move for path: 'a': Unable to remove nonexistent key: a: missing value",
    ],
    [
      "an object moves into itself",
      { a: {} },
      [{ op: "move", from: "/a", path: "/a/b" }],
      "move operation does not apply: doc is missing destination path: /a/b: missing value",
    ],
    ["a test fails", { a: 1 }, [{ op: "test", path: "/a", value: 2 }], "testing value /a failed: test failed"],
    ["a test has no value", {}, [{ op: "test", path: "/a" }], "testing value /a failed: test failed"],
    ["the operation is unknown", {}, [{ op: "merge", path: "/a" }], "Unexpected kind: merge"],
    ["the path is missing", {}, [{ op: "add", value: 1 }], "add operation failed to decode path: missing value"],
    [
      "the document itself is added",
      {},
      [{ op: "add", path: "", value: {} }],
      'add operation does not apply: doc is missing path: "": missing value',
    ],
    [
      "a pointer goes through the prototype",
      {},
      [{ op: "add", path: "/__proto__/polluted", value: 1 }],
      'add operation does not apply: doc is missing path: "/__proto__/polluted": missing value',
    ],
  ])("answers 422 when %s", (_why, document, patch, cause) => {
    const error = failure(document, patch);
    expect(error.toBody()).toMatchObject({
      code: 422,
      reason: "Invalid",
      message: "the server rejected our request due to an error in our request",
      details: {},
    });
    expect(error.cause).toBe(cause);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  it("answers 400 to a patch that is not a list", () => {
    expect(failure({}, {}).message).toBe(
      "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
    );
  });

  it("answers 413 to more operations than allowed", () => {
    const patch = Array.from({ length: MAX_JSON_PATCH_OPERATIONS + 1 }, () => ({ op: "test", path: "/a", value: 1 }));
    expect(failure({ a: 1 }, patch)).toMatchObject({
      code: 413,
      message: "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001",
    });
  });

  it("names members of operations that it does not know", () => {
    expect(decodeJsonPatch([{ op: "test", path: "/a", value: 1, foo: 1 }]).unknownFields).toEqual([
      'json patch unknown field "[0].foo"',
    ]);
  });

  it("refuses copies that grow the document beyond the limit", () => {
    const patch = Array.from({ length: 40 }, () => ({ op: "copy", from: "/a", path: "/a/-" }));
    const error = failure({ a: ["x".repeat(1000)] }, patch);
    expect(error.code).toBe(422);
    expect(error.cause).toContain(`exceeding the limit ${MAX_JSON_PATCH_COPY_BYTES}`);
  });

  it("refuses copies that nest the document too deeply", () => {
    let deep: Json = 1;
    for (let level = 0; level < 600; level++) deep = { a: deep };
    const bottom = `/d${"/a".repeat(600)}`;
    expect(failure({ d: deep }, [{ op: "copy", from: "/d", path: bottom }]).message).toContain("nest");
  });

  it("sets a missing member on replace where it is asked to do as upstream does", () => {
    const { operations } = decodeJsonPatch([{ op: "replace", path: "/a", value: 2 }]);
    expect(applyJsonPatch({}, operations, { replaceSets: true })).toEqual({ a: 2 });
  });

  it.each<[what: string, patch: Json]>([
    ["adds to a large map", [{ op: "add", path: "/map/new", value: 1 }]],
    ["tests a large map", [{ op: "test", path: "/map", value: { ...wide } }]],
    ["copies a large map", [{ op: "copy", from: "/map", path: "/copy" }]],
    ["puts items before long lists", Array.from({ length: 1_000 }, () => ({ op: "add", path: "/list/0", value: 1 }))],
  ])("%s in steps", (_, patch) => {
    const { operations } = counted(decodeJsonPatchInSteps(patch)).result;
    expect(counted(applyJsonPatchInSteps({ map: wide, list: [] }, operations)).steps).toBeGreaterThan(10);
  });

  it("reads long names in paths in steps, and no escape in two", () => {
    const path = `/x${"~0~1".repeat(40_000)}`;
    const { result, steps } = counted(applyJsonPatchInSteps({}, [{ op: "add", path, from: undefined, value: 1 }]));
    expect(Object.keys(result as object)).toEqual([`x${"~/".repeat(40_000)}`]);
    expect(steps).toBeGreaterThan(8);
  });

  it("reads large patches in steps", () => {
    const patch = [{ op: "add", path: "/a", value: Array.from({ length: 20_000 }, () => ({})) }];
    expect(counted(decodeJsonPatchInSteps(patch)).steps).toBeGreaterThan(5);
  });
});
