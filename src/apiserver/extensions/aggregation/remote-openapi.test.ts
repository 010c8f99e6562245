// What servers behind publish of their APIs, in the documents of this one.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ServerInProcess } from "../../server.testing.ts";
import {
  APIS,
  type Backend,
  type BackendHandler,
  echo,
  eventually,
  GROUP,
  type LooseJson,
  registerStore,
  type Seen,
  startAggregator,
  startBackend,
} from "./aggregation.testing.ts";

const NAME = `apis/${GROUP}/v1`;
const KIND = { group: GROUP, version: "v1", kind: "Order" };
const ORDER = "test.example.Order";
const META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const V2_PROTOBUF = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

const swagger = (description: string): LooseJson => ({
  swagger: "2.0",
  info: { title: "shop", version: "1" },
  paths: {
    [`/apis/${GROUP}/v1/orders`]: {
      get: {
        produces: ["application/json"],
        responses: { 200: { description: "OK", schema: { $ref: `#/definitions/${ORDER}` } } },
      },
    },
    "/apis/apps/v1/evil": { get: { responses: { 200: { schema: { $ref: "#/definitions/test.Evil" } } } } },
  },
  definitions: {
    [ORDER]: {
      description,
      type: "object",
      properties: { metadata: { $ref: `#/definitions/${META}` } },
      "x-kubernetes-group-version-kind": [KIND],
    },
    [META]: { description: "theirs", type: "object" },
    "test.Evil": { type: "object" },
  },
});

let server: ServerInProcess;
let backend: Backend;
const asked: Seen[] = [];

beforeAll(async () => {
  [backend, server] = await Promise.all([startBackend(), startAggregator()]);
  serve({ "/openapi/v2": swagger("first") });
  await registerStore(server, backend);
});
afterAll(async () => {
  await server.close();
  await backend.close();
});

const call = async (url: string, headers?: Record<string, string>) =>
  (await server.call("GET", url, undefined, headers)) as LooseJson;

/** Documents by path; texts are sent as they are, everything else as JSON. */
function serve(documents: LooseJson, etag?: string): void {
  backend.handle = ((seen, response, request) => {
    const path = seen.url.split("?")[0]!;
    if (!path.startsWith("/openapi")) return echo(seen, response, request);
    asked.push(seen);
    if (etag !== undefined && seen.headers["if-none-match"] === etag) return void response.writeHead(304).end();
    const document = documents[path];
    if (document === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": "application/json", ...(etag === undefined ? {} : { etag }) });
    response.end(typeof document === "string" ? document : JSON.stringify(document));
  }) satisfies BackendHandler;
}

/** Has the documents read again, by a change of the registration. */
let priority = 100;
async function readAgain(): Promise<void> {
  asked.length = 0;
  priority += 1;
  const patch = { spec: { groupPriorityMinimum: priority } };
  await server.call("PATCH", `${APIS}/v1.${GROUP}`, patch, { "content-type": "application/merge-patch+json" });
  await eventually(() => expect(asked.map(({ url }) => url)).toContain("/openapi/v3"));
}

describe("version 2", () => {
  it("has the paths of the group and version, with definitions of their own", async () => {
    await eventually(async () => expect((await call("/openapi/v2")).json.definitions[ORDER]).toBeDefined());
    const { paths, definitions } = (await call("/openapi/v2")).json;
    expect(paths[`/apis/${GROUP}/v1/orders`].get.responses[200].schema.$ref).toBe(`#/definitions/${ORDER}`);
    expect(definitions[ORDER].properties.metadata.$ref).toBe(`#/definitions/${META}_v2`);
    expect(definitions[`${META}_v2`]).toEqual({ description: "theirs", type: "object" });
    expect(definitions[META].properties.name).toBeDefined();
  });

  it("has nothing beyond the group and version", async () => {
    const { paths, definitions } = (await call("/openapi/v2")).json;
    expect(paths["/apis/apps/v1/evil"]).toBeUndefined();
    expect(definitions["test.Evil"]).toBeUndefined();
  });

  it("is the same in protobuf, and has another ETag than without them", async () => {
    const { headers } = await call("/openapi/v2");
    const answer = await call("/openapi/v2", { accept: V2_PROTOBUF });
    expect(Buffer.from(answer.body).includes(`${META}_v2`)).toBe(true);
    const alone = await startAggregator();
    expect((await alone.call("GET", "/openapi/v2")).headers["etag"]).not.toBe(headers.etag);
    await alone.close();
  });

  it("is read anew when it changes, and asked for by its ETag", async () => {
    serve({ "/openapi/v2": swagger("second") }, '"tag"');
    await readAgain();
    expect((await call("/openapi/v2")).json.definitions[ORDER].description).toBe("second");
    const { headers } = await call("/openapi/v2");
    await readAgain();
    expect(asked[0]!.headers).toMatchObject({ "if-none-match": '"tag"', "x-remote-user": "system:aggregator" });
    expect((await call("/openapi/v2")).headers.etag).toBe(headers.etag);
  });

  it.each([
    ["no JSON", "<html>"],
    ["no object", "[]"],
    ["deep", "[".repeat(100_000)],
  ])("stays as it was while the server sends %s", async (_what, text) => {
    serve({ "/openapi/v2": text, "/openapi/v3": { paths: {} } });
    asked.length = 0;
    priority += 1;
    const patch = { spec: { groupPriorityMinimum: priority } };
    await server.call("PATCH", `${APIS}/v1.${GROUP}`, patch, { "content-type": "application/merge-patch+json" });
    await eventually(() => expect(asked.length).toBeGreaterThan(0));
    expect((await call("/openapi/v2")).json.definitions[ORDER].description).toBe("second");
  });
});

describe("version 3", () => {
  const index = async () => (await call("/openapi/v3")).json.paths;

  it("is made of version 2 where the server has no other", async () => {
    serve({ "/openapi/v2": swagger("third") });
    await readAgain();
    await eventually(async () => expect((await index())[NAME].serverRelativeURL).toMatch(/\?hash=[0-9A-F]{128}$/));
    const answer = await call((await index())[NAME].serverRelativeURL);
    expect(answer.headers["cache-control"]).toBe("public, immutable");
    expect(answer.json.openapi).toBe("3.0.0");
    expect(answer.json.components.schemas[ORDER].properties.metadata.$ref).toBe(`#/components/schemas/${META}`);
  });

  it("is the server's own, with its hash, but never in place of ours nor at another address", async () => {
    serve({
      "/openapi/v3": {
        paths: {
          [NAME]: { serverRelativeURL: `/openapi/v3/${NAME}?hash=ABC` },
          "apis/apps/v1": { serverRelativeURL: "/openapi/v3/apis/apps/v1?hash=EVIL" },
          "apis/evil": { serverRelativeURL: "https://evil.test/?hash=X" },
          "../up": { serverRelativeURL: "/" },
        },
      },
      [`/openapi/v3/${NAME}`]: { openapi: "3.0.0", theirs: true },
    });
    await readAgain();
    await eventually(async () =>
      expect((await index())[NAME]).toEqual({ serverRelativeURL: `/openapi/v3/${NAME}?hash=ABC` }),
    );
    const all = await index();
    expect(all["apis/apps/v1"].serverRelativeURL).not.toContain("EVIL");
    expect(all["apis/evil"]).toEqual({ serverRelativeURL: "/openapi/v3/apis/evil?hash=X" });
    expect(all["../up"]).toBeUndefined();
    expect((await call(`/openapi/v3/${NAME}?hash=ABC`)).json).toEqual({ openapi: "3.0.0", theirs: true });
    expect(asked.at(-1)!.headers["x-remote-user"]).toBe("admin");
    expect((await call("/openapi/v3/apis/nobody/v1")).status).toBe(404);
  });

  it("is gone with the registration", async () => {
    await server.call("DELETE", `${APIS}/v1.${GROUP}`);
    await eventually(async () => expect((await index())[NAME]).toBeUndefined());
    expect((await call("/openapi/v2")).json.definitions[ORDER]).toBeUndefined();
  });
});
