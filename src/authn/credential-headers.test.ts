import { describe, expect, it } from "vitest";
import { headerList } from "../http/header-list.ts";
import { DIALECTS, namesFor } from "../meta/names.ts";
import { hideCredentials } from "./credential-headers.ts";

const [TOKEN, OTHER] = DIALECTS.map((dialect) => `${namesFor(dialect).webSocketTokenPrefix}c2VjcmV0`);
const hide = hideCredentials({
  requestheaderUsernameHeaders: ["X-Who", " X-Alias "],
  requestheaderUidHeaders: ["X-Uid"],
  requestheaderGroupHeaders: ["X-Team"],
  requestheaderExtraHeadersPrefix: ["X-More-"],
});

describe("hideCredentials", () => {
  it("takes out what a proxy says, under its own names", () => {
    const hidden = hide(
      headerList({ "X-Who": "a", "x-alias": "b", "X-UID": "c", "x-team": ["d", "e"], "x-more-f": "g", "x-other": "h" }),
    );
    expect(hidden.namesWithPrefix("")).toEqual(["x-other"]);
    for (const name of ["x-who", "x-alias", "x-uid", "x-team", "x-more-f"])
      expect([hidden.first(name), hidden.all(name)]).toEqual([undefined, []]);
    expect(hidden.first("x-other")).toBe("h");
  });

  it.each([
    [[`${TOKEN}, v5.channel`], ["v5.channel"]],
    [[`v5.channel,${TOKEN},v4.channel`], ["v5.channel, v4.channel"]],
    [["v5.channel", TOKEN!], ["v5.channel"]],
    [[TOKEN!], []],
    [[`${OTHER}, v5.channel, ${TOKEN}`], ["v5.channel"]],
    [[`${OTHER}, v5.channel`], ["v5.channel"]],
    [["v5.channel"], ["v5.channel"]],
  ])("takes tokens out of the protocols %j", (lines, kept) => {
    // Node joins the lines of this header.
    const both = Object.assign(headerList({ "sec-websocket-protocol": lines }), { first: () => lines.join(", ") });
    expect(hide(both).all("sec-websocket-protocol")).toEqual(kept);
  });

  it("hands on the very same headers where there is nothing to hide", () => {
    const plain = headerList({ accept: "x", authorization: "Bearer y" });
    expect(hide(plain)).toBe(plain);
  });
});
