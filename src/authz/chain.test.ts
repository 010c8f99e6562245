// Requirements: document 2, "Authorization verdicts".

import { describe, expect, it } from "vitest";
import type { Attributes, Decision, Verdict } from "../registry/authorizer.ts";
import { alwaysAllow, alwaysDeny } from "./always.ts";
import { AuthorizerChain, type ChainLink } from "./chain.ts";

const asked: Attributes = { user: { name: "ann", groups: [] }, verb: "get", path: "/x" };

function link(decision: Decision, asynchronous = false): ChainLink & { calls: number } {
  const made = {
    ...alwaysAllow,
    calls: 0,
    authorizer: {
      authorize: () => {
        made.calls += 1;
        return asynchronous ? Promise.resolve(decision) : decision;
      },
    },
  };
  return made;
}

const says = (verdict: Verdict, reason = "") => link({ verdict, reason });

describe("a chain of authorizers", () => {
  it("takes the first allow and asks nobody behind it", async () => {
    const last = says("deny");
    expect(await new AuthorizerChain([says("no-opinion"), says("allow", "a"), last]).authorize(asked)).toEqual({
      verdict: "allow",
      reason: "a",
    });
    expect(last.calls).toBe(0);
  });

  it("takes the first deny, whoever would allow behind it", async () => {
    const decision = await new AuthorizerChain([says("deny", "no"), says("allow")]).authorize(asked);
    expect(decision).toEqual({ verdict: "deny", reason: "no" });
  });

  it("has no opinion when nobody has, with every reason and error", async () => {
    const chain = new AuthorizerChain([
      link({ verdict: "no-opinion", reason: "a", error: "e" }),
      link({ verdict: "no-opinion", reason: "b" }, true),
    ]);
    expect(await chain.authorize(asked)).toEqual({ verdict: "no-opinion", reason: "a\nb", error: "e" });
  });

  it("answers at once while nobody makes it wait", () => {
    expect(new AuthorizerChain([says("no-opinion"), says("allow")]).authorize(asked)).not.toBeInstanceOf(Promise);
  });

  it("never asks about system:masters", async () => {
    const refusing = says("deny");
    const user = { name: "root", groups: ["system:masters"] };
    expect(await new AuthorizerChain([refusing]).authorize({ ...asked, user })).toEqual({
      verdict: "allow",
      reason: "",
    });
    expect(refusing.calls).toBe(0);
  });

  it("lets AlwaysAllow stand behind AlwaysDeny, and AlwaysDeny refuse alone", async () => {
    expect((await new AuthorizerChain([alwaysDeny, alwaysAllow]).authorize(asked)).verdict).toBe("allow");
    expect(await new AuthorizerChain([alwaysDeny]).authorize(asked)).toEqual({
      verdict: "no-opinion",
      reason: "Everything is forbidden.",
    });
  });
});
