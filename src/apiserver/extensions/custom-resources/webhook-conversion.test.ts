// Conversion by webhooks: over real TLS, with webhooks that are right, slow, broken, or lie.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { WebhookClient } from "../../../client/callouts/webhook-client.ts";
import { bodyOf, startTlsServer, type TlsServer } from "../../../http/tls-server.testing.ts";
import { startTestServer, type TestServer, until } from "./server.testing.ts";

interface Review {
  apiVersion: string;
  kind: string;
  request: { uid: string; desiredAPIVersion: string; objects: Converted[] };
}
interface Converted {
  apiVersion: string;
  kind: string;
  metadata: Record<string, unknown>;
  spec?: Record<string, unknown>;
}

/** v1 has spec.host, v2 has spec.hosts. */
function convert(review: Review): unknown {
  return reviewed(review, (object, desired) => {
    const { host, hosts, ...rest } = (object.spec ?? {}) as { host?: string; hosts?: string[] };
    const spec = desired.endsWith("v2")
      ? { ...rest, hosts: host === undefined ? hosts : [host] }
      : { ...rest, host: hosts?.[0] ?? host };
    return { ...object, spec };
  });
}

function reviewed(review: Review, change: (object: Converted, desired: string) => Converted): unknown {
  const { uid, desiredAPIVersion, objects } = review.request;
  const convertedObjects = objects.map((object) => ({
    ...change(object, desiredAPIVersion),
    apiVersion: desiredAPIVersion,
  }));
  return {
    apiVersion: review.apiVersion,
    kind: review.kind,
    response: { uid, result: { status: "Success" }, convertedObjects },
  };
}

let webhook: TlsServer;
let address: string;
let caBundle: string;
let calls: Review[] = [];
let urls: (string | undefined)[] = [];
/** Answers that nobody waited for. */
let abandoned = 0;
/** Undefined: nothing is answered. */
let answer: (review: Review) => { status?: number; headers?: Record<string, string>; body: unknown } | undefined;

beforeAll(async () => {
  webhook = await startTlsServer((request, response) => {
    response.on("close", () => {
      if (!response.writableEnded) abandoned++;
    });
    void bodyOf(request).then((text) => {
      const review = JSON.parse(text) as Review;
      calls.push(review);
      urls.push(request.url);
      const made = answer(review);
      if (made === undefined) return;
      response.writeHead(made.status ?? 200, { "content-type": "application/json", ...made.headers });
      response.end(typeof made.body === "string" ? made.body : JSON.stringify(made.body));
    });
  });
  ({ caBundle } = webhook);
  address = `https://127.0.0.1:${webhook.port}/convert`;
});
afterAll(() => webhook.close());

const text = { type: "string" };
const schemaOf = (spec: Record<string, unknown>) => ({
  openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties: spec } } },
});
const V1 = "/apis/example.com/v1/namespaces/default/foos";
const V2 = V1.replace("v1", "v2");

describe("conversion by a webhook", () => {
  let test: TestServer;
  beforeEach(async () => {
    calls = [];
    urls = [];
    answer = (review) => ({ body: convert(review) });
    test = await startTestServer();
    await test.define({
      group: "example.com",
      names: { plural: "foos", kind: "Foo" },
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: { url: address, caBundle }, conversionReviewVersions: ["v1"] },
      },
      versions: [
        { name: "v1", served: true, storage: true, schema: schemaOf({ host: text }) },
        {
          name: "v2",
          served: true,
          storage: false,
          schema: schemaOf({ hosts: { type: "array", items: text }, extra: { ...text, default: "d" } }),
        },
      ],
    });
    await test.call("POST", V1, {
      apiVersion: "example.com/v1",
      kind: "Foo",
      metadata: { name: "a" },
      spec: { host: "h" },
    });
  });
  afterEach(() => test.close());

  it("serves every version, asking only for the one that is not stored", async () => {
    expect(calls).toHaveLength(0);
    const { json } = await test.call("GET", `${V2}/a`);
    expect(json).toMatchObject({ apiVersion: "example.com/v2", spec: { hosts: ["h"] } });
    expect(urls[0]).toBe("/convert?timeout=30s");
    expect(calls[0]).toMatchObject({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "ConversionReview",
      request: { desiredAPIVersion: "example.com/v2" },
    });
    const created = await test.call("POST", V2, {
      apiVersion: "example.com/v2",
      kind: "Foo",
      metadata: { name: "b" },
      spec: { hosts: ["x", "y"] },
    });
    // What the stored version cannot say is not there, and the answer does not pretend otherwise.
    expect(created.json.spec).toEqual({ hosts: ["x"] });
    expect((await test.call("GET", `${V1}/b`)).json.spec).toEqual({ host: "x" });
    expect((await test.call("GET", V2)).json.items.map((item: Converted) => item.spec?.["hosts"])).toEqual([
      ["h"],
      ["x"],
    ]);
    const patched = await test.merge(`${V2}/a`, { spec: { hosts: ["new"] } });
    expect(patched.json.spec.hosts).toEqual(["new"]);
    expect((await test.call("GET", `${V1}/a`)).json.spec).toEqual({ host: "new" });
  });

  describe("and those who manage fields in other versions", () => {
    const apply = (collection: string, manager: string, spec: unknown) =>
      test.call(
        "PATCH",
        `${collection}/b?fieldManager=${manager}`,
        {
          apiVersion: `example.com/${collection === V1 ? "v1" : "v2"}`,
          kind: "Foo",
          metadata: { name: "b", labels: { by: "one" } },
          spec,
        },
        { "content-type": "application/apply-patch+yaml" },
      );
    const managers = (json: { metadata: { managedFields: Record<string, unknown>[] } }) =>
      json.metadata.managedFields.map(({ manager, apiVersion, fieldsV1 }) => [manager, apiVersion, fieldsV1]);
    const ONE = ["one", "example.com/v1", { "f:metadata": { "f:labels": { "f:by": {} } }, "f:spec": { "f:host": {} } }];
    beforeEach(async () => {
      expect((await apply(V1, "one", { host: "h" })).status).toBe(201);
    });

    it("keeps them through writes in its version", async () => {
      const { json } = await test.merge(`${V2}/b?fieldManager=two`, { spec: { extra: "x" } });
      expect(managers(json)).toContainEqual(ONE);
      expect(managers(json)).toContainEqual(["two", "example.com/v2", { "f:spec": { "f:extra": {} } }]);
    });

    it("finds conflicts where the webhook says that the same thing changed", async () => {
      const { status, json } = await apply(V2, "two", { hosts: ["other"] });
      expect([status, json.message]).toEqual([409, 'Apply failed with 1 conflict: conflict with "one": .spec.host']);
    });

    it("leaves ownership alone while the webhook does not answer", async () => {
      await test.merge(`${V2}/b?fieldManager=two`, { metadata: { labels: { other: "x" } } });
      answer = () => ({ status: 500, body: "no" });
      const before = managers((await test.call("GET", `${V1}/b`)).json);
      const { status, json } = await test.merge(`${V1}/b`, { metadata: { labels: { third: "x" } } });
      expect([status, managers(json)]).toEqual([200, before]);
    });
  });

  it("streams events in the version that is watched, in order", async () => {
    let asked = 0;
    answer = (review) => {
      asked += 1;
      return { body: convert(review) };
    };
    const watching = test.call("GET", `${V2}?watch=1&timeoutSeconds=4`);
    // It has begun with what there was.
    await expect.poll(() => asked).toBe(1);
    for (const name of ["b", "c"])
      await test.call("POST", V1, {
        apiVersion: "example.com/v1",
        kind: "Foo",
        metadata: { name },
        spec: { host: name },
      });
    await test.call("DELETE", `${V1}/b`);
    const lines = String((await watching).json)
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ type, object }) => [type, object.metadata.name, object.apiVersion, object.spec.hosts])).toEqual(
      [
        ["ADDED", "a", "example.com/v2", ["h"]],
        ["ADDED", "b", "example.com/v2", ["b"]],
        ["ADDED", "c", "example.com/v2", ["c"]],
        ["DELETED", "b", "example.com/v2", ["b"]],
      ],
    );
  });

  it("is asked once for an event, however many watch", async () => {
    const after = (await test.call("GET", V1)).json.metadata.resourceVersion as string;
    const watches = Array.from({ length: 3 }, () =>
      test.call("GET", `${V2}?watch=1&timeoutSeconds=2&resourceVersion=${after}`),
    );
    for (const name of ["b", "c"])
      await test.call("POST", V1, {
        apiVersion: "example.com/v1",
        kind: "Foo",
        metadata: { name },
        spec: { host: name },
      });
    const texts = (await Promise.all(watches)).map(({ json }) => String(json));
    expect(texts).toEqual(texts.map(() => texts[0]));
    expect(texts[0]?.trim().split("\n")).toHaveLength(2);
    expect(calls.flatMap(({ request }) => request.objects.map(({ metadata }) => metadata["name"]))).toEqual(["b", "c"]);
  });

  it("selects by the fields of the version that is asked for, whatever is stored", async () => {
    // v1 has spec.place, v2 has spec.host and spec.port.
    answer = (review) => ({
      body: reviewed(review, (object, desired) => {
        const {
          place,
          host = place?.split(":")[0],
          port = place?.split(":")[1],
        } = (object.spec ?? {}) as {
          place?: string;
          host?: string;
          port?: string;
        };
        return { ...object, spec: desired.endsWith("v2") ? { host, port } : { place: place ?? `${host}:${port}` } };
      }),
    });
    const selectable = (...fields: string[]) => fields.map((field) => ({ jsonPath: `.spec.${field}` }));
    await test.define({
      group: "example.com",
      names: { plural: "places", kind: "Place" },
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: { url: address, caBundle }, conversionReviewVersions: ["v1"] },
      },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: schemaOf({ place: text }),
          selectableFields: selectable("place"),
        },
        {
          name: "v2",
          served: true,
          storage: false,
          schema: schemaOf({ host: text, port: text }),
          selectableFields: selectable("host", "port"),
        },
      ],
    });
    const [first, second] = [V1, V2].map((path) => path.replace("foos", "places"));
    const watching = test.call("GET", `${second}?watch=1&timeoutSeconds=4&fieldSelector=spec.host=h`);
    const put = (name: string, spec: object) =>
      test.call("POST", second!, { apiVersion: "example.com/v2", kind: "Place", metadata: { name }, spec });
    await put("a", { host: "h", port: "80" });
    await put("b", { host: "h", port: "81" });
    await put("c", { host: "i", port: "80" });
    const found = async (path: string) =>
      (await test.call("GET", path)).json.items.map(({ metadata }: Converted) => metadata["name"]);
    expect(await found(`${second}?fieldSelector=spec.host=h`)).toEqual(["a", "b"]);
    expect(await found(`${second}?fieldSelector=spec.host=h,spec.port!=80,metadata.namespace=default`)).toEqual(["b"]);
    expect(await found(`${second}?fieldSelector=spec.host=h,metadata.name=c`)).toEqual([]);
    expect(await found(`${first}?fieldSelector=spec.place=h:81`)).toEqual(["b"]);
    await test.merge(`${second}/b`, { spec: { host: "i" } });
    await test.merge(`${second}/c`, { spec: { host: "h" } });
    await test.call("DELETE", `${second}?fieldSelector=spec.port=80,spec.host=h`);
    expect(await found(second!)).toEqual(["b"]);
    const lines = String((await watching).json)
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ type, object }) => `${type} ${object.metadata.name} ${object.spec.host}`)).toEqual([
      "ADDED a h",
      "ADDED b h",
      "DELETED b h",
      "ADDED c h",
      "DELETED a h",
      "DELETED c h",
    ]);
  });

  const reply = (
    review: Review,
    change: (response: { convertedObjects: Converted[]; result: unknown; uid: string }) => void,
  ): { body: unknown } => {
    const made = convert(review) as { response: { convertedObjects: Converted[]; result: unknown; uid: string } };
    change(made.response);
    return { body: made };
  };
  const FOR = "conversion webhook for example.com/v1, Kind=Foo";
  it.each<[string, typeof answer, RegExp]>([
    [
      "an error",
      () => ({ status: 500, body: "no" }),
      /failed: an error on the server \("no"\) has prevented the request from succeeding/,
    ],
    ["no JSON", () => ({ body: "{" }), /failed: /],
    [
      "another kind",
      () => ({ body: { kind: "Pod", apiVersion: "v1" } }),
      /failed: expected webhook response of apiextensions.k8s.io\/v1, Kind=ConversionReview, got v1, Kind=Pod/,
    ],
    ["a kind that is no text", () => ({ body: { kind: {}, apiVersion: { toString: 1 } } }), /failed: .* got , Kind=$/],
    [
      "another uid",
      (review) =>
        reply(review, (response) => {
          response.uid = "x";
        }),
      /failed: expected response.uid=/,
    ],
    [
      "a refusal",
      (review) =>
        reply(review, (response) => {
          response.result = { status: "Failed", message: "cannot" };
        }),
      /failed: cannot/,
    ],
    [
      "too few objects",
      (review) =>
        reply(review, (response) => {
          response.convertedObjects = [];
        }),
      /returned 0 objects, expected 1/,
    ],
    [
      "another version",
      (review) =>
        reply(review, (response) => {
          response.convertedObjects[0]!.apiVersion = "example.com/v9";
        }),
      /invalid converted object at index 0: invalid groupVersion \(expected example.com\/v2, received example.com\/v9\)/,
    ],
    [
      "another object",
      (review) =>
        reply(review, (response) => {
          response.convertedObjects[0]!.metadata = { name: "b" };
        }),
      /must have the same name: a != b/,
    ],
    [
      "a redirect",
      () => ({ status: 302, headers: { location: "https://127.0.0.1:1/" }, body: "" }),
      /redirects are not followed/,
    ],
  ])("answers 500 and lives on when the webhook gives %s", async (_what, wrong, message) => {
    answer = wrong;
    const { status, json } = await test.call("GET", `${V2}/a`);
    expect(status).toBe(500);
    expect(json.message).toMatch(message);
    expect(json.message).toContain(FOR);
    answer = (review) => ({ body: convert(review) });
    expect((await test.call("GET", `${V2}/a`)).status).toBe(200);
  });

  it.each([
    ["GET", "", undefined],
    ["GET", "/a", undefined],
    ["POST", "", { metadata: { name: "b" }, spec: { hosts: ["x"] } }],
    ["PATCH", "/a", { spec: { hosts: ["x"] } }],
    ["DELETE", "/a", undefined],
  ])("%s %s gives up with the request's own time, and the call with it", async (method, name, body) => {
    answer = () => undefined;
    abandoned = 0;
    calls = [];
    const sent = body && { apiVersion: "example.com/v2", kind: "Foo", ...body };
    expect((await test.call(method, `${V2}${name}?timeout=500ms`, sent)).status).toBe(504);
    await until(async () => abandoned === calls.length, "the webhook is left alone");
  });

  it("keeps who an object is, whatever the webhook says, and takes its labels", async () => {
    answer = (review) =>
      reply(review, ({ convertedObjects: [object] }) => {
        Object.assign(object!.metadata, { labels: { by: "webhook" }, ownerReferences: [{ bogus: 1 }], generation: 99 });
      });
    const { json } = await test.call("GET", `${V2}/a`);
    expect(json.metadata.labels).toEqual({ by: "webhook" });
    expect([json.metadata.ownerReferences, json.metadata.generation]).toEqual([undefined, 1]);
  });
});

describe("calls of webhooks", () => {
  const body = Buffer.from(JSON.stringify({ request: { uid: "u", desiredAPIVersion: "v2", objects: [] } }));
  const limits = { body, timeoutMs: 5_000, maxAnswerBytes: 1_000 };
  let client: WebhookClient;
  beforeEach(() => {
    client = new WebhookClient(async () => ({ host: "127.0.0.1", port: Number(new URL(address).port) }));
  });
  afterEach(() => client.close());

  it("end when the time is over", async () => {
    answer = () => undefined;
    await expect(client.post({ url: address, caBundle }, { ...limits, timeoutMs: 50 })).rejects.toThrow(
      /context deadline exceeded/,
    );
  });

  it("end when the answer is too large", async () => {
    answer = () => ({ body: "x".repeat(2_000) });
    await expect(client.post({ url: address, caBundle }, limits)).rejects.toThrow(/larger than 1000 bytes/);
  });

  it("trust only the authority that is named", async () => {
    answer = () => ({ body: {} });
    await expect(client.post({ url: address }, limits)).rejects.toThrow(/certificate/);
  });

  it("reach services under their own name", async () => {
    answer = () => ({ body: {} });
    // The certificate is not one for foo.bar.svc.
    await expect(client.post({ service: { namespace: "bar", name: "foo" }, caBundle }, limits)).rejects.toThrow(
      /foo\.bar\.svc/,
    );
  });

  it("refuse what is no https address", async () => {
    await expect(client.post({ url: "http://127.0.0.1/" }, limits)).rejects.toThrow(/is not an https address/);
  });
});
