// The OpenAPI endpoints, over a server in process.

import assert from "node:assert/strict";
import { afterAll, beforeAll, describe, it } from "vitest";
import type { JsonObject } from "../../base/json.ts";
import { DIALECTS, namesFor } from "../../meta/names.ts";
import { type ServerInProcess, serverInProcess } from "../server.testing.ts";

const V2_PROTOBUF = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
const V3_PROTOBUF = "application/com.github.proto-openapi.spec.v3.v1.0+protobuf";

const REPLICAS = { type: "object", properties: { replicas: { type: "integer" } } };

for (const dialect of DIALECTS) {
  const names = namesFor(dialect);
  describe(`OpenAPI in the ${dialect} dialect`, () => {
    let server: ServerInProcess;
    beforeAll(async () => {
      server = await serverInProcess({ dialect });
    });
    afterAll(() => server.close());

    const get = async (url: string, headers: Record<string, string> = {}) =>
      server.call("GET", url, undefined, headers);
    const document = async (url: string) => {
      const answer = await get(url);
      assert.equal(answer.status, 200);
      return answer.json as {
        paths: Record<string, JsonObject>;
        definitions: JsonObject;
        components: { schemas: JsonObject; securitySchemes: JsonObject };
        securityDefinitions: JsonObject;
        parameters: Record<string, JsonObject>;
      };
    };
    const indexed = async (name: string) => {
      const { paths } = (await get("/openapi/v3")).json as { paths: Record<string, { serverRelativeURL: string }> };
      return paths[name]!.serverRelativeURL;
    };

    it("lists a document for every version of every group, each with a hash of its content", async () => {
      const { paths } = (await get("/openapi/v3")).json as { paths: Record<string, { serverRelativeURL: string }> };
      for (const name of ["api", "api/v1", "apis", "apis/apps", "apis/apps/v1", "version"]) {
        assert.match(paths[name]!.serverRelativeURL, new RegExp(`^/openapi/v3/${name}\\?hash=[0-9A-F]{128}$`));
      }
    });

    it("lets a document be kept for ever when the address has its hash, and redirects from any other hash", async () => {
      const url = await indexed("apis/apps/v1");
      const answer = await get(url);
      assert.equal(answer.headers["cache-control"], "public, immutable");
      const moved = await get(url.replace(/hash=.*/, "hash=AB"));
      assert.deepEqual([moved.status, moved.headers["location"]], [301, url]);
      const plain = await get("/openapi/v3/apis/apps/v1");
      assert.equal(plain.status, 200);
      assert.notEqual(plain.headers["cache-control"], "public, immutable");
    });

    it("answers 304 to a client that has the document, 406 to one that takes no form of it", async () => {
      for (const url of ["/openapi/v2", "/openapi/v3", "/openapi/v3/api/v1"]) {
        const etag = String((await get(url)).headers["etag"]);
        assert.match(etag, /^"[0-9A-F]{128}"$/);
        assert.equal((await get(url, { "if-none-match": etag })).status, 304, url);
        // The index has one form, and does not ask which is wanted.
        const status = url === "/openapi/v3" ? 200 : 406;
        assert.equal((await get(url, { accept: "text/html" })).status, status, url);
      }
    });

    it("knows no other documents", async () => {
      for (const url of ["/openapi/v3/apis/nope.example.com/v1", "/openapi/v9", "/openapi", "/openapi/v2/x"]) {
        assert.equal((await get(url)).status, 404, url);
      }
    });

    it("describes every verb of a resource with its action, kind and parameters", async () => {
      const { paths } = await document("/openapi/v3/apis/apps/v1");
      const item = paths["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"] as Record<string, JsonObject>;
      assert.deepEqual(
        ["get", "put", "patch", "delete"].map((method) => [
          item[method]!["operationId"],
          item[method]!["x-kubernetes-action"],
        ]),
        [
          ["readAppsV1NamespacedDeployment", "get"],
          ["replaceAppsV1NamespacedDeployment", "put"],
          ["patchAppsV1NamespacedDeployment", "patch"],
          ["deleteAppsV1NamespacedDeployment", "delete"],
        ],
      );
      assert.deepEqual(item["get"]!["x-kubernetes-group-version-kind"], {
        group: "apps",
        kind: "Deployment",
        version: "v1",
      });
      const scale = paths["/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale"] as Record<
        string,
        JsonObject
      >;
      assert.deepEqual(scale["get"]!["x-kubernetes-group-version-kind"], {
        group: "autoscaling",
        kind: "Scale",
        version: "v1",
      });
      const collection = paths["/apis/apps/v1/namespaces/{namespace}/deployments"] as Record<string, JsonObject>;
      const queryOf = (operation: JsonObject) =>
        (operation["parameters"] as { name: string }[]).map(({ name }) => name);
      assert.deepEqual(queryOf(collection["post"]!), ["dryRun", "fieldManager", "fieldValidation"]);
      assert.ok(queryOf(collection["get"]!).includes("sendInitialEvents"));
      assert.ok(paths["/apis/apps/v1/watch/namespaces/{namespace}/deployments/{name}"]);
      assert.ok(paths["/apis/apps/v1/deployments"]);
    });

    it("resolves every reference within a document and gives every operation an id of its own", async () => {
      const { paths } = (await get("/openapi/v3")).json as { paths: Record<string, { serverRelativeURL: string }> };
      const ids = new Set<string>();
      for (const { serverRelativeURL } of Object.values(paths)) {
        const found = await document(serverRelativeURL);
        assert.deepEqual(missing(found, "#/components/schemas/", found.components.schemas), [], serverRelativeURL);
        for (const id of operationIds(found.paths)) {
          assert.ok(!ids.has(id), id);
          ids.add(id);
        }
      }
      const whole = await document("/openapi/v2");
      assert.deepEqual(missing(whole, "#/definitions/", whole.definitions), []);
      assert.deepEqual(operationIds(whole.paths).sort(), [...ids].sort());
    });

    it("defines nothing that no operation of the document speaks of", async () => {
      const { paths } = (await get("/openapi/v3")).json as { paths: Record<string, { serverRelativeURL: string }> };
      const unused: string[] = [];
      for (const [name, { serverRelativeURL }] of Object.entries(paths)) {
        const { components, paths: operations } = await document(serverRelativeURL);
        const schemas = components?.schemas ?? {};
        const reached = new Set<string>();
        const waiting: unknown[] = [operations];
        for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
          for (const [, type] of JSON.stringify(next).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
            if (!reached.has(type!)) waiting.push(schemas[type!]);
            reached.add(type!);
          }
        }
        unused.push(...Object.keys(schemas).flatMap((type) => (reached.has(type) ? [] : [`${name}: ${type}`])));
      }
      assert.deepEqual(unused, []);
    });

    it("names the versions in which options and events are known, in the order of groups", async () => {
      const { components } = await document("/openapi/v3/api/v1");
      for (const word of ["DeleteOptions", "WatchEvent"]) {
        const [, schema] = Object.entries(components.schemas).find(([name]) => name.endsWith(`.meta.v1.${word}`))!;
        const known = (schema as JsonObject)["x-kubernetes-group-version-kind"] as Record<string, string>[];
        const order = known.map(({ group, version }) => `${group}/${version}`);
        assert.deepEqual(order, order.toSorted());
        assert.ok(order.includes("apps/v1"));
        assert.ok(known.every(({ kind }) => kind === word));
      }
    });

    it("marks as one unit what upstream marks as one", async () => {
      const marked = async (name: string, type: string, field: string) => {
        const { components } = await document(`/openapi/v3/${name}`);
        const [, schema] = Object.entries(components.schemas).find(([known]) => known.endsWith(type))!;
        return ((schema as JsonObject)["properties"] as Record<string, JsonObject>)[field]!["x-kubernetes-list-type"];
      };
      assert.equal(await marked("api/v1", ".meta.v1.Status", "details"), "atomic");
      const certificates = `apis/${names.group("certificates")}/v1`;
      assert.equal(await marked(certificates, ".CertificateSigningRequestSpec", "request"), "atomic");
      assert.equal(await marked(certificates, ".CertificateSigningRequestStatus", "certificate"), "atomic");
      assert.equal(await marked(`apis/${names.group("apiregistration")}/v1`, ".APIServiceSpec", "caBundle"), "atomic");
    });

    it("says which release of the API it describes", async () => {
      for (const url of ["/openapi/v2", "/openapi/v3/api/v1"]) {
        const { info } = (await get(url)).json as { info: JsonObject };
        assert.deepEqual(info, { title: names.productName, version: "1.34" });
      }
    });

    it("resolves every reference of definitions too, whatever they define", async () => {
      const shapes: [word: string, version: JsonObject][] = [
        ["plain", { schema: { openAPIV3Schema: { type: "object" } } }],
        ["described", { schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object" } } } } }],
        ["open", { schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } } }],
        [
          "scaled",
          {
            schema: { openAPIV3Schema: { type: "object", properties: { spec: REPLICAS, status: REPLICAS } } },
            subresources: {
              status: {},
              scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
            },
          },
        ],
        [
          "embedding",
          {
            schema: {
              openAPIV3Schema: {
                type: "object",
                properties: {
                  template: {
                    type: "object",
                    "x-kubernetes-embedded-resource": true,
                    "x-kubernetes-preserve-unknown-fields": true,
                  },
                },
              },
            },
          },
        ],
      ];
      // Each in a group of its own: a document with one definition has nothing that others brought.
      for (const [word, version] of shapes) {
        const defined = await server.call(
          "POST",
          `/apis/${names.group("apiextensions")}/v1/customresourcedefinitions`,
          {
            metadata: { name: `things.${word}.example.com` },
            spec: {
              group: `${word}.example.com`,
              scope: "Namespaced",
              names: { plural: "things", singular: "thing", kind: "Thing" },
              versions: [{ name: "v1", served: true, storage: true, ...version }],
            },
          },
        );
        assert.equal(defined.status, 201, defined.text);
        const found = await document(`/openapi/v3/apis/${word}.example.com/v1`);
        assert.deepEqual(missing(found, "#/components/schemas/", found.components.schemas), [], word);
      }
      const whole = await document("/openapi/v2");
      assert.deepEqual(missing(whole, "#/definitions/", whole.definitions), []);
    });

    it("begins descriptions with the words that people look for", async () => {
      const { components, paths } = await document("/openapi/v3/apis/apps/v1");
      const property = (type: RegExp, name: string) => {
        const [, schema] = Object.entries(components.schemas).find(([known]) => type.test(known))!;
        return ((schema as JsonObject)["properties"] as Record<string, JsonObject>)[name]!["description"];
      };
      assert.match(String(property(/\.apps\.v1\.Deployment$/, "apiVersion")), /^APIVersion defines /);
      assert.match(String(property(/\.apps\.v1\.Deployment$/, "metadata")), /^Standard object's metadata/);
      assert.match(String(property(/\.ObjectMeta$/, "creationTimestamp")), /^CreationTimestamp is a timestamp /);
      assert.match(String(property(/\.apps\.v1\.DeploymentList$/, "items")), /^List of deployments/);
      const { parameters } = await document("/openapi/v2");
      const parameter = (name: string) =>
        Object.values(parameters).find((one) => one["name"] === name)?.["description"] as string;
      assert.match(parameter("watch"), /^Watch for changes to the described resources/);
      for (const name of ["fieldSelector", "labelSelector"])
        assert.match(parameter(name), /the list of returned objects/);
      const described = (path: string) => (paths[path]!["get"] as JsonObject)["description"];
      assert.equal(described("/apis/apps/v1/deployments"), "list or watch objects of kind Deployment");
      assert.match(
        String(described("/apis/apps/v1/watch/deployments")),
        /^watch individual changes to a list of Deployment\. deprecated: use the /,
      );
    });

    it("has the protobuf form with the same paths and definitions", async () => {
      const whole = await document("/openapi/v2");
      const v2 = await get("/openapi/v2", { accept: V2_PROTOBUF });
      assert.equal(v2.headers["content-type"], "application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
      const fields = readFields(v2.body);
      assert.deepEqual(namesIn(fields, [8], 2), Object.keys(whole.paths));
      assert.deepEqual(namesIn(fields, [9], 1), Object.keys(whole.definitions));
      const one = await document("/openapi/v3/apis/apps/v1");
      const v3 = readFields((await get("/openapi/v3/apis/apps/v1", { accept: V3_PROTOBUF })).body);
      assert.deepEqual(namesIn(v3, [4], 1), Object.keys(one.paths));
      assert.deepEqual(namesIn(v3, [5, 1], 1), Object.keys(one.components.schemas));
      assert.deepEqual(namesIn(v3, [5, 7], 1), Object.keys(one.components.securitySchemes));
    });

    it("says how clients show who they are, in both versions", async () => {
      const scheme = {
        type: "apiKey",
        description: "Bearer Token authentication",
        name: "authorization",
        in: "header",
      };
      assert.deepEqual((await document("/openapi/v3/version")).components.securitySchemes, { BearerToken: scheme });
      assert.deepEqual((await document("/openapi/v2")).securityDefinitions, { BearerToken: scheme });
    });

    it("names parameters with the path where all its operations take them", async () => {
      const { paths } = await document("/openapi/v3/api/v1");
      const named = (of: JsonObject | undefined) =>
        ((of?.["parameters"] ?? []) as unknown as readonly { readonly name: string }[]).map(({ name }) => name).sort();
      const bindings = paths["/api/v1/namespaces/{namespace}/bindings"]!;
      assert.deepEqual(named(bindings), ["dryRun", "fieldManager", "fieldValidation", "namespace", "pretty"]);
      assert.deepEqual(named(bindings["post"] as JsonObject), []);
      const pods = paths["/api/v1/namespaces/{namespace}/pods"]!;
      assert.deepEqual(named(pods), ["namespace", "pretty"]);
      assert.deepEqual(named(pods["post"] as JsonObject), ["dryRun", "fieldManager", "fieldValidation"]);
    });

    it("says that deleting a Namespace answers a Status, as upstream does", async () => {
      const { paths } = await document("/openapi/v3/api/v1");
      const { responses } = paths["/api/v1/namespaces/{name}"]!["delete"] as { responses: JsonObject };
      assert.match(JSON.stringify(responses["200"]), /\.v1\.Status"/);
    });

    it("compresses long documents", async () => {
      const answer = await get("/openapi/v2", { "accept-encoding": "gzip" });
      assert.equal(answer.headers["content-encoding"], "gzip");
    });
  });
}

function missing(document: unknown, prefix: string, known: JsonObject): string[] {
  const found = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref!);
  return [...new Set(found)].filter((ref) => ref.startsWith(prefix) && !Object.hasOwn(known, ref.slice(prefix.length)));
}

function operationIds(paths: Record<string, JsonObject>): string[] {
  return Object.values(paths).flatMap((item) =>
    Object.entries(item).flatMap(([method, operation]) =>
      method === "parameters" ? [] : [(operation as { operationId: string }).operationId],
    ),
  );
}

type Fields = readonly { readonly field: number; readonly bytes: Buffer }[];

/** The length-delimited fields of a message. */
function readFields(message: Uint8Array): Fields {
  const bytes = Buffer.from(message);
  const fields: { field: number; bytes: Buffer }[] = [];
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = bytes[at++]!;
      value += (byte & 0x7f) * shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const wireType = tag % 8;
    if (wireType === 0) varint();
    else if (wireType === 1) at += 8;
    else {
      assert.equal(wireType, 2);
      const length = varint();
      fields.push({ field: (tag - wireType) / 8, bytes: bytes.subarray(at, at + length) });
      at += length;
    }
  }
  assert.equal(at, bytes.length);
  return fields;
}

function namesIn(document: Fields, way: readonly number[], entry: number): string[] {
  let fields = document;
  for (const step of way)
    fields = fields.filter(({ field }) => field === step).flatMap(({ bytes }) => [...readFields(bytes)]);
  return fields
    .filter(({ field }) => field === entry)
    .map(({ bytes }) =>
      readFields(bytes)
        .find(({ field }) => field === 1)!
        .bytes.toString("utf8"),
    );
}
