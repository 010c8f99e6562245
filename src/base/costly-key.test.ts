import { createPublicKey } from "node:crypto";
import { describe, expect, it } from "vitest";
import { isCostlyKey } from "./costly-key.ts";

const ones = (bytes: number): string => Buffer.alloc(bytes, 0xff).toString("base64url");

describe("a key that is costly to check with", () => {
  it.each([
    ["the usual exponent", 4096, "AQAB", false],
    ["an exponent as long as the modulus", 3072, ones(3072 / 8), true],
    ["a modulus without end", 16_384, "AQAB", true],
  ])("%s", (_, bits, e, isCostly) => {
    expect(isCostlyKey(createPublicKey({ key: { kty: "RSA", n: ones(bits / 8), e }, format: "jwk" }))).toBe(isCostly);
  });
});
