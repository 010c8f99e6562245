// Claims to devices: who may ask for access beside others, how many a namespace may claim, and giving them back. The
// documents are silent here; upstream's rules hold.

import assert from "node:assert/strict";
import { afterAll, beforeAll, it } from "vitest";
import { serverInProcess } from "../../src/apiserver/server.testing.ts";
import { namesFor } from "../../src/meta/names.ts";
import { Api, type Body, inBothDialects } from "./conformance.testing.ts";

inBothDialects("claims to devices", (dialect) => {
  const names = namesFor(dialect);
  const group = names.group("resource");
  const claims = (namespace: string, version = "v1") =>
    `/apis/${group}/${version}/namespaces/${namespace}/resourceclaims`;
  const request = (exactly: Body) => ({ devices: { requests: [{ name: "r", exactly }] } });
  const claim = (name: string, spec: Body) => ({ metadata: { name }, spec });
  let server: Api;
  beforeAll(async () => {
    const flags = ["--runtime-config=api/all=true"];
    server = new Api(await serverInProcess({ dialect, flags }), names);
    for (const name of ["plain", "limited"]) await server.created("/api/v1/namespaces", { metadata: { name } });
    const marked = { name: "marked", labels: { [names.deviceAdminLabel]: "true" } };
    await server.created("/api/v1/namespaces", { metadata: marked });
  });
  afterAll(() => server.server.close());

  it("ask for administrators' access only where the namespace is marked for it", async () => {
    const spec = request({ deviceClassName: "gold", adminAccess: true });
    const templates = (namespace: string) => claims(namespace).replace("resourceclaims", "resourceclaimtemplates");
    for (const [url, body] of [
      [claims("plain"), claim("a", spec)],
      [claims("plain", "v1beta2"), claim("b", spec)],
      [
        claims("plain", "v1beta1"),
        claim("c", { devices: { requests: [{ name: "r", deviceClassName: "gold", adminAccess: true }] } }),
      ],
      [templates("plain"), claim("d", { spec })],
    ] as const) {
      const refused = await server.post(url, body);
      assert.equal(refused.status, 422, url);
      assert.match(
        refused.json.message,
        /spec\.devices\.requests\[0\]\.adminAccess: Forbidden: admin access to devices requires the `.*: true` label/,
      );
      assert.equal((await server.post(url.replace("/plain/", "/marked/"), body)).status, 201);
    }
    await server.created(claims("plain"), claim("e", request({ deviceClassName: "gold", adminAccess: false })));
  });

  it("are not given administrators' access behind the namespace's back", async () => {
    const results = [{ request: "r", driver: "d.example.com", pool: "p", device: "x", adminAccess: true }];
    for (const [namespace, status] of [
      ["plain", 422],
      ["marked", 200],
    ] as const) {
      await server.created(claims(namespace), claim("given", request({ deviceClassName: "gold" })));
      const patch = { status: { allocation: { devices: { results } } } };
      assert.equal((await server.patch(`${claims(namespace)}/given/status`, patch)).status, status, namespace);
    }
  });

  it("count against a quota of their class, alternatives by their worst case", async () => {
    const name = `gold.deviceclass.${group}/devices`;
    await server.created("/api/v1/namespaces/limited/resourcequotas", {
      metadata: { name: "q" },
      spec: { hard: { [name]: "36" } },
    });
    await server.patch("/api/v1/namespaces/limited/resourcequotas/q/status", {
      status: { hard: { [name]: "36" }, used: { [name]: "0" } },
    });
    await server.created(claims("limited"), claim("two", request({ deviceClassName: "gold", count: 2 })));
    await server.created(claims("limited"), claim("other", request({ deviceClassName: "silver", count: 30 })));
    const either = [
      { name: "few", deviceClassName: "gold", count: 1 },
      { name: "more", deviceClassName: "gold", count: 2 },
    ];
    await server.created(
      claims("limited"),
      claim("either", { devices: { requests: [{ name: "r", firstAvailable: either }] } }),
    );
    await server.created(claims("limited"), claim("all", request({ deviceClassName: "gold", allocationMode: "All" })));
    const refused = await server.post(claims("limited"), claim("more", request({ deviceClassName: "gold" })));
    assert.equal(refused.status, 403);
    assert.match(refused.json.message, /exceeded quota: q, requested: .*=1, used: .*=36, limited: .*=36/);
  });

  it("lose what is told of devices together with them", async () => {
    const device = { driver: "d.example.com", pool: "p", device: "x" };
    const at = `${claims("plain")}/told/status`;
    await server.created(claims("plain"), claim("told", request({ deviceClassName: "gold" })));
    const allocation = { devices: { results: [{ ...device, request: "r" }] } };
    const told = await server.patch(at, { status: { allocation, devices: [device] } });
    assert.equal(told.json.status.devices.length, 1);
    const released = await server.patch(at, { status: { allocation: null } });
    assert.deepEqual([released.status, released.json.status], [200, {}]);
  });
});
