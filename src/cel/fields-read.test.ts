import { describe, expect, it } from "vitest";
import { apiEnvironment } from "./api-environment.ts";
import { fieldsRead } from "./fields-read.ts";
import { DYN, mapOf, STRING } from "./types.ts";

const environment = apiEnvironment({ minor: 34, namespace: "test" }).withVariables([
  { name: "claims", type: mapOf(STRING, DYN) },
  { name: "other", type: mapOf(STRING, DYN) },
]);

describe("the fields that an expression reads", () => {
  it.each([
    ["claims.a.b == 'x'", ["a"]],
    ["has(claims.a) && claims.?b.orValue(true)", ["a", "b"]],
    ['claims["a"] + claims[?"b"].orValue("")', ["a", "b"]],
    ["[claims.a].exists(x, x == claims.b) ? {claims.c: claims.d}.size() : 0", ["a", "b", "c", "d"]],
    ["other.a == 'claims.b'", []],
    ["claims", []],
    ["claims.", []],
  ])("%s", (text, fields) => expect([...fieldsRead(environment, text, "claims")].sort()).toEqual(fields));
});
