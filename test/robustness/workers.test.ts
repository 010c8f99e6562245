// Several processes over one embedded store are one server: clients on connections of their own write and read the same
// objects while workers are killed, and what they are told must fit into one order.

import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import https from "node:https";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN_TOKEN, type Running, readyUrl, startCommand, TestFolder } from "../../src/cmd/commands.testing.ts";
import { temporaryServingCertificate } from "../../src/http/certificates.ts";

const WORKERS = 3;
const CLIENTS = 4;
const COUNTED = 90;
const KILLS = 3;
const PATH = "/api/v1/namespaces/default/configmaps";

const folder = new TestFolder();
let running: Running;
let port: number;
/** As they were when all had just begun to serve. */
let allSeats: number;
let keys: string;
/** Those that are read once, when the server starts. */
let startFiles: ReturnType<typeof writeStartFiles>;
/** Those that are followed. */
let followedFiles: Record<string, string>;

beforeAll(async () => {
  const rule = {
    level: "Metadata",
    omitStages: ["RequestReceived"],
    verbs: ["list"],
    resources: [{ resources: ["namespaces"] }],
  };
  const policy = { kind: "Policy", apiVersion: "audit.platform.io/v1", rules: [rule, { level: "None" }] };
  const pair = await temporaryServingCertificate(["localhost"], { nowMs: Date.now(), lifeMs: 3_600_000 });
  startFiles = writeStartFiles(pair);
  followedFiles = writeFollowedFiles(pair);
  running = await startCommand([
    "apiserver",
    `--workers=${WORKERS}`,
    ...folder.serverFlags(),
    `--audit-policy-file=${folder.file("policy.json", JSON.stringify(policy))}`,
    `--audit-log-path=${folder.path}/audit.log`,
    "--audit-log-mode=blocking-strict",
    "--authorization-mode=ABAC",
    ...Object.entries({ ...startFiles.flags, ...followedFiles }).map(([flag, file]) => `--${flag}=${file}`),
  ]);
  port = Number(new URL(await readyUrl(running)).port);
  allSeats = await seats();
  keys = await textAt("/openid/v1/jwks");
}, 60_000);

afterAll(async () => {
  const { code } = await running.stop();
  folder.remove();
  expect(code).toBe(0);
});

describe("an API server with workers", () => {
  it("has all of them serve, and adds up what they count", async () => {
    const clients = Array.from({ length: CLIENTS }, () => new Connection(port));
    for (const client of clients) await client.send("GET", `/api/v1/namespaces?limit=${CLIENTS}`);
    const metrics = (await clients[0]!.send("GET", "/metrics")).text;
    const listed = /^apiserver_request_total\{[^}]*resource="namespaces"[^}]*verb="LIST"[^}]*\} (\d+)$/m.exec(metrics);
    expect(Number(listed?.[1])).toBeGreaterThanOrEqual(CLIENTS);
    for (const client of clients) await client.send("GET", "/healthz");
    const checks = await Promise.all(clients.map((client) => client.send("GET", "/metrics/slis")));
    const pings = /^[a-z]+_healthchecks_total\{name="ping",status="success",type="healthz"\} (\d+)$/m;
    expect(checks.map(({ text }) => pings.exec(text)?.[1])).toEqual(clients.map(() => String(CLIENTS)));
    expect(workersOf(running)).toHaveLength(WORKERS - 1);
    // Written before they were answered, whoever did: as many as clients, more than any one process has served.
    const lines = folder
      .read("audit.log")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.filter(({ requestURI }) => requestURI.endsWith(`?limit=${CLIENTS}`))).toHaveLength(CLIENTS);
    for (const client of clients) client.close();
  });

  it("gives every client one order of writes, and no read is older than an answer, while workers are killed", {
    timeout: 120_000,
  }, async () => {
    const first = new Connection(port);
    const created = await first.send("POST", PATH, { metadata: { name: "counter" }, data: { count: "0" } });
    expect(created.status).toBe(201);
    const from = created.json.metadata.resourceVersion as string;
    first.close();

    let acknowledged = 0;
    let unknown = 0;
    let highest = 0;
    const killing = killWorkers(() => highest);
    const watches = Array.from({ length: CLIENTS }, () => follow(port, from));
    const counting = async (): Promise<void> => {
      const client = new Connection(port);
      while (highest < COUNTED) {
        const floor = highest;
        const now = await client.send("GET", `${PATH}/counter`).catch(() => undefined);
        if (now === undefined) continue;
        const count = Number(now.json.data.count);
        expect(count, "a read is not older than any answered write").toBeGreaterThanOrEqual(floor);
        const next = { ...now.json, data: { count: String(count + 1) } };
        const put = await client.send("PUT", `${PATH}/counter`, next).catch(() => undefined);
        if (put === undefined) unknown += 1;
        else if (put.status === 200) {
          acknowledged += 1;
          highest = Math.max(highest, count + 1);
        } else expect(put.status).toBe(409);
      }
      client.close();
    };
    await Promise.all(Array.from({ length: CLIENTS }, counting));
    await killing;

    const last = new Connection(port);
    const total = Number((await last.send("GET", `${PATH}/counter`)).json.data.count);
    last.close();
    // No update was lost; one whose answer was lost may have happened.
    expect(total).toBeGreaterThanOrEqual(acknowledged);
    expect(total).toBeLessThanOrEqual(acknowledged + unknown);
    const everyCount = Array.from({ length: total }, (_, index) => index + 1);
    for (const watch of watches) expect(await watch.upTo(total)).toEqual(everyCount);
    expect(running.output.stderr).not.toContain('"level":"error"');
  });

  it("has a worker again within moments", async () => {
    const [one] = workersOf(running);
    process.kill(one!, "SIGKILL");
    await expect
      .poll(() => workersOf(running).filter((pid) => pid !== one).length, { timeout: 10_000 })
      .toBe(WORKERS - 1);
  });

  it("has the keys and files of its start, though they are changed, broken or gone when workers are replaced", {
    timeout: 120_000,
  }, async () => {
    folder.file("tokens.csv", "another,admin,1,system:masters\n");
    folder.file("policy.json", "no policy");
    for (const file of startFiles.all) rmSync(file);
    for (const file of Object.values(followedFiles)) writeFileSync(file, "broken");
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    folder.file("data/pki/sa.key", privateKey.export({ type: "pkcs8", format: "pem" }).toString());
    const old = workersOf(running);
    for (const pid of old) process.kill(pid, "SIGKILL");
    const others = () => workersOf(running).filter((pid) => !old.includes(pid)).length;
    await expect.poll(others, { timeout: 60_000 }).toBe(WORKERS - 1);
    await expect.poll(seats, { timeout: 60_000 }).toBe(allSeats);
    // At the same time: each goes to another process.
    const clients = Array.from({ length: WORKERS }, () => new Connection(port));
    const answers = await Promise.all(clients.map((client) => client.send("GET", "/openid/v1/jwks")));
    for (const client of clients) client.close();
    expect(answers.map(({ text }) => text)).toEqual(clients.map(() => keys));
  });
});

type Pair = Awaited<ReturnType<typeof temporaryServingCertificate>>;

function writeStartFiles({ caPem }: Pair) {
  const file = (name: string, content: unknown) => folder.file(name, JSON.stringify(content));
  const config = (group: string, kind: string) => ({ apiVersion: `${group}.platform.io/v1beta1`, kind });
  const authority = folder.file("hook-ca.pem", caPem);
  const webhook = {
    "current-context": "hook",
    contexts: [{ name: "hook", context: { cluster: "hook", user: "" } }],
    clusters: [{ name: "hook", cluster: { server: "https://127.0.0.1:1", "certificate-authority": authority } }],
  };
  const selections = [{ name: "cluster", connection: { proxyProtocol: "Direct" } }];
  const limits = file("limits.json", { limits: [{ type: "Server", qps: 1000, burst: 1000 }] });
  const flags = {
    "authentication-token-webhook-config-file": file("webhook.json", webhook),
    "authorization-policy-file": file("abac.json", {
      ...config("abac.authorization", "Policy"),
      spec: { user: "ann", nonResourcePath: "*" },
    }),
    "admission-control-config-file": file("admission.json", { plugins: [{ name: "EventRateLimit", path: limits }] }),
    "egress-selector-config-file": file("egress.json", {
      ...config("apiserver", "EgressSelectorConfiguration"),
      egressSelections: selections,
    }),
  };
  return { flags, all: [authority, limits, ...Object.values(flags)] };
}

function writeFollowedFiles({ certificatePem, keyPem, caPem }: Pair) {
  const pair = (name: string) => [folder.file(`${name}.crt`, certificatePem), folder.file(`${name}.key`, keyPem)];
  const [serving, proxy, agent] = [pair("serving"), pair("proxy"), pair("agent")];
  const authentication = {
    apiVersion: "apiserver.config.platform.io/v1",
    kind: "AuthenticationConfiguration",
    jwt: [],
  };
  return {
    "tls-cert-file": serving[0]!,
    "tls-private-key-file": serving[1]!,
    "proxy-client-cert-file": proxy[0]!,
    "proxy-client-key-file": proxy[1]!,
    "kubelet-client-certificate": agent[0]!,
    "kubelet-client-key": agent[1]!,
    "kubelet-certificate-authority": folder.file("agents.crt", caPem),
    "client-ca-file": folder.file("clients.crt", caPem),
    "authentication-config": folder.file("authentication.json", JSON.stringify(authentication)),
  };
}

/** Every process that serves has its part of them. */
async function seats(): Promise<number> {
  const level = /^apiserver_flowcontrol_nominal_limit_seats\{priority_level="catch-all"\} (\d+)$/m;
  return Number(level.exec(await textAt("/metrics").catch(() => ""))?.[1]);
}

async function textAt(path: string): Promise<string> {
  const client = new Connection(port);
  const { text } = await client.send("GET", path).finally(() => client.close());
  return text;
}

async function killWorkers(counted: () => number): Promise<void> {
  for (let kill = 1; kill <= KILLS; kill += 1) {
    await expect.poll(counted, { timeout: 60_000, interval: 5 }).toBeGreaterThan((kill * COUNTED) / (KILLS + 1));
    const [worker] = workersOf(running);
    if (worker !== undefined) process.kill(worker, "SIGKILL");
  }
}

function workersOf({ process: { pid } }: Running): number[] {
  try {
    return execFileSync("pgrep", ["-P", String(pid)], { encoding: "utf8" })
      .trim()
      .split("\n")
      .map(Number);
  } catch {
    return [];
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the bodies of a test are what they are.
  readonly json: any;
}

const base = (at: number) => ({
  host: "127.0.0.1",
  port: at,
  rejectUnauthorized: false,
  headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
});

/** A client with one connection, which it keeps, or makes anew when it breaks. */
class Connection {
  readonly #port: number;
  readonly #agent = new https.Agent({ keepAlive: true, maxSockets: 1 });

  constructor(at: number) {
    this.#port = at;
  }

  /** Fails when the connection does. */
  send(method: string, path: string, body?: unknown): Promise<Answer> {
    const { headers, ...rest } = base(this.#port);
    return new Promise((resolve, reject) => {
      const type = body === undefined ? {} : { "content-type": "application/json" };
      const options = { ...rest, agent: this.#agent, method, path, headers: { ...headers, ...type } };
      const request = https.request(options, (response) => {
        let text = "";
        response.on("data", (chunk) => {
          text += chunk;
        });
        response.on("error", reject);
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            text,
            json: text.startsWith("{") ? JSON.parse(text) : undefined,
          }),
        );
      });
      request.on("error", reject);
      request.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Watches the counter over a connection of its own, and goes on from where it was when that is cut. */
function follow(at: number, from: string) {
  const counts: number[] = [];
  let version = from;
  let over = false;
  let current: ReturnType<typeof https.get> | undefined;
  const run = (): void => {
    const path = `${PATH}?watch=1&fieldSelector=metadata.name%3Dcounter&resourceVersion=${version}`;
    let rest = "";
    current = https.get({ ...base(at), agent: false, path }, (response) => {
      response.on("data", (chunk) => {
        const lines = (rest + String(chunk)).split("\n");
        rest = lines.pop()!;
        for (const line of lines) {
          const { object } = JSON.parse(line);
          counts.push(Number(object.data.count));
          version = object.metadata.resourceVersion;
        }
      });
      response.on("close", again);
    });
    current.on("error", again);
  };
  let pending = false;
  const again = (): void => {
    if (over || pending) return;
    pending = true;
    setTimeout(() => {
      pending = false;
      run();
    }, 20);
  };
  run();
  return {
    async upTo(total: number): Promise<number[]> {
      await expect.poll(() => counts.at(-1), { timeout: 20_000 }).toBe(total);
      over = true;
      current?.destroy();
      return counts;
    },
  };
}
