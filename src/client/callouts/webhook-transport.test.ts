// Requirements: document 2, "Webhook token authentication", "Webhook authorization".

import { describe, expect, it } from "vitest";
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
