// Plug-ins by flag that read settings of the cluster and annotations of namespaces, through the whole server.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LooseJson, startTestServer, type TestServer } from "./admission.testing.ts";
import { readNodeSelectors } from "./pod-node-selector.ts";
import { readTolerationSettings } from "./pod-toleration-restriction.ts";

const folder = mkdtempSync(join(tmpdir(), "plinth-plugins-"));
afterAll(() => rmSync(folder, { recursive: true }));

let server: TestServer;

beforeAll(async () => {
  const file = join(folder, "admission.yaml");
  const tolerations = { default: [{ key: "pool", operator: "Exists" }], whitelist: [{ operator: "Exists" }] };
  const selectors = { clusterDefaultNodeSelector: "pool=shared", narrow: "pool=shared,disk=ssd" };
  writeFileSync(
    file,
    JSON.stringify({
      apiVersion: "apiserver.config.k8s.io/v1",
      kind: "AdmissionConfiguration",
      plugins: [
        { name: "PodNodeSelector", configuration: { podNodeSelectorPluginConfig: selectors } },
        { name: "PodTolerationRestriction", configuration: tolerations },
        { name: "PodSecurity", configuration: { defaults: { warn: "baseline" } } },
      ],
    }),
  );
  server = await startTestServer({
    flags: [
      "--enable-admission-plugins=PodNodeSelector,PodTolerationRestriction",
      "--disable-admission-plugins=DefaultTolerationSeconds,ServiceAccount",
      "--feature-gates=PodTopologyLabelsAdmission=true",
      `--admission-control-config-file=${file}`,
    ],
  });
  await namespace("plain", {});
  await namespace("narrow", {});
  await namespace("own", { "scheduler.alpha.kubernetes.io/node-selector": "team=a, disk = ssd" });
  await namespace("wrong", {
    "scheduler.alpha.kubernetes.io/node-selector": "team",
    "scheduler.alpha.kubernetes.io/tolerationsWhitelist": "{",
  });
  await namespace("strict", {
    "scheduler.alpha.kubernetes.io/defaultTolerations": '[{"key":"gpu","operator":"Exists","effect":"NoSchedule"}]',
    "scheduler.alpha.kubernetes.io/tolerationsWhitelist": '[{"key":"gpu","operator":"Exists"}]',
  });
  await namespace("open", { "scheduler.alpha.kubernetes.io/defaultTolerations": "" });
  await create("/api/v1/nodes", {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name: "n",
      labels: { "topology.kubernetes.io/zone": "z", "topology.kubernetes.io/region": "r", x: "y" },
    },
  });
});
afterAll(() => server.close());

async function create(url: string, body: LooseJson): Promise<LooseJson> {
  const { json } = await server.call("POST", url, body);
  return json;
}

const namespace = (name: string, annotations: Record<string, string>) =>
  create("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name, annotations } });

const pod = (within: string, spec: LooseJson = {}, name = "p") =>
  create(`/api/v1/namespaces/${within}/pods?dryRun=All`, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { "topology.kubernetes.io/zone": "mine" } },
    spec: { containers: [{ name: "c", image: "i" }], ...spec },
  });

describe("PodNodeSelector", () => {
  it.each<[string, LooseJson, LooseJson]>([
    ["plain", {}, { pool: "shared" }],
    ["plain", { nodeSelector: { disk: "hdd" } }, { pool: "shared", disk: "hdd" }],
    ["own", {}, { team: "a", disk: "ssd" }],
    ["own", { nodeSelector: { team: "a" } }, { team: "a", disk: "ssd" }],
    ["narrow", { nodeSelector: { disk: "ssd" } }, { pool: "shared", disk: "ssd" }],
  ])("in %s makes of %j the selector %j", async (within, spec, expected) => {
    expect((await pod(within, spec)).spec.nodeSelector).toEqual(expected);
  });

  it.each<[string, LooseJson, number, string]>([
    [
      "own",
      { team: "b" },
      403,
      'pods "p" is forbidden: pod node label selector conflicts with its namespace node label selector',
    ],
    [
      "narrow",
      { zone: "z" },
      403,
      'pods "p" is forbidden: pod node label selector labels conflict with its namespace whitelist',
    ],
    ["wrong", {}, 500, "invalid selector: [team]"],
  ])("in %s refuses %j", async (within, nodeSelector, code, message) => {
    expect(await pod(within, { nodeSelector })).toMatchObject({ code, message });
  });

  it("is not started with settings that it cannot read", () => {
    expect(() => readNodeSelectors({ podNodeSelectorPluginConfig: { a: "b" } })).toThrow(/Config.a: invalid selector/);
    expect(() => readNodeSelectors({ podNodeSelectorPluginConfig: 1 })).toThrow(/must be an object/);
  });
});

describe("PodTolerationRestriction", () => {
  const POOL = { key: "pool", operator: "Exists" };
  const GPU = { key: "gpu", operator: "Exists", effect: "NoSchedule" };
  const PRESSURE = { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" };
  const BURSTABLE = { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "1" } } }] };

  it.each<[string, LooseJson, LooseJson]>([
    ["plain", {}, [POOL]],
    ["plain", { tolerations: [GPU] }, [GPU, POOL]],
    ["plain", BURSTABLE, [POOL, PRESSURE]],
    ["strict", {}, [GPU]],
    ["strict", { tolerations: [{ key: "gpu", operator: "Exists" }] }, [{ key: "gpu", operator: "Exists" }]],
    ["open", {}, undefined],
  ])("in %s makes of %j the tolerations %j", async (within, spec, expected) => {
    expect((await pod(within, spec)).spec.tolerations).toEqual(expected);
  });

  it.each<[string, LooseJson, string]>([
    ["strict", { tolerations: [POOL] }, "conflict with its namespace whitelist"],
    ["strict", BURSTABLE, "conflict with its namespace whitelist"],
  ])("in %s refuses %j", async (within, spec, words) => {
    expect(await pod(within, spec)).toMatchObject({ code: 500, message: expect.stringContaining(words) });
  });

  it("is not started with settings that are no tolerations", () => {
    expect(() => readTolerationSettings({ default: [{ operator: "Often" }] })).toThrow(/default\[0\]/);
    expect(() => readTolerationSettings({ whitelist: "x" })).toThrow(/whitelist: must be a list/);
  });
});

describe("PodSecurity", () => {
  it("holds namespaces that say nothing to what its settings say", async () => {
    const { warnings } = await server.call("POST", "/api/v1/namespaces/plain/pods?dryRun=All", {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p" },
      spec: { hostPID: true, containers: [{ name: "c", image: "i" }] },
    });
    expect(warnings.join()).toContain("would violate PodSecurity");
  });
});

describe("PodTopologyLabels", () => {
  const PLACE = { "topology.kubernetes.io/zone": "z", "topology.kubernetes.io/region": "r" };

  it("copies where the node is onto a pod that is made there", async () => {
    expect((await pod("plain", { nodeName: "n" })).metadata.labels).toEqual(PLACE);
    expect((await pod("plain", { nodeName: "gone" })).metadata.labels).toEqual({
      "topology.kubernetes.io/zone": "mine",
    });
    expect((await pod("plain")).metadata.labels).toEqual({ "topology.kubernetes.io/zone": "mine" });
  });

  it("copies it onto a pod that is bound", async () => {
    const url = "/api/v1/namespaces/plain/pods";
    await create(url, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "b", labels: { app: "x" } },
      spec: { containers: [{ name: "c", image: "i" }] },
    });
    const target = { kind: "Node", name: "n" };
    const bound = { apiVersion: "v1", kind: "Binding", metadata: { name: "b" }, target };
    expect(await create(`${url}/b/binding`, bound)).toMatchObject({ status: "Success" });
    expect((await server.call("GET", `${url}/b`)).json.metadata.labels).toEqual({ ...PLACE, app: "x" });
  });
});
