// A worker is killed in the middle of a create of a Service: what it had reserved is free at once, and what another process has
// reserved in the middle of one is not.

import { execFileSync } from "node:child_process";
import https from "node:https";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ADMIN_TOKEN, type Running, readyUrl, startCommand, TestFolder } from "../../src/cmd/commands.testing.ts";
import { bodyOf, startTlsServer, type TlsServer } from "../../src/http/tls-server.testing.ts";

const SERVICES = "/api/v1/namespaces/default/services";
const HOOKS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

const folder = new TestFolder();
let running: Running;
let url: string;
let hook: TlsServer;
/** Of the Services that the hook was asked about, how each is allowed: its create has reserved what it needs, and waits. */
const held = new Map<string, () => void>();
let asked = 0;

beforeAll(async () => {
  hook = await startTlsServer(async (request, response) => {
    const { uid, name } = JSON.parse(await bodyOf(request)).request as { uid: string; name: string };
    asked += 1;
    const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: { uid, allowed: true } };
    const allow = () => response.setHeader("content-type", "application/json").end(JSON.stringify(review));
    if (name.startsWith("held")) held.set(name, allow);
    else allow();
  });
  const flags = [...folder.serverFlags(), "--dialect=kubernetes", "--service-cluster-ip-range=10.98.0.0/26"];
  running = await startCommand(["apiserver", "--workers=2", ...flags]);
  url = await readyUrl(running);
}, 60_000);

afterAll(async () => {
  await running.stop();
  await hook.close();
  folder.remove();
});

it("leaves nothing reserved", { timeout: 60_000 }, async () => {
  const webhook = {
    name: "services.example.com",
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    timeoutSeconds: 30,
    clientConfig: { url: `https://127.0.0.1:${hook.port}/`, caBundle: hook.caBundle },
    rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["services"] }],
  };
  expect((await send("POST", HOOKS, { metadata: { name: "services" }, webhooks: [webhook] })).status).toBe(201);
  // Until all processes know of it.
  await expect
    .poll(async () => {
      asked = 0;
      await Promise.all([9, 10].map((host) => create(`warm-${host}`, host, "?dryRun=All")));
      return asked;
    })
    .toBe(2);

  // At the same time: each goes to another process.
  const creates = [9, 10].map((host) => create(`held-${host}`, host).catch(() => undefined));
  await expect.poll(() => held.size).toBe(2);
  const [worker] = execFileSync("pgrep", ["-P", String(running.process.pid)], { encoding: "utf8" })
    .trim()
    .split("\n");
  process.kill(Number(worker), "SIGKILL");
  const ended = await Promise.race(creates.map(async (each, index) => ({ index, answer: await each })));
  expect(ended.answer).toBeUndefined();
  const [free, taken] = ended.index === 0 ? [9, 10] : [10, 9];

  await expect.poll(async () => (await create("next", free!)).status, { timeout: 10_000 }).toBe(201);
  expect((await create("other", taken!)).status).toBe(422);
  held.get(`held-${taken}`)?.();
  expect((await creates[1 - ended.index])?.status).toBe(201);
});

/** With an address and a node port that go with each other. */
function create(name: string, host: number, query = "") {
  const spec = { type: "NodePort", clusterIP: `10.98.0.${host}`, ports: [{ port: 80, nodePort: 30_000 + host }] };
  return send("POST", `${SERVICES}${query}`, { metadata: { name }, spec });
}

/** Over a connection of its own. */
function send(method: string, path: string, body: unknown): Promise<{ status: number }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" };
    const options = { method, headers, agent: false, rejectUnauthorized: false };
    const request = https.request(`${url}${path}`, options, (response) => {
      response.resume();
      response.on("error", reject);
      response.on("end", () => resolve({ status: response.statusCode ?? 0 }));
    });
    request.on("error", reject);
    request.end(JSON.stringify(body));
  });
}
