// An API server behind the real one, as clients see it: its kind is like any other, and it knows who asks.

import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { request as send } from "node:https";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type ExtensionServer, GROUP, startExtensionServer } from "./extension-server.testing.ts";
import { findKubectl } from "./find-kubectl.ts";
import { ADMIN_TOKEN, startTestServer, type TestServer } from "./running-server.testing.ts";

/** The first version whose `explain` reads version 3 of OpenAPI. */
const MIN_MINOR = 27;
const BASE = `/apis/${GROUP}/v1`;
const TRUST = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
const API_SERVICE = "/apis/apiregistration.k8s.io/v1/apiservices";

let server: TestServer;
let extension: ExtensionServer;

beforeAll(async () => {
  server = await startTestServer();
  const trust = (await get(TRUST)).json["data"] as Record<string, string>;
  extension = await startExtensionServer("extension.default.svc", trust);
  const { port, caBundle } = extension;
  await call("POST", "/api/v1/namespaces/default/services", {
    metadata: { name: "extension" },
    spec: { type: "ExternalName", externalName: "127.0.0.1", ports: [{ port }] },
  });
  await call("POST", API_SERVICE, {
    metadata: { name: `v1.${GROUP}` },
    spec: {
      group: GROUP,
      version: "v1",
      groupPriorityMinimum: 100,
      versionPriority: 10,
      service: { namespace: "default", name: "extension", port },
      caBundle,
    },
  });
  await vi.waitFor(async () => expect((await get(`${BASE}/whoami`)).status).toBe(200), { timeout: 10_000 });
  const indexed = async () => Object.keys((await get("/openapi/v3")).json["paths"] as object);
  await vi.waitFor(async () => expect(await indexed()).toContain(BASE.slice(1)), { timeout: 10_000 });
});
afterAll(async () => {
  await server?.stop();
  await extension?.close();
});

interface Answer {
  readonly status: number;
  readonly json: Record<string, unknown>;
}

const get = (path: string, headers: Record<string, string> = {}) => call("GET", path, undefined, headers);

function call(method: string, path: string, body?: object, more: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json", ...more };
    const sent = send(server.url + path, { method, headers, rejectUnauthorized: false }, (answer) => {
      const pieces: Buffer[] = [];
      answer.on("data", (piece: Buffer) => pieces.push(piece));
      answer.on("end", () => {
        const text = Buffer.concat(pieces).toString("utf8");
        const isJson = String(answer.headers["content-type"]).includes("json");
        resolve({ status: answer.statusCode ?? 0, json: isJson ? JSON.parse(text) : { text } });
      });
    });
    sent.once("error", reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}

describe("a server behind", () => {
  it("believes who asks, because of the certificate that it is shown", async () => {
    const { json } = await get(`${BASE}/whoami`, {
      "impersonate-user": "ann",
      "impersonate-group": "system:masters",
      "impersonate-extra-example.test%2fteam": "x",
      "x-remote-user": "root",
    });
    expect(json).toEqual({
      name: "ann",
      groups: ["system:masters", "system:authenticated"],
      extra: { "example.test/team": "x" },
    });
  });

  it("is asked only for what the caller may do", async () => {
    expect((await get(`${BASE}/namespaces/default/orders`, { "impersonate-user": "bob" })).status).toBe(403);
    expect((await get(`${BASE}/namespaces/default/orders`)).json["kind"]).toBe("OrderList");
  });

  it("has its group in discovery and its kind in both versions of OpenAPI", async () => {
    const { groups } = (await get("/apis")).json as { groups: { name: string }[] };
    expect(groups.map(({ name }) => name)).toContain(GROUP);
    const { paths } = (await get("/openapi/v3")).json as { paths: Record<string, { serverRelativeURL: string }> };
    expect(paths[BASE.slice(1)]!.serverRelativeURL).toBe(`/openapi/v3${BASE}?hash=1234`);
    const { components } = (await get(`/openapi/v3${BASE}?hash=1234`)).json as { components: { schemas: object } };
    expect(Object.keys(components.schemas)).toContain("test.example.v1.Order");
    const { definitions } = (await get("/openapi/v2")).json as { definitions: object };
    expect(Object.keys(definitions)).toContain("test.example.v1.OrderSpec");
  });

  it("does not answer who comes without the proxy", async () => {
    const status = await new Promise((resolve, reject) => {
      const headers = { "x-remote-user": "root" };
      const url = `https://127.0.0.1:${extension.port}${BASE}/whoami`;
      send(url, { headers, rejectUnauthorized: false, agent: false }, (answer) => resolve(answer.resume().statusCode))
        .once("error", reject)
        .end();
    });
    expect(status).toBe(401);
  });
});

const kubectl = findKubectl(MIN_MINOR);
const title = "kubectl and a server behind";

describe.skipIf(kubectl === undefined)(
  kubectl === undefined ? `${title} (skipped: there is no kubectl of 1.${MIN_MINOR} or later)` : title,
  () => {
    beforeAll(() => writeFileSync(join(server.dir, "config"), server.kubeConfig.exportConfig()));

    const run = (...args: readonly string[]): Promise<string> =>
      new Promise((resolve, reject) => {
        const env = { PATH: process.env["PATH"], HOME: server.dir, KUBECONFIG: join(server.dir, "config") };
        const child = execFile(kubectl?.path ?? "kubectl", args, { env, cwd: server.dir }, (error, out, err) =>
          error === null ? resolve(out) : reject(new Error(err)),
        );
        child.stdin?.end();
      });

    it("get --raw", async () => expect(JSON.parse(await run("get", "--raw", `${BASE}/whoami`)).name).toBe("admin"));

    it("api-resources and api-versions", async () => {
      expect(await run("api-resources", `--api-group=${GROUP}`)).toMatch(
        /^orders +od +shop\.example\.test\/v1 +true +Order$/m,
      );
      expect(await run("api-versions")).toContain(`${GROUP}/v1\n`);
    });

    it("get, by name, short name and in a list", async () => {
      expect(await run("get", "orders", "-o", "name")).toBe(`order.${GROUP}/first\norder.${GROUP}/second\n`);
      expect(await run("get", "od", "first", "-o", "jsonpath={.spec.amount}")).toBe("3");
      expect(await run("get", "orders")).toMatch(/^NAME +AGE\nfirst /);
    });

    it("explain", async () => {
      const text = await run("explain", "orders.spec");
      expect(text).toMatch(/GROUP: +shop\.example\.test\nKIND: +Order\nVERSION: +v1/);
      expect(text).toMatch(/amount\t<integer> -required-\n +How many of it\./);
    });

    it("get apiservice", async () => {
      expect(await run("get", "apiservice", `v1.${GROUP}`)).toMatch(/default\/extension +True /);
    });
  },
);

it("is gone at once when it is not registered any more", async () => {
  await call("DELETE", `${API_SERVICE}/v1.${GROUP}`);
  expect((await get(`${BASE}/whoami`)).status).toBe(404);
  const { paths } = (await get("/openapi/v3")).json as { paths: object };
  expect(Object.keys(paths)).not.toContain(BASE.slice(1));
});
