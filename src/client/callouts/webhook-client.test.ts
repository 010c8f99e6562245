// Where webhooks are asked, as the objects that name them say it.

import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { SleeplessClock } from "../../base/clock.testing.ts";
import { startTlsServer, type TlsServer } from "../../http/tls-server.testing.ts";
import { WebhookClient } from "./webhook-client.ts";

let server: TlsServer;
const asked: (string | undefined)[] = [];
/** What comes before the answer. */
let busy: { readonly status: number; readonly retryAfter?: string }[] = [];
const clock = new SleeplessClock();
const client = new WebhookClient(async () => ({ host: "127.0.0.1", port: server.port }), undefined, clock);

beforeAll(async () => {
  const names = ["127.0.0.1", "hook.shop.svc"];
  server = await startTlsServer(
    ({ url }, response) => {
      asked.push(url);
      const { status = 200, retryAfter } = busy.shift() ?? {};
      response.writeHead(status, retryAfter === undefined ? {} : { "retry-after": retryAfter }).end("{}");
    },
    { names },
  );
});
afterEach(() => {
  busy = [];
  asked.length = 0;
  clock.sleptMs.length = 0;
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
  await client.post({ url: `https://127.0.0.1:${server.port}${path}`, caBundle }, call);
  await client.post({ service: { namespace: "shop", name: "hook", path }, caBundle }, call);
  expect(asked).toEqual([expected, expected]);
});

const call = { body: Buffer.from("{}"), timeoutMs: 5_000, maxAnswerBytes: 100 };
const ask = () => client.post({ url: `https://127.0.0.1:${server.port}/`, caBundle: server.caBundle }, call);

it("asks again when a webhook that is busy says when it will not be", async () => {
  busy = [
    { status: 429, retryAfter: "1" },
    { status: 503, retryAfter: "2" },
  ];
  expect((await ask()).status).toBe(200);
  expect([asked.length, clock.sleptMs]).toEqual([3, [1_000, 2_000]]);
});

it.each([
  ["says no time", { status: 503 }],
  ["says a time of day", { status: 503, retryAfter: "Fri, 31 Dec 2030 23:59:59 GMT" }],
  ["asks for more time than there is", { status: 503, retryAfter: "5" }],
  ["refuses for good", { status: 400, retryAfter: "1" }],
])("takes the answer of a webhook as it is that %s", async (_what, answer) => {
  busy = [answer];
  expect((await ask()).status).toBe(answer.status);
  expect([asked.length, clock.sleptMs]).toEqual([1, []]);
});

it("does not ask a webhook for ever that is always busy", async () => {
  busy = Array.from({ length: 20 }, () => ({ status: 500, retryAfter: "0" }));
  expect((await ask()).status).toBe(500);
  expect(asked.length).toBe(11);
});
