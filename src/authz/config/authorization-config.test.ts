// Requirements: document 2, "AuthorizationConfiguration file", "Limits".

import { copyFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { StartFiles } from "../../base/start-files.ts";
import { namesFor } from "../../meta/names.ts";
import { alwaysDeny } from "../always.ts";
import { AuthorizerChain } from "../chain.ts";
import { parseAuthorizationConfig } from "./authorization-config.ts";
import { AuthorizationConfigFile } from "./config-file.ts";

const names = namesFor("platform");
const context = { names, minor: 34 };
let folder: string;
let kubeconfig: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "authorization-config-"));
  kubeconfig = join(folder, "kubeconfig");
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      "current-context": "c",
      clusters: [{ name: "k", cluster: { server: "https://127.0.0.1:1/review" } }],
      users: [{ name: "u", user: {} }],
      contexts: [{ name: "c", context: { cluster: "k", user: "u" } }],
    }),
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const webhook = (more: object = {}) => ({
  type: "Webhook",
  name: "hook",
  webhook: {
    timeout: "3s",
    subjectAccessReviewVersion: "v1",
    matchConditionSubjectAccessReviewVersion: "v1",
    failurePolicy: "Deny",
    connectionInfo: { type: "KubeConfigFile", kubeConfigFile: kubeconfig },
    ...more,
  },
});
const rbac = { type: "RBAC", name: "rbac" };
const document = (authorizers: unknown, more: object = {}) =>
  Buffer.from(
    JSON.stringify({
      apiVersion: "apiserver.config.platform.io/v1",
      kind: "AuthorizationConfiguration",
      authorizers,
      ...more,
    }),
  );
const parse = (authorizers: unknown, more: object = {}) =>
  parseAuthorizationConfig(document(authorizers, more), context);

describe("an authorization configuration", () => {
  it("names authorizers in order, with defaults for the caches", () => {
    expect(parse([webhook(), { type: "Node", name: "node" }, rbac])).toMatchObject([
      {
        type: "Webhook",
        name: "hook",
        kubeConfigFile: kubeconfig,
        webhook: { timeoutMs: 3000, authorizedTtlMs: 300_000, unauthorizedTtlMs: 30_000, onFailure: "deny" },
      },
      { type: "Node", name: "node" },
      { type: "RBAC", name: "rbac" },
    ]);
  });

  it("ignores the time of a cache that is off", () => {
    const [hook] = parse([
      webhook({ cacheAuthorizedRequests: false, authorizedTTL: "1h", cacheUnauthorizedRequests: false }),
    ]);
    expect(hook).toMatchObject({ webhook: { authorizedTtlMs: 0, unauthorizedTtlMs: 0 } });
  });

  it("may be YAML", () => {
    const text =
      "apiVersion: apiserver.config.platform.io/v1\nkind: AuthorizationConfiguration\nauthorizers:\n- type: RBAC\n  name: rbac\n";
    expect(parseAuthorizationConfig(Buffer.from(text), context)).toEqual([rbac]);
  });

  it.each(["v1beta1", "v1alpha1"])("may be of the version %s that came before, which says the same", (version) => {
    expect(parse([rbac], { apiVersion: `apiserver.config.platform.io/${version}` })).toEqual([rbac]);
  });

  it("takes 64 match conditions", () => {
    const matchConditions = Array.from({ length: 64 }, (_, index) => ({ expression: `request.user != 'u${index}'` }));
    expect(parse([webhook({ matchConditions })])).toHaveLength(1);
  });

  it.each<[string, () => unknown, RegExp]>([
    ["no authorizers", () => parse([]), /authorizers: Required value: at least one/],
    [
      "another version",
      () => parse([rbac], { apiVersion: "apiserver.config.platform.io/v9" }),
      /apiVersion and kind must be .*v9/,
    ],
    ["an unknown field", () => parse([{ ...rbac, colour: "red" }]), /colour/],
    [
      "an unknown type",
      () => parse([{ type: "Magic", name: "m" }]),
      /authorizers\[0\]\.type: Unsupported value: "Magic"/,
    ],
    ["no type", () => parse([{ name: "m" }]), /authorizers\[0\]\.type: Required/],
    ["no name", () => parse([{ type: "RBAC" }]), /authorizers\[0\]\.name: Required/],
    ["a name that is none", () => parse([{ type: "RBAC", name: "Not A Name" }]), /authorizer name is invalid/],
    ["two of one name", () => parse([rbac, { type: "Node", name: "rbac" }]), /authorizers\[1\]\.name: Duplicate/],
    ["RBAC twice", () => parse([rbac, { type: "RBAC", name: "again" }]), /authorizers\[1\]\.type: Duplicate/],
    [
      "a webhook without settings",
      () => parse([{ type: "Webhook", name: "w" }]),
      /webhook: Required value: required when type=Webhook/,
    ],
    [
      "settings of a webhook elsewhere",
      () => parse([{ ...webhook(), type: "RBAC" }]),
      /may only be specified when type=Webhook/,
    ],
    ["no timeout", () => parse([webhook({ timeout: undefined })]), /webhook\.timeout: Required/],
    ["a timeout over 30 seconds", () => parse([webhook({ timeout: "31s" })]), /must be > 0s and <= 30s/],
    ["a timeout that is no duration", () => parse([webhook({ timeout: "soon" })]), /webhook\.timeout: Invalid/],
    [
      "a negative time to live",
      () => parse([webhook({ authorizedTTL: "-1s" })]),
      /authorizedTTL: Invalid value: "-1s": must be > 0s/,
    ],
    [
      "no review version",
      () => parse([webhook({ subjectAccessReviewVersion: undefined })]),
      /subjectAccessReviewVersion: Required/,
    ],
    [
      "an unknown review version",
      () => parse([webhook({ subjectAccessReviewVersion: "v2" })]),
      /subjectAccessReviewVersion: Unsupported/,
    ],
    [
      "no version of the conditions",
      () => parse([webhook({ matchConditionSubjectAccessReviewVersion: undefined })]),
      /matchConditionSubjectAccessReviewVersion: Required/,
    ],
    ["no failure policy", () => parse([webhook({ failurePolicy: undefined })]), /failurePolicy: Required/],
    ["an unknown failure policy", () => parse([webhook({ failurePolicy: "Shrug" })]), /failurePolicy: Unsupported/],
    ["no connection", () => parse([webhook({ connectionInfo: undefined })]), /connectionInfo\.type: Required/],
    ["no file", () => parse([webhook({ connectionInfo: { type: "KubeConfigFile" } })]), /kubeConfigFile: Required/],
    [
      "a relative file",
      () => parse([webhook({ connectionInfo: { type: "KubeConfigFile", kubeConfigFile: "x" } })]),
      /must be an absolute path/,
    ],
    [
      "a missing file",
      () => parse([webhook({ connectionInfo: { type: "KubeConfigFile", kubeConfigFile: "/no/such/file" } })]),
      /error loading file/,
    ],
    [
      "a file for the own API",
      () => parse([webhook({ connectionInfo: { type: "InClusterConfig", kubeConfigFile: "/x" } })]),
      /can only be set when type=KubeConfigFile/,
    ],
    [
      "65 conditions",
      () => parse([webhook({ matchConditions: Array.from({ length: 65 }, (_, i) => ({ expression: `${i} == 0` })) })]),
      /must have at most 64 items/,
    ],
    [
      "a condition without text",
      () => parse([webhook({ matchConditions: [{ expression: "" }] })]),
      /matchConditions\[0\]\.expression: Required/,
    ],
    [
      "a condition twice",
      () => parse([webhook({ matchConditions: [{ expression: "true" }, { expression: "true" }] })]),
      /matchConditions\[1\]\.expression: Duplicate/,
    ],
    [
      "a condition that is no truth value",
      () => parse([webhook({ matchConditions: [{ expression: "request.user" }] })]),
      /matchConditions\[0\]\.expression: Invalid/,
    ],
  ])("is refused with %s", (_what, read, message) => expect(read).toThrow(message));
});

describe("a configuration file that changes", () => {
  function start(authorizers: unknown) {
    const path = join(folder, `authz-${Math.random()}.json`);
    writeFileSync(path, document(authorizers));
    const reloaded = vi.fn();
    const metrics = {
      onRequest: () => undefined,
      onDecision: () => undefined,
      webhook: () => ({ called: () => undefined, failedOpen: () => undefined, conditions: () => undefined }),
      reloaded,
      configured: () => undefined,
    };
    const clock = new FakeClock();
    const { name: _, ...link } = alwaysDeny;
    const parts = {
      names,
      clock,
      metrics: undefined,
      rbac: { ...link, type: "RBAC" as const },
      node: { ...link, type: "Node" as const },
    };
    const open = (startFiles: StartFiles) =>
      new AuthorizationConfigFile({ path, context, parts, startFiles, clock, log: silentLog, metrics });
    const startFiles = new StartFiles();
    const file = open(startFiles);
    const chain = new AuthorizerChain(file.links);
    file.follow(chain);
    /** The names of what a process has that starts now. */
    const later = () => {
      const other = open(new StartFiles(startFiles.contents));
      other.close();
      return other.links.map(({ name }) => name);
    };
    const replace = (next: unknown) => {
      writeFileSync(`${path}.new`, document(next));
      renameSync(`${path}.new`, path);
    };
    return { file, replace, reloaded, clock, later };
  }

  it("is taken over", async () => {
    const { file, replace, reloaded, clock } = start([rbac]);
    replace([webhook(), rbac]);
    await clock.advance(60_000);
    await vi.waitFor(() => expect(reloaded).toHaveBeenCalledWith(true, expect.any(Number)), { timeout: 5000 });
    expect(file.links.map(({ name }) => name)).toEqual(["hook", "rbac"]);
    file.close();
  });

  it.each<[string, () => unknown[]]>([
    ["is broken", () => [{ type: "Magic" }]],
    ["drops an authorizer that is no webhook", () => [webhook()]],
    ["adds one", () => [rbac, { type: "Node", name: "node" }]],
  ])("leaves the old one in force when it %s", async (_what, next) => {
    const { file, replace, reloaded, clock, later } = start([rbac, webhook()]);
    replace(next());
    await clock.advance(60_000);
    await vi.waitFor(() => expect(reloaded).toHaveBeenCalledWith(false, expect.any(Number)), { timeout: 5000 });
    expect(file.links.map(({ name }) => name)).toEqual(["rbac", "hook"]);
    expect(later()).toEqual(["rbac", "hook"]);
    file.close();
  });

  it("is in force in a process that starts when it is broken again, and what it named has gone", async () => {
    const { file, replace, reloaded, clock, later } = start([rbac]);
    const named = join(folder, "named");
    copyFileSync(kubeconfig, named);
    const connectionInfo = { type: "KubeConfigFile", kubeConfigFile: named };
    replace([webhook({ connectionInfo }), rbac]);
    await clock.advance(60_000);
    await vi.waitFor(() => expect(reloaded).toHaveBeenCalledWith(true, expect.any(Number)), { timeout: 5000 });
    rmSync(named);
    replace([{ type: "Magic" }]);
    expect(later()).toEqual(["hook", "rbac"]);
    file.close();
  });
});
