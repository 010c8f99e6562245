// Tokens that somebody has made with care: each is taken apart in one way, or not at all.

import { describe, expect, it } from "vitest";
import { isSignedBy } from "../../base/jwt-signature.ts";
import { ecKeys, rsaKeys, signJwt } from "../authn.testing.ts";
import { PresentedToken } from "../presented-token.ts";
import { parseJwt } from "./parse-jwt.ts";

const encode = (text: string | Uint8Array): string => Buffer.from(text).toString("base64url");
const token = (header: string | Uint8Array, claims: string | Uint8Array, signature = "c2ln"): string =>
  `${encode(header)}.${encode(claims)}.${signature}`;
const HEADER = '{"alg":"RS256"}';
const CLAIMS = '{"iss":"a","sub":"b"}';

describe("a token", () => {
  it("is taken apart", () => {
    expect(parseJwt(token('{"alg":"ES256","kid":"k","typ":"JWT"}', CLAIMS))).toEqual({
      algorithm: "ES256",
      keyId: "k",
      claims: { iss: "a", sub: "b" },
      signedText: `${encode('{"alg":"ES256","kid":"k","typ":"JWT"}')}.${encode(CLAIMS)}`,
      signature: Buffer.from("sig"),
    });
  });

  it.each<[string, string]>([
    ["with two parts", `${encode(HEADER)}.${encode(CLAIMS)}`],
    ["with four parts", `${token(HEADER, CLAIMS)}.x`],
    ["with five parts, as encrypted ones have", `${token(HEADER, CLAIMS)}.x.y`],
    ["with padding", `${encode(HEADER)}=.${encode(CLAIMS)}.c2ln`],
    ["in ordinary base64", token(HEADER, '{"a":"???"}').replace("_", "/")],
    ["with a character too few", token(HEADER, CLAIMS, "c2lnA")],
    ["with a line break", `${token(HEADER, CLAIMS)}\n`],
    ["with an empty header", token("", CLAIMS)],
    ["with claims that are a list", token(HEADER, "[]")],
    ["with claims that are null", token(HEADER, "null")],
    ["with two documents", token(HEADER, `${CLAIMS}{}`)],
    ["with a comment", token(HEADER, '{"a":1}//')],
    ["without an algorithm", token("{}", CLAIMS)],
    ["with a number as algorithm", token('{"alg":1}', CLAIMS)],
    ["with a key id that is no text", token('{"alg":"RS256","kid":{"a":1}}', CLAIMS)],
    ["with an extension that must be understood", token('{"alg":"RS256","crit":["b64"],"b64":false}', CLAIMS)],
    ["with two algorithms", token('{"alg":"none","alg":"RS256"}', CLAIMS)],
    ["with two algorithms, one of them escaped", token('{"alg":"none","\\u0061lg":"RS256"}', CLAIMS)],
    ["with two subjects", token(HEADER, '{"sub":"a","sub":"b"}')],
    ["with two names deep inside", token(HEADER, '{"a":[{"name":"a","name":"b"}]}')],
    ["with claims that are no UTF-8", token(HEADER, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))],
    ["with a byte order mark", token(HEADER, `\ufeff${CLAIMS}`)],
    ["nested deeper than anybody needs", token(HEADER, `{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`)],
    ["nested deeply in its header", token(`{"alg":"RS256","a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`, CLAIMS)],
    ["with a list that never ends", token(HEADER, `{"a":${"[".repeat(40_000)}`)],
  ])("%s is none", (_, text) => {
    expect(parseJwt(text)).toBeUndefined();
  });

  it.each<[string, string, object]>([
    [
      "with a key id of control characters",
      '{"alg":"RS256","kid":"\\u0000\\r\\n\\u001b[2J"}',
      { keyId: "\0\r\n\u001b[2J" },
    ],
    ["with null as key id", '{"alg":"RS256","kid":null}', { keyId: "" }],
    [
      "with a key id of many characters",
      `{"alg":"RS256","kid":"${"k".repeat(30_000)}"}`,
      { keyId: "k".repeat(30_000) },
    ],
    [
      "with a header of many keys",
      `{"alg":"RS256",${Array.from({ length: 2_000 }, (_x, i) => `"k${i}":1`).join(",")}}`,
      { keyId: "" },
    ],
    ["with a key of its own", '{"alg":"RS256","jwk":{"kty":"oct","k":"AA"}}', { algorithm: "RS256" }],
  ])("%s is only taken apart", (_, header, expected) => {
    expect(parseJwt(token(header, CLAIMS))).toMatchObject(expected);
  });

  it("cannot reach the prototype through its claims", () => {
    const parsed = parseJwt(token(HEADER, '{"__proto__":{"iss":"evil"},"constructor":1}'));
    expect(parsed?.claims["iss"]).toBeUndefined();
    expect(Object.keys(parsed?.claims ?? {})).toEqual(["__proto__", "constructor"]);
    expect(parseJwt(token('{"__proto__":{"alg":"RS256"}}', CLAIMS))).toBeUndefined();
  });

  it("of a mebibyte is not taken apart, and costs little", () => {
    const long = token(HEADER, `{"a":"${"x".repeat(1024 * 1024)}"}`);
    expect(new PresentedToken(long).jwt).toBeUndefined();
    const dots = ".".repeat(1024 * 1024);
    expect(new PresentedToken(dots).jwt).toBeUndefined();
    expect(parseJwt(dots)).toBeUndefined();
  });
});

describe("a signature", () => {
  const rsa = rsaKeys();
  const ec = ecKeys();
  it.each(["none", "None", "NONE", "", "HS256", "HS512", "EdDSA", "ES256K", "RS1", "RS256 ", "rs256", "dir", "A128KW"])(
    "of the algorithm %j is never good",
    (alg) => {
      for (const signature of ["", "AA"]) {
        const jwt = parseJwt(token(JSON.stringify({ alg }), CLAIMS, signature));
        expect(jwt).toBeDefined();
        expect(isSignedBy(jwt!, rsa.publicKey)).toBe(false);
        expect(isSignedBy(jwt!, ec.publicKey)).toBe(false);
      }
    },
  );

  it("is bound to the type of the key, to the curve and to every byte", async () => {
    const good = await signJwt({ iss: "a" }, ec.privateKey);
    expect(isSignedBy(parseJwt(good)!, ec.publicKey)).toBe(true);
    expect(isSignedBy(parseJwt(good)!, rsa.publicKey)).toBe(false);
    expect(isSignedBy(parseJwt(good)!, ecKeys("P-384").publicKey)).toBe(false);
    const { signature, ...jwt } = parseJwt(good)!;
    for (const wrong of [
      signature.subarray(0, 63),
      Buffer.concat([signature, Buffer.alloc(1)]),
      Buffer.alloc(64),
      Buffer.alloc(0),
      Buffer.alloc(100_000, 1),
    ])
      expect(isSignedBy({ ...jwt, signature: wrong }, ec.publicKey)).toBe(false);
  });

  it("made with the public key as a shared secret is not good", async () => {
    const { createHmac } = await import("node:crypto");
    const text = `${encode('{"alg":"HS256"}')}.${encode(CLAIMS)}`;
    const pem = rsa.publicKey.export({ type: "spki", format: "pem" });
    const forged = `${text}.${createHmac("sha256", pem).update(text).digest("base64url")}`;
    expect(isSignedBy(parseJwt(forged)!, rsa.publicKey)).toBe(false);
  });
});
