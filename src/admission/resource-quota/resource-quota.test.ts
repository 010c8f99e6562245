// Quotas through the whole server: what is charged and refused, and that racing writers cannot overdraw. What is used is first
// counted by a controller; here the test says that it is nothing.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LooseJson, startTestServer, type TestServer } from "../admission.testing.ts";

let server: TestServer;
let count = 0;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

async function namespaceWith(hard: Record<string, string>, more: LooseJson = {}): Promise<string> {
  const name = `quota-${++count}`;
  await server.call("POST", "/api/v1/namespaces", { metadata: { name }, apiVersion: "v1", kind: "Namespace" });
  const quota = { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "q" }, spec: { hard, ...more } };
  const made = await server.call("POST", `/api/v1/namespaces/${name}/resourcequotas`, quota);
  expect(made.status, JSON.stringify(made.json)).toBe(201);
  const at = `/api/v1/namespaces/${name}`;
  await say(at, hard, Object.fromEntries(Object.keys(hard).map((limited) => [limited, "0"])));
  return at;
}

async function say(at: string, hard: Record<string, string>, used: Record<string, string>): Promise<void> {
  const { status } = await server.call("PATCH", `${at}/resourcequotas/q/status`, { status: { hard, used } });
  expect(status).toBe(200);
}

const map = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });

const pod = (name: string, requests?: Record<string, string>, more: LooseJson = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: {
    containers: [
      { name: "main", image: "i:1", resources: requests === undefined ? {} : { requests, limits: requests } },
    ],
    ...more,
  },
});

const usedIn = async (at: string) => (await server.call("GET", `${at}/resourcequotas/q`)).json.status.used;

describe("a quota", () => {
  it("counts what comes, and refuses what is too much", async () => {
    const at = await namespaceWith({ "count/configmaps": "2" });
    expect((await server.call("POST", `${at}/configmaps`, map("a"))).status).toBe(201);
    expect((await server.call("POST", `${at}/configmaps`, map("b"))).status).toBe(201);
    const refused = await server.call("POST", `${at}/configmaps`, map("c"));
    expect([refused.status, refused.json.message]).toEqual([
      403,
      'configmaps "c" is forbidden: exceeded quota: q, requested: count/configmaps=1, used: count/configmaps=2, limited: count/configmaps=2',
    ]);
    expect(await usedIn(at)).toEqual({ "count/configmaps": "2" });
  });

  it("limits nothing before its limits are in force, and everything while nobody knows what is used", async () => {
    const at = await namespaceWith({ configmaps: "1" });
    await say(at, { configmaps: "1", "count/secrets": "1" }, { configmaps: "1" });
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" } };
    expect((await server.call("POST", `${at}/secrets`, secret)).json.message).toContain(
      "status unknown for quota: q, resources: count/secrets",
    );
    await server.call("PATCH", `${at}/resourcequotas/q/status`, { status: null });
    for (const name of ["a", "b"]) expect((await server.call("POST", `${at}/configmaps`, map(name))).status).toBe(201);
  });

  it("cannot be overdrawn by writers at the same time", async () => {
    const at = await namespaceWith({ configmaps: "5" });
    const names = Array.from({ length: 20 }, (_, index) => `m${index}`);
    const answers = await Promise.all(names.map((name) => server.call("POST", `${at}/configmaps`, map(name))));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(15);
    expect(await usedIn(at)).toEqual({ configmaps: "5" });
  });

  it("is not charged for what another one refuses", async () => {
    const at = await namespaceWith({ pods: "5" });
    const hard = { "requests.cpu": "1" };
    const full = { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "z" }, spec: { hard } };
    expect((await server.call("POST", `${at}/resourcequotas`, full)).status).toBe(201);
    await server.call("PATCH", `${at}/resourcequotas/z/status`, { status: { hard, used: hard } });
    const before = (await server.call("GET", `${at}/resourcequotas/q`)).json;
    const refused = await server.call("POST", `${at}/pods`, pod("a", { cpu: "1" }));
    expect(refused.json.message).toContain("exceeded quota: z");
    // Not even for a moment: somebody else might be refused meanwhile.
    expect((await server.call("GET", `${at}/resourcequotas/q`)).json).toEqual(before);
  });

  it("charges nothing for a dry run, and refuses it all the same", async () => {
    const at = await namespaceWith({ configmaps: "1" });
    expect((await server.call("POST", `${at}/configmaps?dryRun=All`, map("a"))).status).toBe(201);
    expect((await server.call("POST", `${at}/configmaps`, map("a"))).status).toBe(201);
    expect((await server.call("POST", `${at}/configmaps?dryRun=All`, map("b"))).status).toBe(403);
  });

  it("sums what pods request and limit", async () => {
    const at = await namespaceWith({ "requests.cpu": "1", "limits.memory": "1Gi", pods: "10" });
    const made = await server.call("POST", `${at}/pods`, pod("a", { cpu: "600m", memory: "512Mi" }));
    expect(made.status, JSON.stringify(made.json)).toBe(201);
    expect(await usedIn(at)).toEqual({ "limits.memory": "512Mi", pods: "1", "requests.cpu": "600m" });
    const refused = await server.call("POST", `${at}/pods`, pod("b", { cpu: "500m", memory: "1Mi" }));
    expect(refused.json.message).toContain(
      "exceeded quota: q, requested: requests.cpu=500m, used: requests.cpu=600m, limited: requests.cpu=1",
    );
  });

  it("demands that every container says what is limited", async () => {
    const at = await namespaceWith({ "requests.cpu": "1", "limits.memory": "1Gi" });
    const refused = await server.call("POST", `${at}/pods`, pod("a"));
    expect(refused.json.message).toContain(
      "failed quota: q: must specify limits.memory for: main; requests.cpu for: main",
    );
  });

  it.each<[string, LooseJson, LooseJson, boolean]>([
    ["BestEffort", { scopes: ["BestEffort"] }, {}, true],
    ["NotBestEffort", { scopes: ["NotBestEffort"] }, {}, false],
    ["Terminating", { scopes: ["Terminating"] }, { activeDeadlineSeconds: 5 }, true],
    ["Terminating, of a pod without end", { scopes: ["Terminating"] }, {}, false],
    [
      "a priority class",
      {
        scopeSelector: {
          matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["system-node-critical"] }],
        },
      },
      { priorityClassName: "system-node-critical" },
      true,
    ],
  ])("of scope %s concerns the pods in it", async (_scope, scope, spec, concerned) => {
    const at = await namespaceWith({ pods: "0" }, scope);
    const answer = await server.call("POST", `${at}/pods`, pod("a", undefined, spec));
    expect(answer.status, answer.json.message).toBe(concerned ? 403 : 201);
  });

  it("of pods that end counts one from when it is given its end", async () => {
    const at = await namespaceWith({ pods: "1", "requests.cpu": "1" }, { scopes: ["Terminating"] });
    const requests = { cpu: "600m" };
    expect((await server.call("POST", `${at}/pods`, pod("a", requests))).status).toBe(201);
    expect(await usedIn(at)).toEqual({ pods: "0", "requests.cpu": "0" });
    const ending = await server.call("PATCH", `${at}/pods/a`, { spec: { activeDeadlineSeconds: 30 } });
    expect(ending.status, ending.json.message).toBe(200);
    expect(await usedIn(at)).toEqual({ pods: "1", "requests.cpu": "600m" });
    await server.call("PATCH", `${at}/pods/a`, { spec: { activeDeadlineSeconds: 20 } });
    expect(await usedIn(at)).toEqual({ pods: "1", "requests.cpu": "600m" });
    const refused = await server.call("POST", `${at}/pods`, pod("b", requests, { activeDeadlineSeconds: 5 }));
    expect([refused.status, refused.json.message]).toEqual([403, expect.stringContaining("exceeded quota: q")]);
  });

  it("follows services that change their type", async () => {
    const at = await namespaceWith({ "services.nodeports": "1", services: "2" });
    const service = (type: string) => ({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "s" },
      spec: {
        type,
        ports: [
          { name: "a", port: 1 },
          { name: "b", port: 2 },
        ],
      },
    });
    expect((await server.call("POST", `${at}/services`, service("ClusterIP"))).status).toBe(201);
    const refused = await server.call("PATCH", `${at}/services/s`, { spec: { type: "NodePort" } });
    expect(refused.json.message).toContain("requested: services.nodeports=2, used: services.nodeports=0");
  });
});
