// Requirements: document 2, "Methods" (static token file).

import { describe, expect, it } from "vitest";
import { PresentedToken } from "./presented-token.ts";
import { parseTokenFile, staticTokens } from "./token-file.ts";

const userOf = (file: string, token: string) => {
  const outcome = staticTokens(parseTokenFile(file)).authenticateToken(new PresentedToken(token), []);
  return "result" in outcome && outcome.result === "user" ? outcome.user : undefined;
};

describe("a token file", () => {
  it.each([
    ["three columns", "t,u,1", { name: "u", uid: "1", groups: [] }],
    ["one group", "t,u,1,dev", { name: "u", uid: "1", groups: ["dev"] }],
    ["quoted groups", 't,u,1,"dev,qa,"', { name: "u", uid: "1", groups: ["dev", "qa"] }],
    ["a group that begins with a space", 't,u,1,"dev, qa"', { name: "u", uid: "1", groups: ["dev", " qa"] }],
    ["a quoted user with a comma", 't,"frank, the user",1', { name: "frank, the user", uid: "1", groups: [] }],
    ["a quote in quotes", 't,"a ""b""",1', { name: 'a "b"', uid: "1", groups: [] }],
    ["no uid", "t,u,", { name: "u", groups: [] }],
    ["lines that end as elsewhere", "x,y,z\r\n\r\nt,u,1\r\n", { name: "u", uid: "1", groups: [] }],
    ["more columns than are read", "t,u,1,dev,more", { name: "u", uid: "1", groups: ["dev"] }],
  ])("with %s", (_, file, user) => expect(userOf(file, "t")).toEqual(user));

  it("names the line that is too short, or whose quote stays open", () => {
    expect(() => parseTokenFile("a,b,c\n\nt,u\n")).toThrow(/line 3 has 2 columns/);
    expect(() => parseTokenFile('a,b,c\nt,"u,1\n')).toThrow(/line 2 has a quote/);
    expect(() => parseTokenFile('a,"two\nlines",c\nt,u\n')).toThrow(/line 3 has 2 columns/);
  });

  it("gives nobody access without a token, and keeps no token", () => {
    expect(userOf(",u,1\n", "")).toBeUndefined();
    expect(JSON.stringify([...parseTokenFile("secret-token,u,1")])).not.toContain("secret-token");
  });
});
