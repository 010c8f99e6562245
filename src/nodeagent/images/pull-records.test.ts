import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FoundCredentials } from "./pull-credentials.ts";
import { PullRecords, type PullVerification } from "./pull-records.ts";

let directory: string;
let records: PullRecords;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "plinth-pulls-"));
  records = new PullRecords({
    directory,
    apiVersion: "x/v1",
    secretsField: "secrets",
    nowMs: () => Date.parse("2030-01-01T00:00:00Z"),
    verification: { policy: "NeverVerifyPreloadedImages", allowlist: [] },
  });
  await records.open();
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const credentials = (name: string, password = "p"): FoundCredentials => ({
  auth: { username: "u", password },
  secret: { name, namespace: "n", uid: `uid-${name}`, registries: {} },
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
    expect(await records.mustPull("example.com/app:2", "sha256:1", given)).toBe(mustPull);
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
      secretsField: "secrets",
      nowMs: () => 0,
      verification: { policy, allowlist },
    });
    expect(await others.mustPull("example.com/app:1", "sha256:9", [])).toBe(mustPull);
  });

  it("are not asked where nothing is to be verified", async () => {
    await records.pulled("example.com/app:1", "sha256:1", credentials("a"));
    const verification = { policy: "NeverVerify", allowlist: [] } as const;
    const others = new PullRecords({
      directory,
      apiVersion: "x/v1",
      secretsField: "secrets",
      nowMs: () => 0,
      verification,
    });
    expect(await others.mustPull("example.com/app:1", "sha256:1", [])).toBe(false);
  });

  it("know nothing of images that were there before", async () => {
    expect(await records.mustPull("example.com/app", "sha256:9", [])).toBe(false);
  });

  it("add secrets to each other, and go with the image", async () => {
    await records.pulled("example.com/app:1", "sha256:1", credentials("a"));
    await records.pulled("example.com/app:1", "sha256:1", credentials("b", "q"));
    expect(read("pulled")[0].credentialMapping["example.com/app"].secrets).toHaveLength(2);
    await records.forget("sha256:1");
    expect(read("pulled")).toEqual([]);
  });
});
