// What a thousand clients hold that ask for a list and read nothing of it.

import { once } from "node:events";
import { connect } from "node:http2";
import { afterEach, expect, it } from "vitest";
import { startListener } from "../../http/listener.testing.ts";
import { heldBytes } from "../../http/memory.testing.ts";
import { serverInProcess } from "../server.testing.ts";

const MIB = 1024 * 1024;
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

it.each([
  ["JSON", "application/json", "/"],
  ["a Table", "application/json;as=Table;g=meta.k8s.io;v=v1", "/"],
  ["one large object", "application/json", "/large"],
  ["JSON, compressed", "application/json", "/", "gzip"],
  ["a watch that begins with everything", "application/json", "?watch=1"],
])(
  "holds less than 64 MiB for a thousand stalled answers: %s",
  async (_what, accept, path, encoding = "identity") => {
    const server = await serverInProcess();
    cleanups.push(() => server.close());
    for (let index = 0; index < 150; index += 1)
      await server.call("POST", CONFIG_MAPS, { metadata: { name: `c${index}` }, data: { k: "x".repeat(3_000) } });
    await server.call("POST", CONFIG_MAPS, { metadata: { name: "large" }, data: { k: "x".repeat(300_000) } });
    const listener = await startListener(server.handler);
    cleanups.push(() => listener.close(0));
    const url = `${CONFIG_MAPS}${path === "/" ? "" : path}`;
    const headers = { ":path": url, accept, "accept-encoding": encoding };
    const before = heldBytes();
    for (let sessions = 0; sessions < 10; sessions += 1) {
      const session = connect(`https://127.0.0.1:${listener.port}`, {
        rejectUnauthorized: false,
        settings: { initialWindowSize: 0 },
      });
      session.on("error", () => undefined);
      cleanups.push(() => session.destroy());
      const asked = Array.from({ length: 100 }, async () => {
        const stream = session.request(headers);
        stream.on("error", () => undefined);
        const [head] = (await once(stream, "response")) as [{ ":status": number }];
        expect(head[":status"]).toBe(200);
      });
      await Promise.all(asked);
    }
    expect((heldBytes() - before) / MIB).toBeLessThan(64);
  },
  120_000,
);
