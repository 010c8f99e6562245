// A server behind this one, over real TLS on loopback: discovery, what it is told about users, and what happens without it.

import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { issueCertificate } from "../../../http/pki/issue-certificate.ts";
import { type LooseJson, startTestServer, type TestServer } from "../../admission/admission.testing.ts";

const APIS = "/apis/apiregistration.k8s.io/v1/apiservices";
const DAY_MS = 86_400_000;

interface Seen {
  readonly url: string;
  readonly method: string;
  readonly headers: LooseJson;
  readonly body: string;
}

let server: TestServer;
let backend: Server;
let port: number;
let ca: string;
const seen: Seen[] = [];

beforeAll(async () => {
  const { certificatePem, keyPem } = await issueCertificate({
    subject: { commonName: "backend" },
    notBeforeMs: Date.now() - DAY_MS,
    notAfterMs: Date.now() + DAY_MS,
    use: "server",
    names: ["store.default.svc"],
  });
  ca = Buffer.from(certificatePem).toString("base64");
  backend = createServer({ cert: certificatePem, key: keyPem }, (request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const url = request.url ?? "";
      seen.push({
        url,
        method: request.method ?? "",
        headers: request.headers,
        body: Buffer.concat(pieces).toString(),
      });
      response.setHeader("content-type", "application/json");
      if (url === "/apis/shop.example.test/v1") response.end(JSON.stringify(RESOURCES));
      else if (url.includes("redirect")) response.writeHead(302, { location: "https://127.0.0.1:1/" }).end();
      else response.end(JSON.stringify({ kind: "Order", apiVersion: "shop.example.test/v1", said: url }));
    });
  });
  await new Promise<void>((resolve) => backend.listen(0, "127.0.0.1", resolve));
  port = (backend.address() as AddressInfo).port;
  server = await startTestServer();
  await server.call("POST", "/api/v1/namespaces/default/services", {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "store" },
    spec: { type: "ExternalName", externalName: "127.0.0.1", ports: [{ port }] },
  });
});
afterAll(async () => {
  await server.close();
  backend.closeAllConnections();
  await new Promise((resolve) => backend.close(resolve));
});

const RESOURCES = {
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion: "shop.example.test/v1",
  resources: [
    {
      name: "orders",
      singularName: "order",
      namespaced: true,
      kind: "Order",
      verbs: ["get", "list"],
      shortNames: ["o"],
    },
    { name: "orders/status", singularName: "", namespaced: true, kind: "Order", verbs: ["get"] },
  ],
};

const apiService = (group: string, service: LooseJson, more: LooseJson = {}) => ({
  apiVersion: "apiregistration.k8s.io/v1",
  kind: "APIService",
  metadata: { name: `v1.${group}` },
  spec: { group, version: "v1", groupPriorityMinimum: 100, versionPriority: 10, service, ...more },
});

async function condition(name: string): Promise<LooseJson> {
  const { json } = await server.call("GET", `${APIS}/${name}`);
  return json.status.conditions?.[0];
}

describe("aggregation", () => {
  it("registers what this server serves itself", async () => {
    const { json } = await server.call("GET", APIS);
    const apps = json.items.find((item: LooseJson) => item.metadata.name === "v1.apps");
    expect(apps.spec).toEqual({ group: "apps", version: "v1", groupPriorityMinimum: 17800, versionPriority: 15 });
    expect(apps.status.conditions[0]).toMatchObject({ type: "Available", status: "True", reason: "Local" });
    expect(json.items.map((item: LooseJson) => item.metadata.name)).toContain("v1.");
  });

  it("says why a server cannot be reached, and answers 503 for it", async () => {
    await server.call("POST", APIS, apiService("none.example.test", { namespace: "default", name: "none", port: 443 }));
    await vi.waitFor(async () =>
      expect(await condition("v1.none.example.test")).toMatchObject({
        status: "False",
        reason: "ServiceNotFound",
        message: 'service/none in "default" is not present',
      }),
    );
    const raw = await server.call("GET", "/apis/none.example.test/v1/things").catch((error: Error) => error);
    expect(raw).toBeInstanceOf(SyntaxError);
  });

  it("carries requests with who asks, and no credentials", async () => {
    await server.call(
      "POST",
      APIS,
      apiService("shop.example.test", { namespace: "default", name: "store", port }, { caBundle: ca }),
    );
    await vi.waitFor(async () =>
      expect(await condition("v1.shop.example.test")).toMatchObject({ status: "True", reason: "Passed" }),
    );
    const user = { name: "ann", groups: ["staff", "buyers"], extra: { "example.test/Team": ["x"] } };
    const answer = await server.call(
      "POST",
      "/apis/shop.example.test/v1/namespaces/a/orders?dryRun=All",
      { n: 1 },
      user,
    );
    expect(answer.json.said).toBe("/apis/shop.example.test/v1/namespaces/a/orders?dryRun=All");
    const { headers, body, method } = seen.at(-1)!;
    expect([method, body]).toEqual(["POST", '{"n":1}']);
    expect(headers).toMatchObject({
      "x-remote-user": "ann",
      "x-remote-group": "staff, buyers",
      "x-remote-extra-example.test%2fteam": "x",
      host: `store.default.svc:${port}`,
    });
    expect(headers.authorization).toBeUndefined();
  });

  it("shows the groups of others in discovery", async () => {
    const { json } = await server.call("GET", "/apis");
    expect(json.groups.at(-1).name).toMatch(/example.test$/);
    expect((await server.call("GET", "/apis/shop.example.test")).json.preferredVersion.version).toBe("v1");
    expect((await server.call("GET", "/apis/shop.example.test/v1")).json.resources[0].name).toBe("orders");
  });

  it("does not follow redirects", async () => {
    const answer = await server.call("GET", "/apis/shop.example.test/v1/redirect");
    expect([answer.status, answer.json.reason]).toEqual([503, "ServiceUnavailable"]);
  });

  it.each([
    [apiService("a.example.test", null, { caBundle: "YQ==" }), "spec.caBundle"],
    [apiService("a.example.test", { namespace: "", name: "x", port: 1 }), "spec.service.namespace"],
    [apiService("a.example.test", null, { groupPriorityMinimum: 0 }), "spec.groupPriorityMinimum"],
  ])("refuses a registration with a wrong %#", async (body, field) => {
    const answer = await server.call("POST", APIS, body);
    expect(answer.status).toBe(422);
    expect(answer.json.details.causes.map((cause: LooseJson) => cause.field)).toContain(field);
  });
});
