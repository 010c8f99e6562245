// Requirements: document 2, "Users and attributes", "Anonymous requests", "Bearer token in request".

import { describe, expect, it } from "vitest";
import { namesFor } from "../meta/names.ts";
import { forServerOnly } from "./audiences.ts";
import type { Authentication, Authenticator } from "./authenticator.ts";
import { anyAuthenticator, withAnonymous } from "./authenticators.ts";
import { credentials } from "./authn.testing.ts";
import { anyTokenAuthenticator, bearerTokens } from "./bearer-token.ts";
import { PresentedToken, type TokenAuthenticator } from "./presented-token.ts";
import { parseTokenFile, staticTokens } from "./token-file.ts";

const names = namesFor("kubernetes");
const OWN = ["https://api"];
const says = (outcome: Authentication): Authenticator => ({ authenticate: () => outcome });
const saysLater = (outcome: Authentication): Authenticator => ({ authenticate: () => Promise.resolve(outcome) });
const user = (name: string, groups: string[] = []): Authentication => ({ result: "user", user: { name, groups } });
const tokens = forServerOnly(OWN, staticTokens(parseTokenFile("good,carol,uid-1,dev\n")));
const everything = withAnonymous(anyAuthenticator([bearerTokens(names, tokens, OWN)]), () => ({ enabled: true }));
const nameOf = (outcome: Authentication) => (outcome.result === "user" ? outcome.user.name : outcome.result);

describe("methods put together", () => {
  it("let the first that accepts decide, at once and later", async () => {
    const refused: Authentication = { result: "refused", error: "bad" };
    const none: Authentication = { result: "none" };
    for (const kind of [says, saysLater]) {
      expect(
        nameOf(await anyAuthenticator([kind(none), kind(user("a")), kind(user("b"))]).authenticate(credentials())),
      ).toBe("a");
      expect(nameOf(await anyAuthenticator([kind(refused), says(user("a"))]).authenticate(credentials()))).toBe("a");
      expect(nameOf(await anyAuthenticator([kind(refused), kind(none)]).authenticate(credentials()))).toBe("refused");
      expect(nameOf(await anyAuthenticator([kind(none)]).authenticate(credentials()))).toBe("none");
    }
  });

  it("put every authenticated user into system:authenticated, once", async () => {
    const groupsOf = async (outcome: Authentication) => {
      const answer = await anyAuthenticator([says(outcome)]).authenticate(credentials());
      return answer.result === "user" ? answer.user.groups : [];
    };
    expect(await groupsOf(user("a", ["dev"]))).toEqual(["dev", "system:authenticated"]);
    expect(await groupsOf(user("a", ["system:authenticated"]))).toEqual(["system:authenticated"]);
    expect(await groupsOf(user("system:anonymous", []))).toEqual([]);
  });
});

describe("a bearer token", () => {
  it.each([
    ["no header", undefined, "system:anonymous"],
    ["a good token", "Bearer good", "carol"],
    ["the scheme in other case", "bEARER good", "carol"],
    ["a wrong token", "Bearer wrong", "refused"],
    ["two words", "Bearer good more", "carol"],
    ["another scheme", "Basic YTpi", "system:anonymous"],
    ["a scheme alone", "Bearer", "system:anonymous"],
    ["an empty token", "Bearer ", "system:anonymous"],
    ["spaces around it", "  Bearer good  ", "carol"],
  ])("with %s", async (_, header, expected) => {
    const headers: Record<string, string> = header === undefined ? {} : { authorization: header };
    expect(nameOf(await everything.authenticate(credentials(headers)))).toBe(expected);
  });

  it("behind extra space is ignored with a warning", async () => {
    const request = credentials({ authorization: "Bearer  good" });
    expect(nameOf(await everything.authenticate(request))).toBe("system:anonymous");
    expect(request.warnings).toEqual([
      "the provided Authorization header contains extra space before the bearer token, and is ignored",
    ]);
  });

  it("may come as a sub-protocol of a WebSocket, beside a protocol to speak", async () => {
    const offered = `${names.webSocketTokenPrefix}${Buffer.from("good").toString("base64url")}`;
    const ask = (protocol: string) =>
      everything.authenticate(credentials({ upgrade: "websocket", "sec-websocket-protocol": protocol }));
    expect(nameOf(await ask(`${offered}, v5.channel`))).toBe("carol");
    expect(nameOf(await ask(`${names.webSocketTokenPrefix}, v5.channel`))).toBe("system:anonymous");
    // Nothing beside it, two of them, or what others would not read.
    expect(nameOf(await ask(offered))).toBe("refused");
    for (const odd of [`${offered}, ${offered}`, `${offered}=`, `${offered}@`, `${names.webSocketTokenPrefix}gA`])
      expect(nameOf(await ask(`${odd}, v5.channel`))).toBe("refused");
  });

  it("is judged for itself, whatever its connection has shown before", async () => {
    const connection = {};
    const ask = async (token: string) =>
      nameOf(await everything.authenticate({ ...credentials({ authorization: `Bearer ${token}` }), connection }));
    expect([await ask("good"), await ask("good"), await ask("wrong"), await ask("good")]).toEqual([
      "carol",
      "carol",
      "refused",
      "carol",
    ]);
  });

  it("that came as a sub-protocol is nobody's in the next request of the connection", async () => {
    const connection = {};
    const basic = { authorization: "Basic YTpi" };
    const offered = `${names.webSocketTokenPrefix}${Buffer.from("good").toString("base64url")}, v5.channel`;
    const ask = async (headers: Record<string, string>) =>
      nameOf(await everything.authenticate({ ...credentials(headers), connection }));
    expect(await ask({ ...basic, upgrade: "websocket", "sec-websocket-protocol": offered })).toBe("carol");
    expect(await ask(basic)).toBe("system:anonymous");
  });

  it("that its method accepts no longer is shown to the others", async () => {
    let first: Authentication = user("first");
    const changing: TokenAuthenticator = { authenticateToken: () => first };
    const other: TokenAuthenticator = { authenticateToken: async () => user("other") };
    const all = anyTokenAuthenticator([changing, other]);
    const token = new PresentedToken("t");
    expect(nameOf(await all.authenticateToken(token, OWN))).toBe("first");
    first = { result: "refused" };
    expect(nameOf(await all.authenticateToken(token, OWN))).toBe("other");
  });

  it("is told to nobody in an error", async () => {
    const outcome = await everything.authenticate(credentials({ authorization: "Bearer very-secret" }));
    expect(JSON.stringify(outcome)).not.toContain("very-secret");
  });

  it("that names no audience is for this server only", async () => {
    const ask = async (audiences: string[]) => tokens.authenticateToken(new PresentedToken("good"), audiences);
    expect(await ask(["x", "https://api"])).toMatchObject({ result: "user" });
    expect(await ask(["x"])).toEqual({ result: "none" });
  });

  it("that several methods refuse tells all their reasons and the first detail", async () => {
    const refuses = (error: string, detail?: string): TokenAuthenticator => ({
      authenticateToken: async () => ({ result: "refused", error, ...(detail === undefined ? {} : { detail }) }),
    });
    const outcome = await anyTokenAuthenticator([refuses("a"), refuses("b", "told")]).authenticateToken(
      new PresentedToken("x"),
      OWN,
    );
    expect(outcome).toEqual({ result: "refused", error: "[invalid bearer token, a, b]", detail: "told" });
  });
});

describe("anonymous access", () => {
  const ask = (rules: { enabled: boolean; paths?: Set<string> }, path: string) =>
    withAnonymous(anyAuthenticator([]), () => rules).authenticate(credentials({}, undefined, path));

  it("can be off, on, or on for whole paths", async () => {
    expect(nameOf(await ask({ enabled: false }, "/livez"))).toBe("none");
    expect(await ask({ enabled: true }, "/x")).toEqual({
      result: "user",
      user: { name: "system:anonymous", groups: ["system:unauthenticated"] },
    });
    const livez = { enabled: true, paths: new Set(["/livez"]) };
    expect(nameOf(await ask(livez, "/livez"))).toBe("system:anonymous");
    expect(nameOf(await ask(livez, "/livez?verbose"))).toBe("system:anonymous");
    expect(nameOf(await ask(livez, "/livez/ping"))).toBe("none");
  });
});
