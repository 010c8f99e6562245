// Why texts are no JSON.

import { describe, expect, it } from "vitest";
import { jsonProblem } from "./json-problem.ts";

describe("the problem of a JSON text", () => {
  it.each([
    ["{}", undefined],
    ['{"a":[1,true,null]}', undefined],
    ["", "unexpected end of JSON input"],
    ["{", "unexpected end of JSON input"],
    ['{"a', "unexpected end of JSON input"],
    ['{"a":1', "unexpected end of JSON input"],
    ["x", "invalid character 'x' looking for beginning of value"],
    ["{a}", "invalid character 'a' looking for beginning of object key string"],
    ['{"a"}', "invalid character '}' after object key"],
    ['{"a":1 "b"}', "invalid character '\"' after object key:value pair"],
    ["[1 2]", "invalid character '2' after array element"],
    ["{} x", "invalid character 'x' after top-level value"],
    ['"\n"', "invalid character '\\n' in string literal"],
  ])("%j: %s", (text, problem) => {
    expect(jsonProblem(text)).toBe(problem);
  });
});
