// Writes whose answers nobody reads: they are done and answered, or refused and not done.

import { once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import { afterEach, expect, it, vi } from "vitest";
import { startListener } from "../../http/listener.testing.ts";
import { StatusError } from "../../meta/status-error.ts";
import { type ServerInProcess, serverInProcess } from "../server.testing.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const PROTOBUF = "application/vnd.kubernetes.protobuf";
const LARGE = "x".repeat(900 * 1024);
/** More than all answers together may hold. */
const WRITES = 60;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const names = Array.from({ length: WRITES }, (_, index) => `c${index}`);
const configMap = (name: string, value: string) => ({ metadata: { name }, data: { value } });

async function start() {
  const server = await serverInProcess();
  cleanups.push(() => server.close());
  const listener = await startListener(server.handler);
  cleanups.push(() => listener.close(0));
  const session = connect(`https://127.0.0.1:${listener.port}`, {
    rejectUnauthorized: false,
    // All that it sends lies there at once.
    maxSessionMemory: 1_000,
    settings: { initialWindowSize: 0 },
  });
  session.on("error", () => undefined);
  cleanups.push(() => session.destroy());
  return { server, session };
}

/** The status of the answer, of whose body nothing is read. */
async function statusOf(session: ClientHttp2Session, method: string, path: string, type: string, body?: object) {
  const headers = { ":method": method, ":path": path, accept: PROTOBUF, "content-type": type };
  const stream = session.request(headers, { endStream: body === undefined });
  stream.on("error", () => undefined);
  if (body !== undefined) stream.end(JSON.stringify(body));
  const [head] = (await once(stream, "response")) as [{ ":status": number }];
  return head[":status"];
}

it("a create is answered when it is done, and refused before", async () => {
  const { server, session } = await start();
  const create = (name: string) => statusOf(session, "POST", CONFIG_MAPS, "application/json", configMap(name, LARGE));
  const statuses = await Promise.all(names.map(create));
  statuses.push(await create("late"));
  expect(statuses.at(-1)).toBe(429);
  const told = [...names, "late"].filter((_name, index) => statuses[index] === 201);
  expect(await namesIn(server)).toEqual(told.sort());
}, 60_000);

it("a create whose answer cannot be written as YAML is not told to come again, as a read is", async () => {
  const server = await serverInProcess();
  cleanups.push(() => server.close());
  const busy = new StatusError(429, "TooManyRequests", "busy", { retryAfterSeconds: 1 });
  vi.spyOn(server.context.yaml, "write").mockRejectedValue(busy);
  const accept = { accept: "application/yaml, application/json" };
  const created = await server.call("POST", CONFIG_MAPS, configMap("c", "x".repeat(100_000)), accept);
  expect([created.status, created.headers["retry-after"]]).toEqual([500, undefined]);
  const read = await server.call("GET", `${CONFIG_MAPS}/c`, undefined, accept);
  expect([read.status, read.headers["retry-after"]]).toEqual([429, "1"]);
});

it.each([["PATCH"], ["DELETE"]])(
  "a %s of a large object is answered when it is done, and refused before",
  async (method) => {
    const { server, session } = await start();
    const { metadata, ...rest } = configMap("one", LARGE);
    await server.call("POST", CONFIG_MAPS, { ...rest, metadata: { ...metadata, finalizers: ["acme.io/x"] } });
    const path = `${CONFIG_MAPS}/one`;
    const version = async () => (await server.call("GET", path)).json.metadata.resourceVersion;
    let refused = 0;
    for (let index = 0; index < WRITES; index += 1) {
      const before = await version();
      const body = method === "PATCH" ? { data: { more: String(index) } } : undefined;
      const status = await statusOf(session, method, path, "application/merge-patch+json", body);
      if (status !== 429) continue;
      refused += 1;
      expect(await version()).toBe(before);
    }
    expect(refused).toBeGreaterThan(0);
  },
  60_000,
);

async function namesIn(server: ServerInProcess): Promise<string[]> {
  const { items } = (await server.call("GET", CONFIG_MAPS)).json;
  const all: string[] = items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
  return all.filter((name) => /^(c\d+|late)$/.test(name)).sort();
}
