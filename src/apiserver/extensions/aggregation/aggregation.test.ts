// A server behind this one, over real TLS on loopback: discovery, what it is told about users, and what happens without it.

import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { callInProcess, collector } from "../../../http/in-process.testing.ts";
import { inProcessRequest } from "../../../http/in-process.ts";
import type { StreamBody } from "../../../http/message.ts";
import type { ServerInProcess } from "../../server.testing.ts";
import {
  APIS,
  apiService,
  type Backend,
  echo,
  eventually,
  GROUP,
  type LooseJson,
  registerStore,
  startAggregator,
  startBackend,
} from "./aggregation.testing.ts";

let server: ServerInProcess;
let backend: Backend;
const BASE = `/apis/${GROUP}/v1`;
const DISCOVERY = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

beforeAll(async () => {
  [backend, server] = await Promise.all([startBackend(), startAggregator()]);
  await registerStore(server, backend);
});
afterAll(async () => {
  await server.close();
  await backend.close();
});
beforeEach(() => {
  backend.handle = echo;
  backend.seen.length = 0;
});

const call = async (method: string, url: string, body?: unknown, headers?: Record<string, string>) =>
  (await server.call(method, url, body, headers)) as LooseJson;

describe("registrations", () => {
  it("stand for what this server serves itself, except their own group", async () => {
    // They are registered at the start, and judged a little later.
    const items = await vi.waitFor(async () => {
      const found: LooseJson[] = (await call("GET", APIS)).json.items;
      expect(found.every(({ status }) => status.conditions?.length > 0)).toBe(true);
      return found;
    });
    const apps = items.find((item) => item.metadata.name === "v1.apps")!;
    expect(apps.spec).toEqual({ group: "apps", version: "v1", groupPriorityMinimum: 17800, versionPriority: 15 });
    expect(apps.status.conditions[0]).toMatchObject({ type: "Available", status: "True", reason: "Local" });
    const names = items.map((item) => item.metadata.name);
    expect(names).toContain("v1.");
    expect(names).not.toContain("v1.apiregistration.k8s.io");
  });

  it.each([
    [apiService("a.example.test", null, { caBundle: "YQ==" }), "spec.caBundle"],
    [apiService("a.example.test", { namespace: "", name: "x", port: 1 }), "spec.service.namespace"],
    [apiService("a.example.test", null, { groupPriorityMinimum: 0 }), "spec.groupPriorityMinimum"],
  ])("are refused with a wrong %#", async (body, field) => {
    const answer = await call("POST", APIS, body);
    expect(answer.status).toBe(422);
    expect(answer.json.details.causes.map((cause: LooseJson) => cause.field)).toContain(field);
  });
});

describe("a request to a server behind", () => {
  it("says who asks, and carries no credentials", async () => {
    const user = { name: "ann", groups: ["staff", "buyers"], extra: { "example.test/Team": ["x"] } };
    const answer = await call(
      "POST",
      `${BASE}/namespaces/a/orders?dryRun=All`,
      { n: 1 },
      {
        "x-test-user": JSON.stringify(user),
        authorization: "Bearer secret",
        cookie: "a=b",
        "x-remote-user": "root",
        "x-remote-extra-other": "x",
        "x-forwarded-for": "9.9.9.9",
      },
    );
    expect(answer.json.said).toBe(`${BASE}/namespaces/a/orders?dryRun=All`);
    const { headers, body, method } = backend.seen.at(-1)!;
    expect([method, body]).toEqual(["POST", '{"n":1}']);
    expect(headers).toMatchObject({
      "x-remote-user": "ann",
      "x-remote-group": "staff, buyers",
      "x-remote-extra-example.test%2fteam": "x",
      host: `127.0.0.1:${backend.port}`,
      "x-forwarded-for": "9.9.9.9, 127.0.0.1",
      "x-forwarded-host": `127.0.0.1:${backend.port}`,
      "x-forwarded-proto": "https",
      "x-forwarded-uri": `${BASE}/namespaces/a/orders`,
    });
    expect(headers["audit-id"]).toMatch(/^[0-9a-f-]{36}$/);
    for (const name of ["authorization", "cookie", "x-remote-extra-other"]) expect(headers[name]).toBeUndefined();
  });

  it.each([
    { name: "admin ", groups: [] },
    { name: "\tadmin", groups: [] },
    { name: "ann", groups: ["staff", "system:masters "] },
    { name: "ann", groups: [" system:masters"] },
    { name: "ann\nx-remote-group: system:masters", groups: [] },
    { name: "ann", groups: [], uid: "1 " },
    { name: "ann", groups: [], extra: { team: ["x", "y "] } },
  ])("is not made for whom headers would make somebody else: %j", async (user) => {
    const answer = await call("GET", `${BASE}/orders`, undefined, { "x-test-user": JSON.stringify(user) });
    expect([answer.status, backend.seen]).toEqual([403, []]);
  });

  it("brings its answer back whole, without what only this server may say", async () => {
    backend.handle = (_seen, response) =>
      response.writeHead(418, { "x-own": "1", "access-control-allow-origin": "*" }).end("x".repeat(100_000));
    const answer = await call("GET", `${BASE}/big`);
    expect([answer.status, answer.body.length, answer.headers["x-own"]]).toEqual([418, 100_000, "1"]);
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
  });

  it("brings the answer piece by piece, as it comes", async () => {
    let more: (() => void) | undefined;
    backend.handle = (seen, response) => {
      // Others ask for documents meanwhile.
      if (seen.url !== `${BASE}/watch`) return void response.end();
      response.write("first");
      more = () => response.end("second");
    };
    const response = await server.handler(inProcessRequest({ method: "GET", url: `${BASE}/watch` }));
    const pieces: string[] = [];
    const writer = collector(new AbortController().signal, (piece) => {
      pieces.push(Buffer.from(piece).toString());
      more?.();
    });
    await (response.body as StreamBody).stream(writer);
    expect(pieces).toEqual(["first", "second"]);
  });

  it("is not redirected", async () => {
    backend.handle = (_seen, response) => response.writeHead(302, { location: "https://127.0.0.1:1/" }).end();
    const answer = await call("GET", `${BASE}/orders`);
    expect([answer.status, answer.headers.location, answer.text]).toEqual([
      502,
      undefined,
      "the backend attempted to redirect this request, which is not permitted",
    ]);
  });

  it("is answered with 503 when the connection fails", async () => {
    backend.handle = (_seen, _response, request) => request.socket.destroy();
    const answer = await call("GET", `${BASE}/orders`);
    expect(answer.status).toBe(503);
    expect(answer.text).toBe("error trying to reach service: EOF\n");
  });

  it("ends when the client goes away", async () => {
    const gone = new AbortController();
    const closed = new Promise<void>((resolve) => {
      backend.handle = (_seen, response) => {
        response.once("close", () => resolve());
        response.write("first");
        gone.abort();
      };
    });
    const asked = callInProcess(server.handler, { method: "GET", url: `${BASE}/watch`, controller: gone });
    await Promise.all([asked.catch(() => undefined), closed]);
  });

  it("is not trusted to a server with another certificate, though that can be reached", async () => {
    const other = await startBackend(["other.default.svc"]);
    try {
      const body = {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "liar" },
        spec: { type: "ExternalName", externalName: "127.0.0.1", ports: [{ port: other.port }] },
      };
      await call("POST", "/api/v1/namespaces/default/services", body);
      const service = { namespace: "default", name: "liar", port: other.port };
      await call("POST", APIS, apiService("liar.example.test", service, { caBundle: other.caBundle }));
      await eventually(async () =>
        expect((await call("GET", "/apis/liar.example.test/v1/x")).text).toBe(
          "error trying to reach service: tls: failed to verify certificate: x509: certificate is valid for other.default.svc, not liar.default.svc\n",
        ),
      );
      await call("DELETE", `${APIS}/v1.liar.example.test`);
      expect((await call("GET", "/apis/liar.example.test/v1/x")).status).toBe(404);
    } finally {
      await other.close();
    }
  });
});

describe("discovery", () => {
  it("shows the groups of others in the order of their priorities", async () => {
    const names = async () => (await call("GET", "/apis")).json.groups.map(({ name }: LooseJson) => name);
    expect((await names())[0]).toBe("apiregistration.k8s.io");
    expect((await names()).at(-1)).toBe(GROUP);
    const patch = { spec: { groupPriorityMinimum: 17_799 } };
    await call("PATCH", `${APIS}/v1.${GROUP}`, patch, { "content-type": "application/merge-patch+json" });
    await eventually(async () => {
      const all = await names();
      expect(all[all.indexOf("apps") + 1]).toBe(GROUP);
    });
  });

  it("shows the versions and resources of others", async () => {
    expect((await call("GET", `/apis/${GROUP}`)).json.preferredVersion.version).toBe("v1");
    expect((await call("GET", BASE)).json.resources[0].name).toBe("orders");
    await eventually(async () => {
      const { items } = (await call("GET", "/apis", undefined, { accept: DISCOVERY })).json;
      const shop = items.find(({ metadata }: LooseJson) => metadata.name === GROUP);
      expect(shop.versions).toEqual([
        {
          version: "v1",
          freshness: "Current",
          resources: [
            expect.objectContaining({
              resource: "orders",
              scope: "Namespaced",
              shortNames: ["o"],
              responseKind: { group: "", version: "", kind: "Order" },
              subresources: [expect.objectContaining({ subresource: "status" })],
            }),
          ],
        },
      ]);
    });
  });
});
