// `--dry-run=client`: commands that write say what they would do, and nothing that changes anything reaches the server.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DIALECTS } from "../meta/names.ts";
import { type CliServer, startCliServer } from "./cli.testing.ts";

const json = (value: unknown): string => JSON.stringify(value);
const configMap = (name: string): string =>
  json({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { key: "new" } });

const heldPod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "held",
    labels: { app: "held" },
    ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "rs", uid: "1", controller: true }],
  },
  spec: { nodeName: "n1", containers: [{ name: "c", image: "i" }] },
};

describe.each(DIALECTS)("a dry run of the client (%s)", (dialect) => {
  let server: CliServer;
  beforeAll(async () => {
    server = await startCliServer(dialect);
    const made = [
      "create deployment web --image=i:1 --port=80",
      "create configmap there --from-literal=key=old",
      "create serviceaccount default",
      "label cm there tier=web",
    ];
    for (const line of made) expect(await server.run(line)).toMatchObject({ code: 0, err: "" });
    await server.call("POST", "/api/v1/nodes", { apiVersion: "v1", kind: "Node", metadata: { name: "n1" } });
    expect(await server.run("create -f -", json(heldPod))).toMatchObject({ code: 0, err: "" });
  });
  afterAll(() => server.close());

  it.each([
    ["create namespace shop", "namespace/shop created (dry run)\n"],
    ["create configmap a --from-literal=a=b", "configmap/a created (dry run)\n"],
    ["create secret generic a --from-literal=a=b", "secret/a created (dry run)\n"],
    ["create serviceaccount a", "serviceaccount/a created (dry run)\n"],
    ["create role a --verb=get --resource=pods", /^role\.rbac\.authorization\.\S+\/a created \(dry run\)\n$/],
    ["create deployment a --image=i", "deployment.apps/a created (dry run)\n"],
    ["create job a --image=i", "job.batch/a created (dry run)\n"],
    ["create service clusterip a --tcp=80", "service/a created (dry run)\n"],
    ["create ingress a --rule=h/=s:80", /^ingress\.networking\.\S+\/a created \(dry run\)\n$/],
    ["create -f -", "configmap/new created (dry run)\n", configMap("new")],
    ["apply -f -", "configmap/there serverside-applied (dry run)\n", configMap("there")],
    ["apply -f - -o name", "configmap/there\n", configMap("there")],
    ["replace -f -", "configmap/there replaced (dry run)\n", configMap("there")],
    ["label cm there more=yes", "configmap/there labeled (dry run)\n"],
    ["label cm there more=yes tier- --list", "configmap/there labeled (dry run)\nmore=yes\n"],
    ["annotate cm there note=x", "configmap/there annotated (dry run)\n"],
    ["patch cm there -p {} --type=merge", "configmap/there patched (dry run)\n"],
    ["scale deploy web --replicas=3", "deployment.apps/web scaled (dry run)\n"],
    ["scale deploy web --replicas=3 -o json", `${JSON.stringify({ spec: { replicas: 3 } }, null, 4)}\n`],
    ["set image deploy/web *=i:2", "deployment.apps/web image updated (dry run)\n"],
    ["set env deploy/web A=b", "deployment.apps/web env updated (dry run)\n"],
    ["expose deploy web --name=front", "service/front exposed (dry run)\n"],
    ["run once --image=i", "pod/once created (dry run)\n"],
    ["autoscale deploy web --max=3", "horizontalpodautoscaler.autoscaling/web autoscaled (dry run)\n"],
    ["taint node n1 a=b:NoSchedule", "node/n1 tainted (dry run)\n"],
    ["cordon n1", "node/n1 cordoned (dry run)\n"],
    [
      "drain n1 --delete-emptydir-data",
      "node/n1 cordoned (dry run)\nevicting pod default/held (dry run)\nnode/n1 drained (dry run)\n",
    ],
    ["delete cm there", 'configmap "there" deleted from default namespace (dry run)\n'],
    ["delete deploy --all", 'deployment.apps "web" deleted from default namespace (dry run)\n'],
  ])("of %s sends nothing that changes anything", async (line, out, stdin?: string) => {
    const before = server.asked.length;
    const ran = await server.run(`${line} --dry-run=client`, stdin);
    expect(ran).toMatchObject({ code: 0, err: "" });
    if (typeof out === "string") expect(ran.out).toBe(out);
    else expect(ran.out).toMatch(out);
    expect(server.asked.slice(before).filter((asked) => !asked.startsWith("GET "))).toEqual([]);
  });

  it("shows what would be sent", async () => {
    const shown = async (line: string, stdin?: string) =>
      (await server.run(`${line} --dry-run=client -o yaml`, stdin)).out;
    expect(await shown("apply -f -", configMap("there"))).toBe(
      "apiVersion: v1\ndata:\n  key: new\nkind: ConfigMap\nmetadata:\n  name: there\n  namespace: default\n",
    );
    expect(await shown("set image deploy/web *=i:2")).toMatch(
      /^apiVersion: apps\/v1\n[\s\S]*\n {6}containers:\n {6}- image: i:2\n/,
    );
  });

  it("finds what is not there, and refuses what only the server knows", async () => {
    const failure = async (line: string, stdin?: string) => (await server.run(`${line} --dry-run=client`, stdin)).err;
    expect(await failure("delete cm nobody")).toContain("not found");
    expect(await failure("apply -f - --show-owners", configMap("a"))).toBe(
      "error: --show-owners needs the server's word: use --dry-run=server\n",
    );
    expect(await failure("apply -f - --prune --applyset=x", configMap("a"))).toContain(
      "--prune needs the server's word",
    );
  });
});

describe.each(DIALECTS)("a dry run of the server (%s)", (dialect) => {
  it("of drain asks whether every pod may go, and does not wait for those that may not", async () => {
    const server = await startCliServer(dialect);
    try {
      await server.call("POST", "/api/v1/nodes", { apiVersion: "v1", kind: "Node", metadata: { name: "n1" } });
      await server.run("create serviceaccount default");
      const free = { ...heldPod, metadata: { ...heldPod.metadata, name: "free", labels: {} } };
      for (const pod of [free, heldPod])
        expect(await server.run("create -f -", json(pod))).toMatchObject({ code: 0, err: "" });
      const running = { status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } };
      for (const name of ["free", "held"]) {
        const patch = ["patch", "pod", name, "--subresource=status", "--type=merge", "-p", json(running)];
        expect(await server.run(patch)).toMatchObject({ code: 0, err: "" });
      }
      await server.run("create pdb all --selector=app=held --min-available=1");
      const status = { observedGeneration: 1, expectedPods: 1, currentHealthy: 1, desiredHealthy: 1 };
      const counted = json({ status: { ...status, disruptionsAllowed: 0 } });
      expect(await server.run(["patch", "pdb", "all", "--subresource=status", "-p", counted])).toMatchObject({
        code: 0,
      });
      const before = await server.run("get nodes,pods -o yaml");
      const drained = await server.run("drain n1 --dry-run=server");
      expect([drained.code, drained.out]).toEqual([
        0,
        "node/n1 cordoned (server dry run)\nevicting pod default/free (server dry run)\n" +
          "evicting pod default/held (server dry run)\nnode/n1 drained (server dry run)\n",
      ]);
      expect(drained.err).toMatch(/^pod default\/held cannot leave yet \(.*disruption budget.*\)\n$/);
      expect(await server.run("get nodes,pods -o yaml")).toEqual(before);
    } finally {
      await server.close();
    }
  });
});
