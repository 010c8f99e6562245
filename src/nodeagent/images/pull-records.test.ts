import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FoundCredentials } from "./pull-credentials.ts";
import { PullRecords, type PullVerification } from "./pull-records.ts";

const FIELDS = { secrets: "secrets", serviceAccounts: "serviceAccounts" };
const none = async () => [];
let directory: string;
let records: PullRecords;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "plinth-pulls-"));
  records = recordsOf("NeverVerifyPreloadedImages");
  await records.open(async () => []);
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const recordsOf = (policy: PullVerification["policy"], allowlist: readonly string[] = []) =>
  new PullRecords({
    directory,
    apiVersion: "x/v1",
    fields: FIELDS,
    nowMs: () => Date.parse("2030-01-01T00:00:00Z"),
    verification: { policy, allowlist },
  });
const credentials = (name: string, password = "p"): FoundCredentials => ({
  auth: { username: "u", password },
  source: { of: "secret", name, namespace: "n", uid: `uid-${name}` },
});
const read = (folder: string) =>
  readdirSync(join(directory, folder)).map((file) => JSON.parse(readFileSync(join(directory, folder, file), "utf8")));

describe("records of pulls", () => {
  it("say what is being pulled, and no more once it is over", async () => {
    await records.pulling("example.com/app:1");
    expect(read("pulling")).toEqual([{ kind: "ImagePullIntent", apiVersion: "x/v1", image: "example.com/app:1" }]);
    await records.failed("example.com/app:1");
    expect(read("pulling")).toEqual([]);
  });

  it("say who may use what was pulled", async () => {
    await records.pulling("example.com/app:1");
    await records.pulled("example.com/app:1", "sha256:1", credentials("a"));
    expect(read("pulling")).toEqual([]);
    expect(read("pulled")).toMatchObject([
      {
        kind: "ImagePulledRecord",
        imageRef: "sha256:1",
        lastUpdatedTime: "2030-01-01T00:00:00Z",
        credentialMapping: { "example.com/app": { secrets: [{ name: "a", namespace: "n", uid: "uid-a" }] } },
      },
    ]);
    expect(JSON.stringify(read("pulled"))).not.toContain('"p"');
  });

  it.each<[string, FoundCredentials | undefined, FoundCredentials[], boolean]>([
    ["everybody, when no credentials were needed", undefined, [], false],
    ["a pod with the same secret", credentials("a"), [credentials("a", "changed")], false],
    ["a pod with the same credentials in another secret", credentials("a"), [credentials("b")], false],
    ["not a pod with others", credentials("a"), [credentials("b", "other")], true],
    ["not a pod without any", credentials("a"), [], true],
  ])("let use it: %s", async (_, used, given, mustPull) => {
    await records.pulled("example.com/app:1", "sha256:1", used);
    expect(await records.mustPull("example.com/app:2", "sha256:1", async () => given)).toBe(mustPull);
  });

  it.each<[PullVerification["policy"], string[], boolean]>([
    ["NeverVerify", [], false],
    ["NeverVerifyPreloadedImages", [], false],
    ["NeverVerifyAllowlistedImages", ["example.com/app"], false],
    ["NeverVerifyAllowlistedImages", ["example.com/*"], false],
    ["NeverVerifyAllowlistedImages", ["example.com/ap"], true],
    ["AlwaysVerify", ["example.com/app"], true],
  ])("of images that were there before, with %s and %j: %s", async (policy, allowlist, mustPull) => {
    const others = new PullRecords({
      directory,
      apiVersion: "x/v1",
      fields: FIELDS,
      nowMs: () => 0,
      verification: { policy, allowlist },
    });
    expect(await others.mustPull("example.com/app:1", "sha256:9", none)).toBe(mustPull);
  });

  it("are not asked where nothing is to be verified", async () => {
    await records.pulled("example.com/app:1", "sha256:1", credentials("a"));
    const others = recordsOf("NeverVerify");
    expect(await others.mustPull("example.com/app:1", "sha256:1", none)).toBe(false);
  });

  it("know nothing of images that were there before", async () => {
    expect(await records.mustPull("example.com/app", "sha256:9", none)).toBe(false);
  });

  it("add secrets to each other, and go with the image", async () => {
    await records.pulled("example.com/app:1", "sha256:1", credentials("a"));
    await records.pulled("example.com/app:1", "sha256:1", credentials("b", "q"));
    expect(read("pulled")[0].credentialMapping["example.com/app"].secrets).toHaveLength(2);
    await records.keepOnly(new Set(), Date.parse("2030-01-01T00:00:01Z"));
    expect(read("pulled")).toEqual([]);
  });

  it("of an image that goes by another name too do not speak for that name", async () => {
    await records.pulled("example.com/app:1", "sha256:1", undefined);
    expect(await records.mustPull("example.com/other:1", "sha256:1", none)).toBe(true);
  });

  it("that were cut short let nobody use the image", async () => {
    await records.pulled("example.com/app:1", "sha256:1", undefined);
    const [file] = readdirSync(join(directory, "pulled"));
    writeFileSync(join(directory, "pulled", file!), '{"kind":"ImagePul');
    expect(await records.mustPull("example.com/app:1", "sha256:1", none)).toBe(true);
  });

  it("of a list of images that need no credentials come first", async () => {
    const others = recordsOf("NeverVerifyAllowlistedImages", ["example.com/app"]);
    await others.pulled("example.com/app:1", "sha256:1", credentials("a"));
    expect(await others.mustPull("example.com/app:1", "sha256:1", none)).toBe(false);
  });

  it("that an agent began and did not end ask for credentials", async () => {
    await records.pulling("example.com/app:1");
    expect(await records.mustPull("example.com/app:1", "sha256:1", none)).toBe(true);
    await again();
    expect(read("pulling")).toEqual([]);
    expect(read("pulled")).toMatchObject([{ imageRef: "sha256:1", credentialMapping: {} }]);
    expect(await records.mustPull("example.com/app:1", "sha256:1", none)).toBe(true);
  });

  it("of a pull that is under way twice go with the second", async () => {
    await records.pulling("example.com/app:1");
    await records.pulling("example.com/app:1");
    await records.failed("example.com/app:1");
    expect(read("pulling")).toHaveLength(1);
    await records.failed("example.com/app:1");
    expect(read("pulling")).toEqual([]);
  });

  it("are written whole by many at once", async () => {
    const names = ["a", "b", "c", "d", "e"];
    await Promise.all(names.map((name) => records.pulled("example.com/app:1", "sha256:1", credentials(name, name))));
    expect(read("pulled")[0].credentialMapping["example.com/app"].secrets).toHaveLength(names.length);
  });

  it("learn the credentials that a known secret has now", async () => {
    await records.pulled("example.com/app:1", "sha256:1", credentials("a", "old"));
    await records.mustPull("example.com/app:1", "sha256:1", async () => [credentials("a", "new")]);
    expect(await records.mustPull("example.com/app:1", "sha256:1", async () => [credentials("b", "new")])).toBe(false);
    expect(await records.mustPull("example.com/app:1", "sha256:1", async () => [credentials("c", "old")])).toBe(true);
  });

  it("let pods of a service account use what it has pulled", async () => {
    const of = (name: string): FoundCredentials => ({
      auth: { username: "u", password: "p" },
      source: { of: "serviceAccount", name, namespace: "n", uid: name },
    });
    await records.pulled("example.com/app:1", "sha256:1", of("builder"));
    expect(read("pulled")[0].credentialMapping["example.com/app"]).toEqual({
      serviceAccounts: [{ uid: "builder", namespace: "n", name: "builder" }],
    });
    expect(await records.mustPull("example.com/app:1", "sha256:1", async () => [of("builder")])).toBe(false);
    expect(await records.mustPull("example.com/app:1", "sha256:1", async () => [of("other")])).toBe(true);
  });

  it("let everybody use what the node's own credentials have pulled", async () => {
    await records.pulled("example.com/app:1", "sha256:1", { auth: { username: "u" }, source: { of: "node" } });
    expect(await records.mustPull("example.com/app:1", "sha256:1", none)).toBe(false);
  });

  it("of images that are gone go too, unless they are young", async () => {
    await records.pulled("example.com/app:1", "sha256:1", undefined);
    await records.keepOnly(new Set(), Date.parse("2030-01-01T00:00:00Z"));
    await records.keepOnly(new Set(["sha256:1"]), Date.parse("2030-01-01T00:00:01Z"));
    expect(read("pulled")).toHaveLength(1);
  });
});

/** Another agent starts. */
async function again(): Promise<void> {
  records = recordsOf("NeverVerifyPreloadedImages");
  await records.open(async () => [{ id: "sha256:1", repoTags: ["example.com/app:1"], repoDigests: [] }]);
}
