// Continue tokens: they come back as they went out, and nothing else is believed.

import { describe, expect, it } from "vitest";
import { DIALECTS, namesFor } from "../meta/names.ts";
import { decodeContinue, encodeContinue, lastKeyOf } from "./continue-token.ts";

const names = namesFor("kubernetes");
const token = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const V = "meta.k8s.io/v1";
const WHOLE = token({ v: V, rv: 1, start: "a" });

describe("a continue token", () => {
  it.each(DIALECTS)("says where the list goes on (%s)", (dialect) => {
    const encoded = encodeContinue(namesFor(dialect), 42, "ns/name-ä");
    expect(encoded).toMatch(/^[\w-]+$/);
    const position = decodeContinue(namesFor(dialect), encoded);
    expect([position.revision, lastKeyOf(position), position.givenAtMs]).toEqual([42, "ns/name-ä", undefined]);
  });

  it("says when it was given out", () => {
    expect(decodeContinue(names, encodeContinue(names, 42, "a", 1_700_000_000_000)).givenAtMs).toBe(1_700_000_000_000);
  });

  it("may go on at the newest revision", () => {
    expect(decodeContinue(names, encodeContinue(names, -1, "a")).revision).toBe(-1);
  });

  it("begins exactly where another program says, without a key that was sent", () => {
    expect(lastKeyOf(decodeContinue(names, token({ v: V, rv: 1, start: "a/b" })))).toBe("a/b");
  });

  it.each([
    ["no base64", "a b", "illegal base64 data at input byte 1"],
    ["a length that base64 does not have", "abcde", "illegal base64 data at input byte 4"],
    ["padding", `${WHOLE}=`, `illegal base64 data at input byte ${WHOLE.length}`],
    ["no JSON", Buffer.from("{").toString("base64url"), "it is not an encoded position"],
    ["null", token(null), "server does not recognize this encoded version"],
    ["another version", token({ v: "v2", rv: 1, start: "a" }), "server does not recognize this encoded version v2"],
    ["a version that is no text", token({ v: { toString: 1 }, rv: 1, start: "a" }), "server does not recognize"],
    ["a version that is a long text", token({ v: "x".repeat(50_000), rv: 1, start: "a" }), /^.{1,1000}$/],
    ["a key that climbs far", token({ v: V, rv: 1, start: `../${"x".repeat(50_000)}` }), /^.{1,1000}$/],
    ["the other dialect's", encodeContinue(namesFor("platform"), 1, "a"), "server does not recognize"],
    ["no revision", token({ v: V, start: "a" }), "incorrect encoded start resourceVersion"],
    ["revision 0", token({ v: V, rv: 0, start: "a" }), "incorrect encoded start resourceVersion"],
    ["a revision beyond numbers", token({ v: V, rv: 1e300, start: "a" }), "incorrect encoded start resourceVersion"],
    ["no key", token({ v: V, rv: 1, start: "" }), "encoded start key empty"],
    ["a key that is no text", token({ v: V, rv: 1, start: ["a"] }), "encoded start key empty"],
    ["a key from the root", token({ v: V, rv: 1, start: "/registry/secrets/a" }), "/registry/secrets/a"],
    ["a key that climbs", token({ v: V, rv: 1, start: "../secrets/a" }), "../secrets/a"],
    ["a time that is no number", token({ v: V, rv: 1, start: "a", at: "now" }), "incorrect encoded time"],
  ])("is refused with %s", (_, text, words) => {
    expect(() => decodeContinue(names, text)).toThrow(words);
  });
});
