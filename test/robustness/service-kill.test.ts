// A server is killed in the middle of many creates of Services, beside another one over the same etcd: no address and no node port
// is given twice, and what no Service has got is free as soon as the server is back.

import https from "node:https";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN_TOKEN, type Running, readyUrl, startCommand, TestFolder } from "../../src/cmd/commands.testing.ts";
import { type EtcdServer, etcdMissing, startEtcdServer } from "../../src/testing/etcd-server.testing.ts";

const missing = etcdMissing();
const SERVICES = "/api/v1/namespaces/default/services";
const FIRST_PORT = 31_000;
const PORTS = 30;
const FREE_ADDRESSES = Array.from({ length: 61 }, (_, index) => `10.98.0.${index + 2}`);
const RANGES = ["--service-cluster-ip-range=10.98.0.0/26", `--service-node-port-range=31000-${FIRST_PORT + PORTS - 1}`];
const agent = new https.Agent({ keepAlive: true, rejectUnauthorized: false });

const folder = new TestFolder();
let etcd: EtcdServer;
const servers: Running[] = [];

beforeAll(async () => {
  if (missing === undefined) etcd = await startEtcdServer();
});
afterAll(async () => {
  agent.destroy();
  for (const server of servers) await server.stop();
  await etcd?.stop();
  folder.remove();
});

async function start(port?: string): Promise<{ readonly running: Running; readonly url: string }> {
  const flags = [...folder.serverFlags(), ...RANGES, `--etcd-servers=${etcd.endpoint}`];
  const running = await startCommand(["apiserver", ...flags, ...(port === undefined ? [] : [`--secure-port=${port}`])]);
  servers.push(running);
  return { running, url: await readyUrl(running) };
}

interface Service {
  readonly spec: { readonly clusterIP: string; readonly ports: readonly { readonly nodePort: number }[] };
}

describe.skipIf(missing !== undefined)(missing ?? "a server that is killed amid creates of Services", () => {
  it("leaves nothing reserved once it is back, beside another server", { timeout: 90_000 }, async () => {
    const killed = await start();
    const other = await start();
    let acknowledged = 0;
    const body = (name: string, spec: object = {}) => ({
      metadata: { name },
      spec: { type: "NodePort", ports: [{ port: 80 }], ...spec },
    });
    const creates = Array.from({ length: 20 }, async (_, index) => {
      const { url } = index % 2 === 0 ? killed : other;
      const answer = await send(url, "POST", SERVICES, body(`s${index}`)).catch(() => undefined);
      if (answer?.status !== 201) return;
      acknowledged += 1;
      if (acknowledged === 3) killed.running.process.kill("SIGKILL");
    });
    await Promise.all(creates);
    expect(acknowledged).toBeGreaterThanOrEqual(3);
    const back = await start(new URL(killed.url).port);

    const stored = JSON.parse((await send(back.url, "GET", SERVICES)).text).items as Service[];
    const mine = stored.filter(({ spec }) => spec.clusterIP !== "10.98.0.1");
    expect(mine.length).toBeGreaterThanOrEqual(acknowledged);
    const addresses = new Set(mine.map(({ spec }) => spec.clusterIP));
    const ports = new Set(mine.map(({ spec }) => spec.ports[0]!.nodePort));
    expect([addresses.size, ports.size]).toEqual([mine.length, mine.length]);

    const freePorts = Array.from({ length: PORTS }, (_, index) => FIRST_PORT + index).filter(
      (port) => !ports.has(port),
    );
    const freeAddresses = FREE_ADDRESSES.filter((address) => !addresses.has(address));
    const fills = freePorts.map((nodePort, index) => {
      const spec = { clusterIP: freeAddresses[index], ports: [{ port: 80, nodePort }] };
      return send((index % 2 === 0 ? back : other).url, "POST", SERVICES, body(`f${index}`, spec));
    });
    for (const answer of await Promise.all(fills)) expect(answer.status, answer.text).toBe(201);
  });
});

function send(url: string, method: string, path: string, body?: unknown): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" };
    const request = https.request(`${url}${path}`, { method, headers, agent }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("error", reject);
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    request.on("error", reject);
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
