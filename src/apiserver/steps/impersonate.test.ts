// Requirements: document 2, "Impersonation".

import { describe, expect, it } from "vitest";
import { headerList, NodeHeaderList } from "../../http/header-list.ts";
import { inProcessRequest } from "../../http/in-process.ts";
import { DIALECTS, namesFor } from "../../meta/names.ts";
import { StatusError } from "../../meta/status-error.ts";
import type { UserInfo } from "../../meta/user.ts";
import type { Attributes } from "../../registry/authorizer.ts";
import { type AuthenticatedRequest, authenticatedRequest, targetedRequest } from "../../registry/request.ts";
import { impersonate } from "./impersonate.ts";

describe.each(DIALECTS)("impersonation in the dialect %s", (dialect) => {
  const names = namesFor(dialect);
  const caller: UserInfo = { name: "alice", groups: ["system:authenticated"], extra: { secret: ["x"] } };

  async function run(
    headers: Record<string, string | string[]> | NodeHeaderList,
    allows: (asked: Attributes) => boolean = () => true,
  ) {
    const asked: Attributes[] = [];
    const authorizer = {
      authorize: (attributes: Attributes) => {
        asked.push(attributes);
        return { verdict: allows(attributes) ? ("allow" as const) : ("no-opinion" as const), reason: "" };
      },
    };
    const received = Object.assign(inProcessRequest({ method: "GET", url: "/version" }), {
      headers: headers instanceof NodeHeaderList ? headers : headerList(headers),
    });
    const target = { type: "path", verb: "get", path: "/version" } as const;
    const request = authenticatedRequest(targetedRequest(received, target, "1"), caller);
    let seen: AuthenticatedRequest | undefined;
    let error: StatusError | undefined;
    try {
      await impersonate(names, authorizer)(request, async (next) => {
        seen = next;
        return { status: 200, headers: {} };
      });
    } catch (thrown) {
      if (!(thrown instanceof StatusError)) throw thrown;
      error = thrown;
    }
    return { user: seen?.user, impersonated: seen?.notes.impersonated, asked, error };
  }
  const checks = (asked: Attributes[]) =>
    asked.map(({ verb, user, resource }) => [
      verb,
      user.name,
      resource?.group,
      [resource?.resource, resource?.subresource].filter(Boolean).join("/"),
      resource?.namespace,
      resource?.name,
    ]);

  it("leaves requests without its headers alone", async () => {
    const { user, impersonated, asked } = await run({});
    expect([user, impersonated, asked]).toEqual([caller, undefined, []]);
  });

  it("takes the first of repeated lines, which node has joined", async () => {
    const joined = { "impersonate-user": "a, b", "impersonate-uid": "1, 2" };
    const lines = ["Impersonate-User", "a", "Impersonate-User", "b", "Impersonate-Uid", "1", "Impersonate-Uid", "2"];
    const { user, asked } = await run(new NodeHeaderList(joined, lines));
    expect(user).toMatchObject({ name: "a", uid: "1" });
    expect(asked.map(({ resource }) => resource?.name)).toEqual(["a", "1"]);
  });

  it("asks for every part and takes over nothing of the caller", async () => {
    const { user, impersonated, asked } = await run({
      "Impersonate-User": "jane",
      "impersonate-group": ["dev", "ops"],
      "Impersonate-Uid": "7",
      "Impersonate-Extra-Acme.com%2Fproject": ["p", "q"],
    });
    const own = names.group("authentication");
    expect(checks(asked)).toEqual([
      ["impersonate", "alice", "", "users", "", "jane"],
      ["impersonate", "alice", "", "groups", "", "dev"],
      ["impersonate", "alice", "", "groups", "", "ops"],
      ["impersonate", "alice", own, "userextras/acme.com/project", "", "p"],
      ["impersonate", "alice", own, "userextras/acme.com/project", "", "q"],
      ["impersonate", "alice", own, "uids", "", "7"],
    ]);
    expect(user).toEqual({
      name: "jane",
      uid: "7",
      groups: ["dev", "ops", "system:authenticated"],
      extra: { "acme.com/project": ["p", "q"] },
    });
    expect(impersonated).toBe(user);
  });

  it.each([
    ["a user", "jane", [], ["system:authenticated"]],
    ["the anonymous user", "system:anonymous", [], ["system:unauthenticated"]],
    ["a user as unauthenticated", "jane", ["system:unauthenticated"], ["system:unauthenticated"]],
    [
      "a service account",
      "system:serviceaccount:ns:bot",
      [],
      ["system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated"],
    ],
    ["a service account in other groups", "system:serviceaccount:ns:bot", ["x"], ["x", "system:authenticated"]],
  ])("gives %s its groups", async (_, name, given, groups) => {
    const { user } = await run({
      "impersonate-user": name,
      ...(given.length === 0 ? {} : { "impersonate-group": given }),
    });
    expect(user?.groups).toEqual(groups);
  });

  it("asks for service accounts as such, and for names that only look like one as users", async () => {
    expect(checks((await run({ "impersonate-user": "system:serviceaccount:ns:bot" })).asked)[0]).toEqual([
      "impersonate",
      "alice",
      "",
      "serviceaccounts",
      "ns",
      "bot",
    ]);
    expect(checks((await run({ "impersonate-user": "system:serviceaccount:ns" })).asked)[0]?.[3]).toBe("users");
  });

  it("refuses in upstream's words, naming the part", async () => {
    const { error } = await run(
      { "impersonate-user": "jane", "impersonate-group": "ops" },
      ({ resource }) => resource?.resource !== "groups",
    );
    expect(error?.code).toBe(403);
    expect(error?.message).toBe(
      'groups "ops" is forbidden: User "alice" cannot impersonate resource "groups" in API group "" at the cluster scope',
    );
  });

  it.each([
    ["groups", { "impersonate-group": "dev" }],
    ["a uid", { "impersonate-uid": "7" }],
    ["extra attributes", { "impersonate-extra-scopes": "x" }],
  ])("of %s needs a user", async (what, headers) => {
    const { error } = await run(headers as unknown as Record<string, string>);
    expect(error?.code).toBe(400);
    expect(error?.message).toContain(`requested ${what} without impersonating a user`);
  });

  it("keeps keys of the prototype as keys, and bounds the number of parts", async () => {
    const { user } = await run({ "impersonate-user": "jane", "impersonate-extra-__proto__": "x" });
    expect(Object.keys(user?.extra ?? {})).toEqual(["__proto__"]);
    const many = Array.from({ length: 1_001 }, (_, i) => `g-${i}`);
    expect((await run({ "impersonate-user": "jane", "impersonate-group": many })).error?.code).toBe(400);
  });
});
