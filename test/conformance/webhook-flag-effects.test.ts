// What the flags of webhooks and of the audit log do, seen by a server that is called and in files that are written.

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { asUser, type LooseJson, type ServerInProcess, serverInProcess } from "../../src/apiserver/server.testing.ts";
import { makeAuthority, type TestServer, tlsServer } from "../../src/authn/authn.testing.ts";
import { FakeClock } from "../../src/base/clock.ts";
import { nextTurn } from "../../src/base/next-turn.ts";

let folder: string;
let receiver: TestServer;
let server: ServerInProcess | undefined;
let clock: FakeClock;
const received: { readonly path: string; readonly body: LooseJson }[] = [];
let answer: (path: string, body: LooseJson) => unknown;
const file = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "webhook-flags-"));
  const authority = await makeAuthority("webhooks");
  receiver = await tlsServer(authority, (path, body) => {
    received.push({ path, body });
    return answer(path, body);
  });
  const cluster = {
    server: `${receiver.url}/hook`,
    "certificate-authority-data": Buffer.from(authority.certificatePem).toString("base64"),
  };
  for (const [name, to] of [
    ["hook.json", cluster],
    ["plain.json", { server: "http://127.0.0.1:1/hook" }],
  ] as const) {
    await writeFile(
      file(name),
      JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        clusters: [{ name: "c", cluster: to }],
        users: [{ name: "u", user: {} }],
        contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
        "current-context": "x",
      }),
    );
  }
  await writeFile(
    file("policy.json"),
    JSON.stringify({ apiVersion: "audit.k8s.io/v1", kind: "Policy", rules: [{ level: "RequestResponse" }] }),
  );
});
afterAll(async () => {
  await receiver.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  received.length = 0;
  clock = new FakeClock(Date.now());
});
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

describe("the authorization webhook", () => {
  const start = async (...flags: string[]) => {
    answer = (_, { apiVersion, spec }) => ({
      apiVersion,
      kind: "SubjectAccessReview",
      status: { allowed: spec.user === "jane" },
    });
    const always = ["--authorization-mode=Webhook", `--authorization-webhook-config-file=${file("hook.json")}`];
    server = await serverInProcess({ flags: [...always, ...flags], clock, authorization: "by flags" });
    received.length = 0;
    return async (name: string) =>
      (await server!.call("GET", CONFIG_MAPS, undefined, asUser({ name, groups: [] }))).status;
  };

  it("--authorization-webhook-config-file, --authorization-webhook-version: who decides, and in which version", async () => {
    const status = await start("--authorization-webhook-version=v1");
    expect([await status("jane"), await status("joe")]).toEqual([200, 403]);
    expect(received.map(({ body }) => body.apiVersion)).toEqual(Array(2).fill("authorization.k8s.io/v1"));
  });

  it("is one with TLS, other webhooks may be without", async () => {
    const plain = file("plain.json");
    const flags = [`--authentication-token-webhook-config-file=${plain}`, `--audit-webhook-config-file=${plain}`];
    await expect(start(`--authorization-webhook-config-file=${plain}`)).rejects.toThrow(
      `flag --authorization-webhook-config-file: ${plain}: server "http://127.0.0.1:1/hook" must be an https URL`,
    );
    const status = await start(...flags, `--audit-policy-file=${file("policy.json")}`);
    expect(await status("jane")).toBe(200);
  });

  it("--authorization-webhook-cache-authorized-ttl, --authorization-webhook-cache-unauthorized-ttl: how long a word holds", async () => {
    const status = await start(
      "--authorization-webhook-cache-authorized-ttl=10s",
      "--authorization-webhook-cache-unauthorized-ttl=2s",
    );
    const asked = async (name: string) => {
      received.length = 0;
      await status(name);
      return received.length;
    };
    expect([await asked("jane"), await asked("joe")]).toEqual([1, 1]);
    await clock.advance(3_000);
    expect([await asked("jane"), await asked("joe")]).toEqual([0, 1]);
    await clock.advance(8_000);
    expect(await asked("jane")).toBe(1);
  });
});

describe("the webhook of tokens", () => {
  it("--authentication-token-webhook-version, --authentication-token-webhook-cache-ttl: what is asked, and how often", async () => {
    answer = (_, { apiVersion }) => ({
      apiVersion,
      kind: "TokenReview",
      status: { authenticated: true, user: { username: "jane" } },
    });
    server = await serverInProcess({
      flags: [
        `--authentication-token-webhook-config-file=${file("hook.json")}`,
        "--authentication-token-webhook-version=v1",
        "--authentication-token-webhook-cache-ttl=5s",
      ],
      clock,
      authentication: "by flags",
    });
    const call = () => server!.call("GET", CONFIG_MAPS, undefined, { authorization: "Bearer x" });
    for (let i = 0; i < 3; i++) expect((await call()).status).toBe(200);
    expect(received.map(({ body }) => body.apiVersion)).toEqual(["authentication.k8s.io/v1"]);
    await clock.advance(5_000);
    await call();
    expect(received).toHaveLength(2);
  });
});

describe("audit", () => {
  const POLICY = () => `--audit-policy-file=${file("policy.json")}`;

  it("--audit-webhook-config-file, --audit-webhook-mode, --audit-webhook-initial-backoff: who hears of it, and when", async () => {
    let ill = 1;
    answer = () => (ill-- > 0 ? 500 : {});
    server = await serverInProcess({
      flags: [
        POLICY(),
        `--audit-webhook-config-file=${file("hook.json")}`,
        "--audit-webhook-mode=blocking",
        "--audit-webhook-initial-backoff=3s",
      ],
      clock,
    });
    let answered = false;
    const call = server.call("GET", CONFIG_MAPS).then(() => {
      answered = true;
    });
    // The first attempt fails; a blocking sink holds the answer up until the second, after the pause.
    await expect.poll(() => received.length).toBe(1);
    await clock.advance(2_900);
    expect([received.length, answered]).toEqual([1, false]);
    while (!answered) {
      await clock.advance(1_000);
      await nextTurn();
    }
    await call;
    expect(received.at(-1)?.body.items[0]).toMatchObject({ verb: "list", stage: "ResponseComplete" });
  });

  const batched = async (...flags: string[]) => {
    answer = () => ({});
    server = await serverInProcess({
      flags: [POLICY(), `--audit-webhook-config-file=${file("hook.json")}`, ...flags],
      clock,
    });
    return (text = "") => server!.call("POST", CONFIG_MAPS, { metadata: { generateName: "a-" }, data: { text } });
  };
  /** Events of the requests above, batch by batch. */
  const batches = () =>
    received
      .map(({ body }) => body.items.filter((item: LooseJson) => item.stage === "ResponseComplete"))
      .map((items: LooseJson[]) => items.filter(({ verb }) => verb === "create"));

  it("--audit-webhook-batch-max-size, --audit-webhook-batch-max-wait: how many are sent together, and when", async () => {
    const call = await batched("--audit-webhook-batch-max-size=4", "--audit-webhook-batch-max-wait=2s");
    await call();
    await clock.advance(1_900);
    expect(received).toEqual([]);
    await clock.advance(100);
    await expect.poll(() => received.length).toBe(1);
    for (let i = 0; i < 4; i++) await call();
    await expect.poll(() => received.length).toBeGreaterThan(1);
    // What others have asked for in the meantime may have had a place in that batch.
    await clock.advance(2_000);
    await expect.poll(() => batches().flat().length).toBe(5);
    expect(Math.max(...received.map(({ body }) => body.items.length))).toBeLessThanOrEqual(4);
  });

  it("--audit-webhook-batch-buffer-size: how many may wait", async () => {
    const call = await batched("--audit-webhook-batch-buffer-size=3", "--audit-webhook-batch-max-wait=2s");
    for (let i = 0; i < 9; i++) await call();
    await clock.advance(2_000);
    await expect.poll(() => received.length).toBe(1);
    expect(received[0]?.body.items).toHaveLength(3);
  });

  it("--audit-webhook-batch-throttle-enable, --audit-webhook-batch-throttle-qps and -burst: how many batches follow each other", async () => {
    const throttle = ["--audit-webhook-batch-throttle-qps=1", "--audit-webhook-batch-throttle-burst=2"];
    const call = await batched("--audit-webhook-batch-max-size=1", ...throttle);
    for (let i = 0; i < 4; i++) await call();
    await expect.poll(() => received.length).toBe(2);
    await clock.advance(1_000);
    await expect.poll(() => received.length).toBe(3);
    await server!.close();
    received.length = 0;
    const free = await batched("--audit-webhook-batch-max-size=1", "--audit-webhook-batch-throttle-enable=false");
    for (let i = 0; i < 4; i++) await free();
    await expect.poll(() => batches().flat().length).toBe(4);
  });

  it("--audit-webhook-truncate-enabled, -max-event-size, -max-batch-size: what long events lose", async () => {
    const limits = ["--audit-webhook-truncate-max-event-size=3000", "--audit-webhook-truncate-max-batch-size=5000"];
    const call = await batched("--audit-webhook-truncate-enabled", ...limits, "--audit-webhook-batch-max-wait=1s");
    await call("x".repeat(10_000));
    for (let i = 0; i < 4; i++) await call("short");
    await clock.advance(1_000);
    await expect.poll(() => batches().flat().length).toBe(5);
    expect(received.length).toBeGreaterThan(1);
    const [long, short] = batches().flat();
    expect(long.annotations).toMatchObject({ "audit.k8s.io/truncated": "true" });
    expect([long.requestObject, long.responseObject]).toEqual([undefined, undefined]);
    expect(short.requestObject.data).toEqual({ text: "short" });
  });

  it("--audit-log-truncate-enabled, --audit-log-truncate-max-event-size: the same in a file", async () => {
    const path = file("truncated.log");
    server = await serverInProcess({
      flags: [
        POLICY(),
        `--audit-log-path=${path}`,
        "--audit-log-truncate-enabled",
        "--audit-log-truncate-max-event-size=3000",
      ],
    });
    await server.call("POST", CONFIG_MAPS, { metadata: { name: "long" }, data: { text: "x".repeat(10_000) } });
    await server.close();
    server = undefined;
    const events = (await readFile(path, "utf8")).trim().split("\n");
    expect(Math.max(...events.map((event) => event.length))).toBeLessThan(3_000);
    expect(events.filter((event) => event.includes('"audit.k8s.io/truncated":"true"')).length).toBeGreaterThan(0);
  });

  it("--audit-log-format: lines of text in place of JSON", async () => {
    const path = file("legacy.log");
    server = await serverInProcess({ flags: [POLICY(), `--audit-log-path=${path}`, "--audit-log-format=legacy"] });
    await server.call("GET", CONFIG_MAPS);
    await server.close();
    server = undefined;
    const lines = (await readFile(path, "utf8")).trim().split("\n");
    expect(lines.find((line) => line.includes("configmaps"))).toMatch(
      /^\d{4}-\S+Z AUDIT: id=".*" stage="\w+" ip=".*" method="list" user=".*" namespace="default" uri=".*configmaps" response=".*"$/,
    );
  });

  it("--audit-log-version, --audit-webhook-version: the one that there is", async () => {
    const flags = (version: string) => [`--audit-log-version=${version}`, `--audit-webhook-version=${version}`];
    server = await serverInProcess({ flags: flags("audit.k8s.io/v1") });
    await expect(serverInProcess({ flags: flags("audit.k8s.io/v1beta1") })).rejects.toThrow(
      'flag --audit-log-version: "audit.k8s.io/v1beta1" is not known: write audit.k8s.io/v1',
    );
  });

  it("--audit-log-maxsize, --audit-log-maxbackup, --audit-log-compress: which files are there", async () => {
    const write = async (name: string, ...flags: string[]) => {
      await server?.close();
      server = await serverInProcess({
        flags: [POLICY(), `--audit-log-path=${file(`${name}/audit.log`)}`, "--audit-log-mode=blocking", ...flags],
      });
      for (let i = 0; i < 8; i++)
        await server.call("POST", CONFIG_MAPS, { metadata: { name: `x${i}` }, data: { k: "v".repeat(300_000) } });
      await server.close();
      server = undefined;
      return (await readdir(file(name))).filter((one) => one !== "audit.log");
    };
    for (const name of ["plain", "small", "few"]) await mkdir(file(name));
    expect(await write("plain")).toEqual([]);
    const small = await write("small", "--audit-log-maxsize=1");
    expect(small.length).toBeGreaterThan(2);
    const few = await write("few", "--audit-log-maxsize=1", "--audit-log-maxbackup=1", "--audit-log-compress=true");
    expect(few).toHaveLength(1);
    expect(few[0]).toMatch(/\.gz$/);
  });
});
