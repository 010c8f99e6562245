import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { Metrics } from "../../base/metrics.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { CredentialProvider, providerMetrics } from "./credential-provider.ts";
import type { ProviderSettings } from "./credential-provider-config.ts";
import { PodCredentials } from "./pod-credentials.ts";

const VERSION = "credentialprovider.kubelet.k8s.io/v1";
let folder: string;
let clock: FakeClock;
let metrics: Metrics;
let counted: ReturnType<typeof providerMetrics>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plinth-provider-"));
  clock = new FakeClock();
  metrics = new Metrics({ release: "1.34.0", showHidden: false });
  counted = providerMetrics(metrics);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const answer = (more: object = {}) => ({
  kind: "CredentialProviderResponse",
  apiVersion: VERSION,
  cacheKeyType: "Image",
  auth: { "*.example.com": { username: "u", password: "p" } },
  ...more,
});

/** A program that notes what it reads and prints this. */
function provider(printed: object | string, more: Partial<ProviderSettings> = {}): CredentialProvider {
  const program = join(folder, "login");
  const text = typeof printed === "string" ? printed : JSON.stringify(printed);
  writeFileSync(program, `#!/bin/sh\ncat >> ${folder}/asked\necho " $1 $WORD" >> ${folder}/asked\n${printer(text)}\n`);
  chmodSync(program, 0o755);
  const settings = {
    ...{ name: "login", program, apiVersion: VERSION, args: [], env: {}, matchImages: ["*.example.com"] },
    ...{ cacheMs: 60_000, serviceAccount: undefined, ...more },
  };
  return new CredentialProvider({
    ...{ settings, clock, log: silentLog, metrics: counted },
    serviceAccountOf: async () =>
      ({ metadata: { name: "builder", namespace: "n", uid: "sa", annotations: { role: "r", other: "o" } } }) as never,
    tokenOf: async (_, audience) => `token for ${audience}`,
  });
}
const printer = (text: string) => (text.startsWith("exit") ? text : `cat <<'END'\n${text}\nEND`);
const pod = (serviceAccountName?: string) => ({ metadata: { namespace: "n" }, spec: { serviceAccountName } }) as Pod;
const asked = () => (existsSync(join(folder, "asked")) ? readFileSync(join(folder, "asked"), "utf8").trim() : "");
const times = () => (asked() === "" ? 0 : asked().split("\n").length);
const ACCOUNT = {
  audience: "registry",
  isRequired: true,
  requiredAnnotations: ["role"],
  optionalAnnotations: ["missing"],
  cacheType: "ServiceAccount",
} as const;

describe("a credential provider", () => {
  it("is asked for images that match, with its words and variables", async () => {
    const one = provider(answer(), { args: ["get"], env: { WORD: "w" } });
    expect(await one.keyring("a.other.com/app:1", pod())).toBeUndefined();
    expect(asked()).toBe("");
    expect(await one.keyring("a.example.com/app:1", pod())).toEqual({
      source: { of: "node" },
      registries: { "*.example.com": { username: "u", password: "p" } },
    });
    const request = JSON.stringify({
      ...{ kind: "CredentialProviderRequest", apiVersion: VERSION, image: "a.example.com/app" },
    });
    expect(asked()).toBe(`${request} get w`);
  });

  it.each<[string, object, string, number]>([
    ["an image", { cacheKeyType: "Image" }, "a.example.com/other", 2],
    ["an image, whatever its tag", { cacheKeyType: "Image" }, "a.example.com/app:2", 1],
    ["a registry", { cacheKeyType: "Registry" }, "a.example.com/other", 1],
    ["another registry", { cacheKeyType: "Registry" }, "b.example.com/app", 2],
    ["everything", { cacheKeyType: "Global" }, "b.example.com/app", 1],
    ["nothing", { cacheKeyType: "Global", cacheDuration: "0s" }, "a.example.com/app", 2],
  ])("is not asked again for %s", async (_, more, second, expected) => {
    const one = provider(answer(more));
    await one.keyring("a.example.com/app:1", pod());
    await one.keyring(second, pod());
    expect(times()).toBe(expected);
  });

  it("is asked again when its answer is old", async () => {
    const one = provider(answer({ cacheDuration: "10s" }));
    await one.keyring("a.example.com/app", pod());
    await clock.advance(9_000);
    await one.keyring("a.example.com/app", pod());
    expect(times()).toBe(1);
    await clock.advance(2_000);
    await one.keyring("a.example.com/app", pod());
    expect(times()).toBe(2);
  });

  it("is asked once by many at the same time", async () => {
    const one = provider(answer({ cacheDuration: "0s" }));
    await Promise.all([1, 2, 3].map(() => one.keyring("a.example.com/app", pod())));
    expect(times()).toBe(1);
  });

  it.each<[string, object | string]>([
    ["fails", "exit 3"],
    ["prints no answer", "hello"],
    ["prints one of another version", answer({ apiVersion: "credentialprovider.kubelet.k8s.io/v1beta1" })],
    ["prints something else", answer({ kind: "Pod" })],
    ["does not say what its answer is about", answer({ cacheKeyType: undefined })],
    ["prints more than it should", answer({ token: "x" })],
  ])("gives nothing when it %s", async (_, printed) => {
    expect(await provider(printed).keyring("a.example.com/app", pod())).toBeUndefined();
    expect(times()).toBe(1);
  });

  it("is counted", async () => {
    await provider("exit 1").keyring("a.example.com/app", pod());
    const text = await metrics.text();
    expect(text).toContain('kubelet_credential_provider_plugin_errors_total{plugin_name="login"} 1');
    expect(text).toContain('kubelet_credential_provider_plugin_duration_count{plugin_name="login"} 1');
  });

  it("hears of the service account of the pod where it wants to", async () => {
    const one = provider(answer(), { serviceAccount: ACCOUNT });
    expect((await one.keyring("a.example.com/app", pod("builder")))?.source).toEqual({
      ...{ of: "serviceAccount", name: "builder", namespace: "n", uid: "sa" },
    });
    expect(JSON.parse(asked())).toMatchObject({
      serviceAccountToken: "token for registry",
      serviceAccountAnnotations: { role: "r" },
    });
  });

  it.each<[string, object, string | undefined, number]>([
    ["a pod without a service account", {}, undefined, 0],
    ["one without, which may be", { isRequired: false, requiredAnnotations: [] }, undefined, 1],
    ["a service account without an annotation", { requiredAnnotations: ["missing"] }, "builder", 0],
  ])("is asked for %s or not", async (_, more, account, expected) => {
    await provider(answer(), { serviceAccount: { ...ACCOUNT, ...more } }).keyring("a.example.com/app", pod(account));
    expect(times()).toBe(expected);
  });

  it("must not give the token back, unless answers are kept by token", async () => {
    const echo = answer({ auth: { "*.example.com": { username: "u", password: "token for registry" } } });
    const image = "a.example.com/app";
    expect(await provider(echo, { serviceAccount: ACCOUNT }).keyring(image, pod("b"))).toBeUndefined();
    const byToken = { serviceAccount: { ...ACCOUNT, cacheType: "Token" } } as const;
    expect(await provider(echo, byToken).keyring(image, pod("b"))).toBeDefined();
  });
});

describe("the credentials of a pod", () => {
  it("are those of its secrets, then those of the node's file, then those of programs", async () => {
    const auths = (username: string) => ({ "a.example.com": { username, password: "p" } });
    writeFileSync(join(folder, "config.json"), JSON.stringify({ auths: auths("file") }));
    const credentials = new PodCredentials({
      secretsOf: async () => [
        { source: { of: "secret", name: "s", namespace: "n", uid: "1" }, registries: auths("own") },
      ],
      providers: [provider(answer())],
      folders: [join(folder, "none"), folder],
    });
    const found = await credentials.of(pod(), "a.example.com/app");
    expect(found.map(({ auth, source }) => [auth.username, source.of])).toEqual([
      ["own", "secret"],
      ["file", "node"],
      ["u", "node"],
    ]);
  });
});
