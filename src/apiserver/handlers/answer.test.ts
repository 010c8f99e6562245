// Objects and lists as answers: the same in every way in which they can be sent.
// Requirements: document 1, "Media types", "Request and response headers", "Collections".

import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { asSlowWork } from "../../base/steps.testing.ts";
import type { Output } from "../../codec/negotiate.ts";
import type { CacheItem } from "../../registry/items.ts";
import type { ListedObjects } from "../../registry/list-objects.ts";
import type { ResourceRequest } from "../../registry/resource-request.ts";
import { type ServerInProcess, serverInProcess } from "../server.testing.ts";
import { answerItem, answerList } from "./answer.ts";
import type { HandlerContext } from "./handler-context.ts";

const PATH = "/api/v1/namespaces/default/configmaps";
const TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1";
const LARGE = "x".repeat(200 * 1024);

let server: ServerInProcess;
beforeAll(async () => {
  server = await serverInProcess();
  const create = (name: string, value: string, namespace = "default") =>
    server.call("POST", PATH.replace("default", namespace), { metadata: { name }, data: { value } });
  await create("small", "x");
  await create("large", LARGE);
  for (let at = 0; at < 150; at += 1) await create(`c${at}`, "x", "kube-public");
});
afterAll(() => server.close());

const get = (path: string, headers: Record<string, string> = {}) => server.call("GET", path, undefined, headers);

it("lets others have their turn between large objects that are decoded", async () => {
  const namespace = "kube-node-lease";
  for (const name of ["a", "b", "c"]) {
    await server.call("POST", PATH.replace("default", namespace), {
      metadata: { name },
      data: { value: LARGE, more: LARGE },
    });
  }
  let turns = 0;
  let over = false;
  const count = () => {
    turns += 1;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  const answer = await get(PATH.replace("default", namespace), { accept: "application/yaml" });
  over = true;
  expect(answer.status).toBe(200);
  expect(turns).toBeGreaterThan(2);
});

it.each(["object", "list"])("lets others have their turn where a webhook has made much of little: %s", async (what) => {
  const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, "v"]));
  const object = { kind: "Foo", apiVersion: "example.com/v1", metadata: { name: "a" } };
  const item = {
    key: "/a",
    revision: 7,
    bytes: Buffer.from(JSON.stringify(object)),
    fields: {},
  } as unknown as CacheItem;
  let turns = 0;
  const goOn = () => {
    turns += 1;
  };
  const request = { goOn, headers: { first: () => undefined }, query: new URLSearchParams() };
  const resource = {
    kind: { kind: "Foo", version: "v1", schema: {} },
    convertsByWebhook: true,
    fromStored: async (objects: readonly object[]) => objects.map((each) => ({ ...each, data })),
  };
  const resourceRequest = { resource, request, target: {} } as unknown as ResourceRequest;
  const output: Output = { mediaType: "json", stream: false, pretty: false };
  const context = {} as HandlerContext;
  await asSlowWork(6, async () => {
    if (what === "object") await answerItem(context, resourceRequest, output, item, 200);
    else await answerList(context, resourceRequest, output, { items: [item], revision: 7 } as unknown as ListedObjects);
  });
  expect(turns).toBeGreaterThan(5);
});

describe("one object", () => {
  it.each(["small", "large"])("is the same whether its bytes go out as they are or are made anew: %s", async (name) => {
    const plain = await get(`${PATH}/${name}`);
    const pretty = await get(`${PATH}/${name}?pretty=true`);
    expect(plain.text.endsWith("}\n")).toBe(true);
    expect(pretty.text.split("\n").length).toBeGreaterThan(5);
    expect(pretty.json).toEqual(plain.json);
    expect(plain.headers["content-type"]).toBe("application/json");
  });

  it.each<[accept: string, contentType: string]>([
    ["application/yaml", "application/yaml"],
    ["application/vnd.kubernetes.protobuf", "application/vnd.kubernetes.protobuf"],
    ["text/csv, application/json;q=0.5", "application/json"],
    ["*/*", "application/json"],
  ])("asked for as %s is %s", async (accept, contentType) => {
    const { status, headers, body } = await get(`${PATH}/large`, { accept });
    expect([status, headers["content-type"]]).toEqual([200, contentType]);
    expect(Buffer.from(body).includes(LARGE)).toBe(true);
  });

  it.each([
    ["application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", `${PATH}/small`],
    ["application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", PATH],
    ["text/csv", PATH],
  ])("asked for as %s at %s is 406", async (accept, path) => {
    expect((await get(path, { accept })).status).toBe(406);
  });
});

describe("compression", () => {
  it.each<[what: string, method: string, path: string, headers: Record<string, string>, gzip: boolean]>([
    ["a large object", "GET", `${PATH}/large`, { "accept-encoding": "gzip" }, true],
    ["a large list", "GET", PATH, { "accept-encoding": "deflate, gzip" }, true],
    [
      "a large answer that is encoded whole",
      "GET",
      `${PATH}/large`,
      { "accept-encoding": "gzip", accept: "application/yaml" },
      true,
    ],
    ["a small object", "GET", `${PATH}/small`, { "accept-encoding": "gzip" }, false],
    ["a client that does not ask", "GET", `${PATH}/large`, {}, false],
    ["a client that refuses", "GET", `${PATH}/large`, { "accept-encoding": "gzip;q=0" }, false],
    ["a write", "PATCH", `${PATH}/large`, { "accept-encoding": "gzip" }, false],
  ])("of %s", async (_, method, path, headers, gzip) => {
    const answer = await server.call(method, path, method === "PATCH" ? {} : undefined, headers);
    expect(answer.headers["content-encoding"]).toBe(gzip ? "gzip" : undefined);
    if (!gzip) return;
    const plain = await server.call(method, path, undefined, { ...headers, "accept-encoding": "" });
    expect(gunzipSync(answer.body).equals(Buffer.from(plain.body))).toBe(true);
    expect(answer.headers["vary"]).toBe("Accept-Encoding");
  });
});

describe("a list", () => {
  const LIST = PATH.replace("default", "kube-public");

  it("sent piece by piece is the list that is sent whole", async () => {
    const { json: pieces } = await get(PATH);
    const { json: whole } = await get(`${PATH}?pretty=true`);
    expect(pieces).toEqual(whole);
    expect(pieces.kind).toBe("ConfigMapList");
    expect(pieces.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toContain("large");
  });

  it("as a long Table is the Table that is made at once", async () => {
    const long = await get(LIST, { accept: TABLE });
    const whole = await get(`${LIST}?pretty=true`, { accept: TABLE });
    expect(long.json.rows).toHaveLength((await get(LIST)).json.items.length);
    expect(long.json.rows.map(({ object }: { object: unknown }) => object)).toEqual(
      whole.json.rows.map(({ object }: { object: unknown }) => object),
    );
    expect(long.json.columnDefinitions).toEqual(whole.json.columnDefinitions);
    expect(long.json.metadata).toEqual(whole.json.metadata);
  });

  it("says at which version it was built, and what is left", async () => {
    const { json } = await get(`${LIST}?limit=2`);
    expect(json.metadata).toMatchObject({
      resourceVersion: expect.stringMatching(/^\d+$/),
      continue: expect.any(String),
    });
    const all = (await get(LIST)).json.items.length;
    expect(json.metadata.remainingItemCount).toBe(all - 2);
    const yaml = await get(`${LIST}?limit=2`, { accept: "application/yaml" });
    expect(yaml.text).toContain(`remainingItemCount: ${all - 2}`);
  });

  it("in another version than the stored one is of that version throughout", async () => {
    const of = (version: string) => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`;
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "d" };
    const spec = { maxReplicas: 3, scaleTargetRef, targetCPUUtilizationPercentage: 70 };
    expect((await server.call("POST", of("v1"), { metadata: { name: "h" }, spec })).status).toBe(201);
    const [one, two] = await Promise.all([get(of("v1")), get(of("v2"))]);
    expect([one.json.apiVersion, one.json.items[0].spec.targetCPUUtilizationPercentage]).toEqual([
      "autoscaling/v1",
      70,
    ]);
    expect([two.json.apiVersion, two.json.items[0].spec.metrics]).toEqual(["autoscaling/v2", [expect.anything()]]);
    expect((await get(`${of("v1")}/h`)).json).toMatchObject({ apiVersion: "autoscaling/v1", spec });
  });
});
