import { describe, expect, it } from "vitest";
import { credentialsFor, registriesOf } from "./pull-credentials.ts";

const secret = (registries: Record<string, unknown>, name = "s") => ({
  source: { of: "secret" as const, name, namespace: "n", uid: `uid-${name}` },
  registries,
});
const user = (username: string) => ({ username, password: "p" });

describe("credentials for an image", () => {
  it.each<[string, string, boolean]>([
    ["registry.example.com/app:1", "registry.example.com", true],
    ["registry.example.com/app:1", "https://registry.example.com/v2/", true],
    ["registry.example.com:5000/app", "registry.example.com:5000", true],
    ["registry.example.com:5000/app", "registry.example.com", false],
    ["registry.example.com/team/app", "registry.example.com/team", true],
    // As upstream reads it: a prefix, wherever it ends, unless the entry ends it.
    ["registry.example.com/teams/app", "registry.example.com/team", true],
    ["registry.example.com/teams/app", "registry.example.com/team/", false],
    ["registry.example.com/team/app", "registry.example.com/team/", true],
    ["registry.example.com/team", "registry.example.com/team/app", false],
    ["registry.example.com/team/app", "https://registry.example.com/v2/team", true],
    ["registry.example.com/app", "https://registry.example.com/v2", false],
    ["a.example.com/app", "*.example.com", true],
    ["a.b.example.com/app", "*.example.com", false],
    ["prod-1.example.com/app", "prod-*.example.com", true],
    ["a-prod-1.example.com/app", "*-prod-?.example.com", true],
    ["a-prod-1-b.example.com/app", "a-*-*-b.example.com", true],
    ["a-prod-12.example.com/app", "*-prod-?.example.com", false],
    ["a.example.com:5000/app", "*.example.com", false],
    ["a.example.com:5000/app", "*.example.com:5000", true],
    ["a.example.com:5000/app", "a.example.com:*", false],
    ["app", "https://index.docker.io/v1/", true],
    ["library/app", "docker.io", true],
    ["index.docker.io/team/app", "https://index.docker.io/v1/", true],
    ["app", "https://index.docker.io/v1/team", false],
    ["app", "registry-1.docker.io", false],
    ["other.example.com/app", "registry.example.com", false],
  ])("%s with an entry for %s: %s", (image, key, isFound) => {
    expect(credentialsFor(image, [secret({ [key]: user("u") })]).length).toBe(isFound ? 1 : 0);
  });

  it("come from the more particular entry first, then by the order of secrets", () => {
    const secrets = [
      secret({ "example.com": user("a"), "example.com/team": user("b") }),
      secret({ "example.com": user("c") }, "t"),
    ];
    const found = credentialsFor("example.com/team/app", secrets);
    expect(found.map(({ auth, source }) => [auth.username, source.of === "secret" && source.name])).toEqual([
      ["b", "s"],
      ["a", "s"],
      ["c", "t"],
    ]);
  });

  it("of the default registry's old name are for who has none of its own name", () => {
    const old = { "https://index.docker.io/v1/": user("old") };
    const usernames = (registries: Record<string, unknown>) =>
      credentialsFor("team/app", [secret(registries)]).map(({ auth }) => auth.username);
    expect(usernames(old)).toEqual(["old"]);
    expect(usernames({ ...old, "docker.io": user("new") })).toEqual(["new"]);
  });

  it.each<[string, unknown, object | undefined]>([
    ["plain", { username: "u", password: "p" }, { username: "u", password: "p" }],
    ["in one encoded text", { auth: Buffer.from("u:p:q").toString("base64") }, { username: "u", password: "p:q" }],
    ["a token", { identitytoken: "t" }, { identityToken: "t" }],
    ["nothing", {}, undefined],
    ["not an object", "u:p", undefined],
  ])("are read: %s", (_, entry, auth) => {
    const [found] = credentialsFor("example.com/app", [secret({ "example.com": entry })]);
    if (auth === undefined) expect(found).toBeUndefined();
    else expect(found?.auth).toMatchObject(auth);
  });

  it("are read from both forms of file", () => {
    expect(registriesOf('{"auths":{"a":{}}}', "dockerconfigjson")).toEqual({ a: {} });
    expect(registriesOf('{"a":{}}', "dockercfg")).toEqual({ a: {} });
    expect(registriesOf("nonsense", "dockercfg")).toBeUndefined();
    expect(registriesOf('{"auths":1}', "dockerconfigjson")).toBeUndefined();
  });
});
