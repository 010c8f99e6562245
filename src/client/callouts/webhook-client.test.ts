// Where webhooks are asked, as the objects that name them say it.

import { afterAll, beforeAll, expect, it } from "vitest";
import { startTlsServer, type TlsServer } from "../../http/tls-server.testing.ts";
import { WebhookClient } from "./webhook-client.ts";

let server: TlsServer;
const asked: (string | undefined)[] = [];
const client = new WebhookClient(async () => ({ host: "127.0.0.1", port: server.port }));

beforeAll(async () => {
  const names = ["127.0.0.1", "hook.shop.svc"];
  server = await startTlsServer(
    ({ url }, response) => {
      asked.push(url);
      response.end("{}");
    },
    { names },
  );
});
afterAll(async () => {
  client.close();
  await server.close();
});

it.each([
  ["", "/?timeout=10s"],
  ["/", "/?timeout=10s"],
  ["/check", "/check?timeout=10s"],
  ["//check", "/check?timeout=10s"],
  ["/a//b/./../c/", "/a/c?timeout=10s"],
])("the path %j is asked as %s, of an address and of a service", async (path, expected) => {
  const call = { body: Buffer.from("{}"), timeoutMs: 5_000, maxAnswerBytes: 100, query: "timeout=10s" };
  const { caBundle } = server;
  asked.length = 0;
  await client.post({ url: `https://127.0.0.1:${server.port}${path}`, caBundle }, call);
  await client.post({ service: { namespace: "shop", name: "hook", path }, caBundle }, call);
  expect(asked).toEqual([expected, expected]);
});
