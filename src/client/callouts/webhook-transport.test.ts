// Requirements: document 2, "Webhook token authentication", "Webhook authorization".

import { describe, expect, it } from "vitest";
import { afterThisTurn } from "../../base/next-turn.ts";
import { asSlowWork } from "../../base/steps.testing.ts";
import { bodyOf, startTlsServer } from "../../http/tls-server.testing.ts";
import { connectionOf, parseKubeconfig } from "../kubeconfig.ts";
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
  it.each(["http://x", "https://x/?a=b", "https://x/#a", "x"])("cannot be %s", (server) => {
    expect(() => new WebhookTransport(parse(config({ server })))).toThrow(TypeError);
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
