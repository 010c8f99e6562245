import { afterEach, expect, it } from "vitest";
import { startTestServer, type TestServer } from "./agent-server.testing.ts";
import { readOnlyHandler } from "./agent-server.ts";
import type { PlainPort } from "./plain-port.ts";
import { listenReadOnly } from "./read-only-port.ts";

let server: TestServer;
let port: PlainPort | undefined;
afterEach(async () => {
  port?.close();
  await server.close();
});

it("the port without access control shows the state of the node, and nothing can be done there", async () => {
  server = await startTestServer();
  port = await listenReadOnly({ address: "127.0.0.1", port: 0, handler: readOnlyHandler(server.options) });
  const ask = async (path: string, method = "GET") => {
    const answer = await fetch(`http://127.0.0.1:${port?.port}${path}`, { method });
    return [answer.status, await answer.text()] as const;
  };
  expect(await ask("/healthz")).toEqual([200, "ok"]);
  expect((await ask("/pods"))[1]).toContain('"web"');
  expect((await ask("/metrics/cadvisor"))[1]).toContain("machine_cpu_cores 4 ");
  for (const path of ["/configz", "/runningpods", "/containerLogs/team/web/main", "/logs/"])
    expect((await ask(path))[0]).toBe(404);
  expect((await ask("/run/team/web/main?cmd=ls", "POST"))[0]).toBe(404);
});
