// What very many clients hold that ask for a list and read nothing of it.

import { once } from "node:events";
import { connect } from "node:http2";
import { setTimeout } from "node:timers/promises";
import { afterAll, afterEach, expect, it } from "vitest";
import { startListener } from "../../http/listener.testing.ts";
import { heldBytes } from "../../http/memory.testing.ts";
import { serverInProcess } from "../server.testing.ts";

const MIB = 1024 * 1024;
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

const PROTOBUF = "application/vnd.kubernetes.protobuf";
const TABLE = "as=Table;g=meta.k8s.io;v=v1";

/** On a busy machine what was made for an answer goes a moment after the answer has begun. */
const SETTLE = { timeout: 30_000, interval: 500 };

const server = await serverInProcess({ flags: ["--feature-gates=CBORServingAndStorage=true"] });
for (let index = 0; index < 150; index += 1)
  await server.call("POST", CONFIG_MAPS, { metadata: { name: `c${index}` }, data: { k: "x".repeat(3_000) } });
await server.call("POST", CONFIG_MAPS, { metadata: { name: "large" }, data: { k: "x".repeat(300_000) } });
afterAll(() => server.close());

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

it.each([
  ["JSON", "application/json", ""],
  ["a Table", `application/json;${TABLE}`, ""],
  ["one large object", "application/json", "/large"],
  ["JSON, compressed", "application/json", "", "gzip"],
  ["a watch that begins with everything", "application/json", "?watch=1"],
  ["a watch in protobuf", `${PROTOBUF};stream=watch`, "?watch=1"],
])(
  // Some 20 MiB are shared by all answers, however many: a thousand stay below 64 MiB.
  "holds less than 44 MiB for five hundred stalled answers: %s",
  async (_what, accept, path, encoding = "identity") => {
    const { heldMib, statuses } = await stall(500, {
      ":path": CONFIG_MAPS + path,
      accept,
      "accept-encoding": encoding,
    });
    await expect.poll(heldMib, SETTLE).toBeLessThan(44);
    expect([...statuses]).toEqual([200]);
  },
  120_000,
);

// These are encoded as a whole: while much waits for clients, others are told to come again.
it.each([
  ["protobuf", PROTOBUF, 100],
  ["protobuf, compressed", PROTOBUF, 100, "gzip"],
  ["CBOR", "application/cbor", 100],
  ["YAML", "application/yaml", 100],
])(
  "holds less than 64 MiB for stalled answers that are made as a whole: %s",
  async (_what, accept, requests, encoding = "identity") => {
    const { heldMib, statuses } = await stall(requests, {
      ":path": CONFIG_MAPS,
      accept,
      "accept-encoding": encoding,
    });
    await expect.poll(heldMib, SETTLE).toBeLessThan(64);
    for (const status of statuses) expect([200, 429]).toContain(status);
  },
  120_000,
);

/** Asks so often and reads nothing: what is held then, and what the answers were. */
async function stall(requests: number, headers: Record<string, string>) {
  const listener = await startListener(server.handler);
  cleanups.push(() => listener.close(0));
  const statuses = new Set<number>();
  const before = await settledBytes();
  for (let asked = 0; asked < requests; asked += 100) {
    const session = connect(`https://127.0.0.1:${listener.port}`, {
      rejectUnauthorized: false,
      settings: { initialWindowSize: 0 },
    });
    session.on("error", () => undefined);
    cleanups.push(() => session.destroy());
    const answers = Array.from({ length: 100 }, async () => {
      const stream = session.request(headers);
      stream.on("error", () => undefined);
      const [head] = (await once(stream, "response")) as [{ ":status": number }];
      statuses.add(head[":status"]);
    });
    await Promise.all(answers);
  }
  return { heldMib: () => (heldBytes() - before) / MIB, statuses };
}

/** What is held once nothing goes any more: what earlier tests of the process have left would count against the answers. */
async function settledBytes(): Promise<number> {
  for (let held = heldBytes(); ; ) {
    await setTimeout(100);
    const now = heldBytes();
    if (Math.abs(held - now) < MIB) return now;
    held = now;
  }
}
