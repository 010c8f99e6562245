// Requirements: document 2, "Webhook token authentication", "Webhook authorization".

import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, expect, it } from "vitest";
import { afterThisTurn } from "../../base/next-turn.ts";
import { asSlowWork } from "../../base/steps.testing.ts";
import { bodyOf, startTlsServer } from "../../http/tls-server.testing.ts";
import { connectionOf, parseKubeconfig } from "../kubeconfig.ts";
import type { Egress } from "./egress.ts";
import { WebhookTransport } from "./webhook-transport.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const config = (cluster: object, user: object = {}) => ({
  "current-context": "c",
  clusters: [{ name: "k", cluster }],
  users: [{ name: "u", user }],
  contexts: [{ name: "c", context: { cluster: "k", user: "u" } }],
});
const parse = (value: object) => connectionOf(parseKubeconfig(Buffer.from(JSON.stringify(value)), "/"));

describe("the address of a webhook", () => {
  it.each(["ftp://x", "https://x/?a=b", "https://x/#a", "http://x/?a=b", "x"])("cannot be %s", (server) => {
    expect(() => new WebhookTransport(parse(config({ server })))).toThrow(TypeError);
  });

  it("cannot be one without TLS where that is needed", () => {
    const make = (server: string) => () => new WebhookTransport(parse(config({ server })), { mustUseTls: true });
    expect(make("http://x")).toThrow('server "http://x" must be an https URL');
    expect(make("https://x")).not.toThrow();
  });

  it("may be one without TLS, behind a proxy too", async () => {
    const server = createServer((request, response) => {
      void bodyOf(request).then((text) => response.end(`${request.method} ${request.url} ${text}`));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const ways: string[] = [];
    const egress: Egress = {
      name: "proxy",
      connect: async (host, at) => {
        ways.push(`${host}:${at}`);
        return connect(port, "127.0.0.1");
      },
    };
    const asked: string[] = [];
    for (const [address, options] of [
      [`http://127.0.0.1:${port}/judge`, {}],
      ["http://far.example/judge", { egress }],
    ] as const) {
      const transport = new WebhookTransport(parse(config({ server: address })), options);
      asked.push((await transport.post({ a: 1 }, { timeoutMs: 60_000 })).body.toString());
      transport.close();
    }
    expect(asked).toEqual(['POST /judge {"a":1}', 'POST /judge {"a":1}']);
    expect(ways).toEqual(["far.example:80"]);
    await new Promise((resolve) => server.close(resolve));
  });
});

describe("the certificates of a webhook", () => {
  it.each<[string, object, object]>([
    ["authority", { "certificate-authority-data": base64("garbage") }, {}],
    ["client certificate", {}, { "client-certificate-data": base64("c"), "client-key-data": base64("k") }],
  ])("must be some: %s", (_what, cluster, user) => {
    expect(() => new WebhookTransport(parse(config({ server: "https://x", ...cluster }, user)))).toThrow(TypeError);
  });
});

it("lets others have their turn while a large question is written", async () => {
  const asked: string[] = [];
  const server = await startTlsServer((request, response) => {
    void bodyOf(request).then((text) => {
      asked.push(text);
      response.end();
    });
  });
  const cluster = { server: `https://127.0.0.1:${server.port}/`, "certificate-authority-data": server.caBundle };
  const transport = new WebhookTransport(parse(config(cluster)));
  let turns = 0;
  let turnsBeforeLast = 0;
  let isAnswered = false;
  const count = (): void => {
    turns += 1;
    if (!isAnswered) afterThisTurn(count);
  };
  const question = {
    first: Array.from({ length: 5_000 }, (_, index) => index),
    get last() {
      turnsBeforeLast = turns;
      return "";
    },
  };
  await asSlowWork(6, () => {
    count();
    return transport.post(question, { timeoutMs: 60_000 });
  });
  isAnswered = true;
  expect(turnsBeforeLast).toBeGreaterThan(5);
  expect(asked.map((text) => JSON.parse(text))).toEqual([question]);
  transport.close();
  await server.close();
});
