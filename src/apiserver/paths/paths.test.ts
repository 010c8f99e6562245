// Paths outside the resources, over a server in process.

import assert from "node:assert/strict";
import { afterAll, beforeAll, describe, it } from "vitest";
import { Metrics } from "../../base/metrics.ts";
import { DIALECTS } from "../../meta/names.ts";
import { type ServerInProcess, serverInProcess } from "../server.testing.ts";

for (const dialect of DIALECTS) {
  describe(`paths in the ${dialect} dialect`, () => {
    let server: ServerInProcess;
    beforeAll(async () => {
      server = await serverInProcess({ dialect, deps: { metrics: new Metrics({ release: "1.34" }) } });
    });
    afterAll(() => server.close());

    const series = async (url: string, ...parts: readonly string[]) => {
      const { text } = await server.call("GET", url);
      const line = text.split("\n").find((one) => parts.every((part) => one.includes(part)) && !one.startsWith("#"));
      return line === undefined ? undefined : Number(line.split(" ").pop());
    };

    it("lists the paths that lead somewhere, by name", async () => {
      const { paths } = (await server.call("GET", "/")).json as { paths: string[] };
      assert.deepEqual(paths, [...paths].sort());
      for (const path of paths) {
        const { status } = await server.call("GET", path === "/debug/pprof/profile" ? `${path}?seconds=0.01` : path);
        assert.equal(status, 200, path);
      }
    });

    it("takes only reads, except where upstream does not look at the method", async () => {
      for (const path of ["/version", "/openapi/v3", "/api", "/api/v1"])
        assert.equal((await server.call("DELETE", path)).status, 405, path);
      for (const path of ["/", "/metrics", "/openapi/v2", "/apis"])
        assert.equal((await server.call("DELETE", path)).status, 200, path);
    });

    it("says below an API that it has no such path, and elsewhere in plain text", async () => {
      for (const path of ["/api/v2", "/api/v1/namespaces/default//configmaps", "/api/v2/pods", "/apis/apps/v1//x"]) {
        const { status, json } = await server.call("GET", path);
        assert.deepEqual([status, (json as { kind: string }).kind], [404, "Status"], path);
      }
      for (const path of ["/nope", "/apis/nope/v1", "/apis/nope/v1/pods", "/healthz/"]) {
        assert.deepEqual((await server.call("GET", path)).text, "404 page not found\n", path);
      }
    });

    it("counts requests by what they were and how they ended", async () => {
      const counted = () =>
        series(
          "/metrics",
          "apiserver_request_total{",
          'resource="secrets"',
          'verb="GET"',
          'code="404"',
          'scope="resource"',
        );
      const before = (await counted()) ?? 0;
      await server.call("GET", "/api/v1/namespaces/default/secrets/none");
      assert.equal(await counted(), before + 1);
      await server.call("GET", "/api/v1/namespaces/default/bogus-resource");
      assert.equal(await series("/metrics", "bogus-resource"), undefined);
    });

    it("tells which deprecated APIs are in use", async () => {
      await server.call("GET", "/api/v1/namespaces/default/endpoints");
      const value = await series(
        "/metrics",
        'apiserver_requested_deprecated_apis{group="",removed_release="",resource="endpoints",subresource="",version="v1"}',
      );
      assert.equal(value, 1);
    });

    it("measures the bodies of writes", async () => {
      const path = "/api/v1/namespaces/default/configmaps";
      await server.call("POST", path, { metadata: { name: "measured" }, data: { a: "x".repeat(100) } });
      const sum = "apiserver_request_body_size_bytes_sum{";
      assert.ok((await series("/metrics", sum, 'resource="configmaps"', 'verb="create"'))! > 100);
      await server.call("DELETE", `${path}/measured`);
    });

    it("counts addresses and node ports that are taken, left and asked for", async () => {
      const count = (name: string, ...labels: string[]) => series("/metrics", `kube_apiserver_${name}`, ...labels);
      const addresses = await count("clusterip_allocator_allocated_ips{");
      const left = await count("clusterip_allocator_available_ips{");
      const path = "/api/v1/namespaces/default/services";
      const spec = { type: "NodePort", ports: [{ port: 80, nodePort: 30_001 }] };
      assert.equal((await server.call("POST", path, { metadata: { name: "a" }, spec })).status, 201);
      assert.equal((await server.call("POST", path, { metadata: { name: "b" }, spec })).status, 422);
      assert.equal(await count("clusterip_allocator_allocated_ips{"), addresses! + 1);
      assert.equal(await count("clusterip_allocator_available_ips{"), left! - 1);
      assert.equal(await count("nodeport_allocator_allocated_ports"), 1);
      assert.equal(await count("nodeport_allocator_available_ports"), 2_767);
      assert.equal(await count("nodeport_allocator_allocation_total{", 'scope="static"'), 1);
      assert.equal(await count("nodeport_allocator_allocation_errors_total{", 'scope="static"'), 1);
      assert.ok((await count("clusterip_allocator_allocation_total{", 'scope="dynamic"'))! >= 1);
      await server.call("DELETE", `${path}/a`);
    });

    it("counts what pods were held against", async () => {
      const spec = { hostPID: true, containers: [{ name: "c", image: "i" }] };
      const labels = { [`${server.context.names.podSecurityPrefix}enforce`]: "baseline" };
      await server.call("POST", "/api/v1/namespaces", { metadata: { name: "safe", labels } });
      await server.call("POST", "/api/v1/namespaces/safe/serviceaccounts", { metadata: { name: "default" } });
      const refused = await server.call("POST", "/api/v1/namespaces/safe/pods", { metadata: { name: "p" }, spec });
      assert.equal(refused.status, 403);
      const labelled = ['decision="deny"', 'mode="enforce"', 'policy_level="baseline"', 'policy_version="latest"'];
      assert.equal(await series("/metrics", "pod_security_evaluations_total{", ...labelled), 1);
    });

    it("counts stored objects and says which features are on", async () => {
      await server.call("POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: "counted" } });
      const { json } = await server.call("GET", "/api/v1/configmaps");
      const { items } = json as { items: object[] };
      assert.equal(await series("/metrics", 'apiserver_storage_objects{resource="configmaps"}'), items.length);
      assert.equal(await series("/metrics", `${dialect}_feature_enabled{`, 'name="WatchList"'), 1);
    });

    it("counts open watches and what they send", async () => {
      const before = (await series("/metrics", 'apiserver_watch_events_total{group="",resource="namespaces"')) ?? 0;
      await server.call("GET", "/api/v1/namespaces?watch=1&timeoutSeconds=1");
      const after = await series(
        "/metrics",
        'apiserver_watch_events_total{group="",resource="namespaces",version="v1"}',
      );
      assert.ok(after! > before);
      assert.equal(await series("/metrics", "apiserver_longrunning_requests{", 'resource="namespaces"'), 0);
      assert.equal(await series("/metrics", "apiserver_request_total{", 'resource="namespaces"', 'verb="WATCH"'), 1);
    });

    it("keeps outcomes of health checks at a path of their own", async () => {
      await server.call("GET", "/livez");
      assert.equal(await series("/metrics/slis", `${dialect}_healthcheck{name="ping",type="livez"}`), 1);
    });

    it("shows the health of the store as a component", async () => {
      const list = (await server.call("GET", "/api/v1/componentstatuses")).json as { items: { metadata: object }[] };
      assert.deepEqual(
        list.items.map((item) => item.metadata),
        [{ name: "etcd-0" }],
      );
      const one = (await server.call("GET", "/api/v1/componentstatuses/etcd-0")).json as { conditions: object[] };
      assert.deepEqual(one.conditions, [{ type: "Healthy", status: "True", message: "ok" }]);
      const none = await server.call("GET", "/api/v1/componentstatuses/x");
      assert.deepEqual([none.status, none.json.message], [404, 'componentstatus "x" not found']);
      assert.equal((await server.call("POST", "/api/v1/componentstatuses", {})).status, 405);
    });

    it("serves versions that are off by default when told to", async () => {
      const group = server.context.names.group("coordination");
      assert.equal((await server.call("GET", `/apis/${group}/v1beta1/leasecandidates`)).status, 404);
      const other = await serverInProcess({ dialect, flags: [`--runtime-config=${group}/v1beta1=true`] });
      assert.equal((await other.call("GET", `/apis/${group}/v1beta1/leasecandidates`)).status, 200);
      await other.close();
      await assert.rejects(
        serverInProcess({ dialect, flags: ["--runtime-config=nope.example.com/v1=true"] }),
        /unknown API groups/,
      );
    });
  });
}
