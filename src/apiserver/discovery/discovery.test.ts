// Discovery, over a server in process. Requirements: document 1, "Versioning".

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, it } from "vitest";
import { decodeCbor } from "../../codec/cbor.ts";
import { decodeProtobuf } from "../../codec/protobuf.ts";
import { callInProcess } from "../../http/in-process.testing.ts";
import { DIALECTS, namesFor } from "../../meta/names.ts";
import { type ServerInProcess, serverInProcess } from "../server.testing.ts";
import { groupDiscoveryListSchema } from "./aggregated-schema.ts";

interface ResourceList {
  readonly groupVersion: string;
  readonly resources: readonly { readonly name: string; readonly kind: string; readonly storageVersionHash?: string }[];
}

interface GroupList {
  readonly groups: readonly { readonly name: string; readonly versions: readonly { readonly version: string }[] }[];
}

for (const dialect of DIALECTS) {
  describe(`discovery in the ${dialect} dialect`, () => {
    let server: ServerInProcess;
    beforeAll(async () => {
      server = await serverInProcess({ dialect });
    });
    afterAll(() => server.close());

    const resources = async (path: string) => (await server.call("GET", path)).json as ResourceList;
    const hashOf = async (path: string, name: string) =>
      (await resources(path)).resources.find((one) => one.name === name)?.storageVersionHash;

    it("puts the preferred version first", async () => {
      const { groups } = (await server.call("GET", "/apis")).json as GroupList;
      const autoscaling = groups.find(({ name }) => name === "autoscaling");
      assert.deepEqual(
        autoscaling?.versions.map(({ version }) => version),
        ["v2", "v1"],
      );
    });

    it("lists the versions of a definition by their maturity, and shows which one is stored", async () => {
      const versions = ["v1beta1", "foo1", "v1", "v2alpha1", "v10", "v1beta2", "v2"];
      const schema = { openAPIV3Schema: { type: "object" } };
      const names = namesFor(dialect);
      const defined = await server.call("POST", `/apis/${names.group("apiextensions")}/v1/customresourcedefinitions`, {
        metadata: { name: "things.example.com" },
        spec: {
          group: "example.com",
          scope: "Namespaced",
          names: { plural: "things", singular: "thing", kind: "Thing" },
          versions: versions.map((name) => ({ name, served: true, storage: name === "v1", schema })),
        },
      });
      assert.equal(defined.status, 201, defined.text);
      const wanted = ["v10", "v2", "v1", "v1beta2", "v1beta1", "v2alpha1", "foo1"];
      const { groups } = (await server.call("GET", "/apis")).json;
      const group = groups.find(({ name }: { name: string }) => name === "example.com");
      assert.deepEqual(
        group.versions.map(({ version }: { version: string }) => version),
        wanted,
      );
      assert.equal(group.preferredVersion.version, "v10");
      const accept = `application/json;g=${names.group("apidiscovery")};v=v2;as=APIGroupDiscoveryList`;
      const { items } = (await server.call("GET", "/apis", undefined, { accept })).json;
      const item = items.find(({ metadata }: { metadata: { name: string } }) => metadata.name === "example.com");
      assert.deepEqual(
        item.versions.map(({ version }: { version: string }) => version),
        wanted,
      );
      const stored = createHash("sha256").update("example.com/v1/Thing").digest().subarray(0, 8).toString("base64");
      for (const version of versions) assert.equal(await hashOf(`/apis/example.com/${version}`, "things"), stored);
    });

    it("shows by a hash which resources are stored in one form, and has none for what is not stored", async () => {
      const hpa = "horizontalpodautoscalers";
      assert.equal(await hashOf("/apis/autoscaling/v1", hpa), await hashOf("/apis/autoscaling/v2", hpa));
      assert.match(String(await hashOf("/api/v1", "configmaps")), /^[\w+/]{11}=$/);
      assert.equal(await hashOf("/api/v1", "componentstatuses"), undefined);
      assert.equal(await hashOf("/api/v1", "bindings"), undefined);
    });

    it("lists sub-resources with the kind of their bodies", async () => {
      const { resources: listed } = await resources("/apis/apps/v1");
      assert.equal(listed.find(({ name }) => name === "deployments/scale")?.kind, "Scale");
      assert.equal(listed.find(({ name }) => name === "deployments/status")?.kind, "Deployment");
    });

    it("has everything in one document for who asks so, with an ETag", async () => {
      const accept = `application/json;g=${server.context.names.group("apidiscovery")};v=v2;as=APIGroupDiscoveryList`;
      const answer = await server.call("GET", "/apis", undefined, { accept });
      assert.equal(answer.headers["content-type"], accept);
      const { items } = answer.json as { items: { metadata: { name: string } }[] };
      const { groups } = (await server.call("GET", "/apis")).json as GroupList;
      assert.deepEqual(
        items.map(({ metadata }) => metadata.name),
        groups.map(({ name }) => name),
      );
      const etag = String(answer.headers["etag"]);
      assert.match(etag, /^"[0-9A-F]{128}"$/);
      assert.equal((await server.call("GET", "/apis", undefined, { accept, "if-none-match": etag })).status, 304);
    });

    it("has that document in protobuf too", async () => {
      const { names } = server.context;
      const wish = `;g=${names.group("apidiscovery")};v=v2;as=APIGroupDiscoveryList`;
      const { json } = await server.call("GET", "/api", undefined, { accept: `application/json${wish}` });
      const accept = `${names.protobufMediaType}${wish}`;
      const answer = await server.call("GET", "/api", undefined, { accept });
      assert.equal(answer.headers["content-type"], accept);
      const decoded = decodeProtobuf(answer.body, groupDiscoveryListSchema);
      const plain = JSON.parse(
        JSON.stringify(json).replaceAll(',"creationTimestamp":null', "").replaceAll('"creationTimestamp":null', ""),
      );
      assert.deepEqual(JSON.parse(JSON.stringify(decoded)), plain);
    });

    it("has nothing of what is turned off", async () => {
      const flags = ["--runtime-config=batch/v1=false,autoscaling/v1=false,apps/v1/daemonsets=false"];
      const other = await serverInProcess({ dialect, flags });
      const { groups } = (await other.call("GET", "/apis")).json as GroupList;
      assert.ok(!groups.some(({ name }) => name === "batch"));
      assert.equal((await other.call("GET", "/apis/autoscaling/v1")).status, 404);
      const { resources: listed } = (await other.call("GET", "/apis/apps/v1")).json as ResourceList;
      assert.ok(!listed.some(({ name }) => name.startsWith("daemonsets")));
      const { paths } = (await other.call("GET", "/openapi/v3")).json as { paths: object };
      assert.ok(!Object.keys(paths).some((path) => path.startsWith("apis/batch")));
      await other.close();
    });
  });
}

describe("discovery in CBOR", () => {
  const accept = "application/cbor";

  it("lists what a version has, where the gate is on", async () => {
    const server = await serverInProcess({ flags: ["--feature-gates=CBORServingAndStorage=true"] });
    for (const path of ["/api/v1", "/apis/apps/v1"]) {
      const { handler } = server;
      const answer = await callInProcess(handler, { method: "GET", url: path, headers: { accept } });
      assert.deepEqual([answer.status, answer.headers["content-type"]], [200, accept]);
      assert.deepEqual(decodeCbor(answer.body).value, (await server.call("GET", path)).json);
    }
    for (const path of ["/api", "/apis", "/apis/apps"])
      assert.equal((await server.call("GET", path, undefined, { accept })).status, 406);
    await server.close();
  });

  it("is not there otherwise", async () => {
    const server = await serverInProcess();
    assert.equal((await server.call("GET", "/apis/apps/v1", undefined, { accept })).status, 406);
    await server.close();
  });
});
