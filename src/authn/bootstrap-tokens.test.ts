// Requirements: document 2, "Bootstrap tokens".

import { describe, expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { namesFor } from "../meta/names.ts";
import type { ApiObject } from "../meta/object.ts";
import type { Authentication } from "./authenticator.ts";
import { bootstrapTokens, readBootstrapSecret } from "./bootstrap-tokens.ts";
import { PresentedToken } from "./presented-token.ts";

const names = namesFor("platform");
const clock = new FakeClock(Date.parse("2030-01-01T00:00:00Z"));
const GOOD = { "token-id": "abcdef", "token-secret": "0123456789abcdef", "usage-bootstrap-authentication": "true" };

function judge(
  change: Record<string, string | undefined>,
  object: Partial<ApiObject> = {},
  token = "abcdef.0123456789abcdef",
): Authentication {
  const data = Object.entries({ ...GOOD, ...change }).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, Buffer.from(value).toString("base64")]],
  );
  const secret = {
    metadata: { name: "bootstrap-token-abcdef" },
    type: names.bootstrapTokenType,
    data: Object.fromEntries(data),
    ...object,
  } as ApiObject;
  const find = (name: string) => (name === secret.metadata.name ? readBootstrapSecret(names, secret) : undefined);
  return bootstrapTokens(clock, find).authenticateToken(new PresentedToken(token), []) as Authentication;
}

describe("a bootstrap token", () => {
  it("is a user of its id in the group of bootstrappers and its extra groups", () => {
    expect(
      judge({ "auth-extra-groups": "system:bootstrappers:b:c,system:bootstrappers:a,system:bootstrappers:a" }),
    ).toEqual({
      result: "user",
      user: {
        name: "system:bootstrap:abcdef",
        groups: ["system:bootstrappers", "system:bootstrappers:a", "system:bootstrappers:b:c"],
      },
    });
  });

  it.each([
    ["a future expiration", { expiration: "2030-01-01T00:00:01Z" }, "user"],
    ["a passed expiration", { expiration: "2030-01-01T00:00:00Z" }, "refused"],
    ["a malformed expiration", { expiration: "tomorrow" }, "refused"],
    ["another usage", { "usage-bootstrap-authentication": "yes" }, "refused"],
    ["no usage", { "usage-bootstrap-authentication": undefined }, "refused"],
    ["no id", { "token-id": undefined }, "refused"],
    ["another id", { "token-id": "aaaaaa" }, "refused"],
    ["no secret", { "token-secret": undefined }, "refused"],
    ["another secret", { "token-secret": "ffffffffffffffff" }, "none"],
    ["a longer secret", { "token-secret": "0123456789abcdef0" }, "none"],
    ["a foreign group", { "auth-extra-groups": "system:masters" }, "refused"],
    ["an unfinished group", { "auth-extra-groups": "system:bootstrappers:" }, "refused"],
  ])("with %s", (_, change, expected) => expect(judge(change).result).toBe(expected));

  it.each([
    "abcdef",
    "abcdef.0123456789abcde",
    "ABCDEF.0123456789abcdef",
    "abcdef.0123456789abcdef\n",
    "zzzzzz.0123456789abcdef",
  ])("is not %j", (token) => expect(judge({}, {}, token).result).toBe("none"));

  it("needs a Secret of its type that is not being deleted", () => {
    expect(judge({}, { type: "Opaque" }).result).toBe("refused");
    const metadata = { name: "bootstrap-token-abcdef", deletionTimestamp: "2029-01-01T00:00:00Z" };
    expect(judge({}, { metadata }).result).toBe("refused");
  });
});
