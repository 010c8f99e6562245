// When the issuer of tokens is asked for its keys, and what holds while it does not answer.
// Requirements: document 2, "OpenID Connect flags".

import { beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { nextTurn } from "../../base/next-turn.ts";
import { jwk, rsaKeys } from "../authn.testing.ts";
import type { ParsedJwt } from "../jwt/parse-jwt.ts";
import { IssuerKeys } from "./issuer-keys.ts";

const ISSUER = "https://issuer.example";
const KEYS_URL = `${ISSUER}/keys`;
const published = jwk(rsaKeys().publicKey, "one");
const unknown = {
  keyId: "two",
  algorithm: "RS256",
  signedText: "x",
  signature: Buffer.from("x"),
} as unknown as ParsedJwt;

let clock: FakeClock;
let isDown: boolean;
let asked: string[];
let keys: IssuerKeys;
beforeEach(() => {
  clock = new FakeClock();
  isDown = false;
  asked = [];
  keys = new IssuerKeys({
    issuerUrl: ISSUER,
    discoveryUrl: `${ISSUER}/discovery`,
    async fetch(url) {
      asked.push(url.slice(ISSUER.length));
      if (isDown) throw new Error("down");
      return url === KEYS_URL ? { keys: [published] } : { issuer: ISSUER, jwks_uri: KEYS_URL };
    },
    clock,
    log: silentLog,
  });
});

const settled = async () => {
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
};

describe("the keys of an issuer", () => {
  it("are found by discovery, at the start", async () => {
    keys.start();
    expect(keys.problem).toBe("it has not been asked yet");
    await settled();
    expect([asked, keys.problem]).toEqual([["/discovery", "/keys"], undefined]);
  });

  it("are asked for again while there are none, later each time, and no more once there are some", async () => {
    isDown = true;
    keys.start();
    await settled();
    const times: number[] = [];
    for (let second = 1; second <= 30; second += 1) {
      const before = asked.length;
      await clock.advance(1_000);
      await settled();
      if (asked.length > before) times.push(second);
    }
    expect([times, keys.problem]).toEqual([[1, 3, 7, 15, 25], "down"]);
    isDown = false;
    await clock.advance(10_000);
    await settled();
    expect(keys.problem).toBeUndefined();
    asked = [];
    await clock.advance(60_000);
    expect(asked).toEqual([]);
  });

  it("are asked for when a token shows an unknown one, once for all who wait", async () => {
    keys.start();
    await settled();
    asked = [];
    expect(await Promise.all([keys.hasSigned(unknown), keys.hasSigned(unknown)])).toEqual([false, false]);
    expect(asked).toEqual(["/keys"]);
  });

  it("are asked for eight times in a row when tokens show unknown ones, and then every two seconds", async () => {
    keys.start();
    await settled();
    asked = [];
    for (let count = 0; count < 8; count += 1) expect(await keys.hasSigned(unknown)).toBe(false);
    expect([asked.length, keys.hasSigned(unknown)]).toEqual([8, false]);
    await clock.advance(1_999);
    expect(keys.hasSigned(unknown)).toBe(false);
    await clock.advance(1);
    await keys.hasSigned(unknown);
    expect([asked.length, keys.hasSigned(unknown)]).toEqual([9, false]);
  });

  it("are asked for when the time of day was set back, too", async () => {
    keys.start();
    await settled();
    asked = [];
    clock.setTimeOfDay(-3_600_000);
    await clock.advance(2_000);
    await keys.hasSigned(unknown);
    expect(asked).toEqual(["/keys"]);
  });

  it("stay good while the issuer is down, of whom nobody asks but tokens", async () => {
    keys.start();
    await settled();
    isDown = true;
    asked = [];
    await clock.advance(2_000);
    expect(await keys.hasSigned(unknown)).toBe(false);
    await clock.advance(60_000);
    expect([asked, keys.problem]).toEqual([["/keys"], undefined]);
    // They may have moved: the next time discovery is asked first.
    isDown = false;
    await keys.hasSigned(unknown);
    expect(asked.slice(1)).toEqual(["/discovery", "/keys"]);
  });

  it("are not asked for after the end", async () => {
    isDown = true;
    keys.start();
    await settled();
    keys.close();
    asked = [];
    await clock.advance(60_000);
    await settled();
    expect([asked, clock.waiting]).toEqual([[], 0]);
  });
});
