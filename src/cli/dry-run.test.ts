// `--dry-run=client`: commands that write say what they would do, and nothing that changes anything reaches the server.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DIALECTS, namesFor } from "../meta/names.ts";
import { type CliServer, startCliServer } from "./cli.testing.ts";
import { readPathTemplate } from "./printing/path-template.ts";

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
    ["patch cm there -p {} --type=merge", "configmap/there patched (no change) (dry run)\n"],
    ["scale deploy web --replicas=3", "deployment.apps/web scaled (dry run)\n"],
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

  it("of files shows the namespace that objects would be in, and a name that is not known yet", async () => {
    const shown = async (object: object, flags: string) =>
      (await server.run(`create -f - --dry-run=client ${flags}`.trim(), json({ apiVersion: "v1", ...object }))).out;
    const made = { kind: "ConfigMap", metadata: { generateName: "a-" } };
    expect(await shown(made, "-o yaml")).toContain("metadata:\n  generateName: a-\n  namespace: default\n");
    expect(await shown(made, "")).toBe("configmap/<unknown> created (dry run)\n");
    const wide = { kind: "Namespace", metadata: { name: "wide", namespace: "other" } };
    expect(await shown(wide, "-o yaml")).toBe("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: wide\n");
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

  it.each<[line: string, path: string, value: string]>([
    ["label cm there more=yes", "{.metadata.labels}", '{"more":"yes","tier":"web"}'],
    ["label cm there tier-", "{.metadata.labels}{.metadata.name}", "there"],
    ["annotate cm there note=x", "{.metadata.annotations.note}", "x"],
    ["scale deploy web --replicas=3", "{.spec.replicas}{.spec.template.spec.containers[0].image}", "3i:1"],
    ['patch cm there -p {"data":{"more":"1"}}', "{.data}", '{"key":"old","more":"1"}'],
    ['patch cm there --type=merge -p {"data":{"key":null,"more":"1"}}', "{.data}", '{"more":"1"}'],
    ['patch cm there --type=json -p [{"op":"test","path":"/data/key","value":"old"}]', "{.data.key}", "old"],
    [
      'patch deploy web -p {"spec":{"template":{"spec":{"containers":[{"name":"i","tty":true}]}}}}',
      "{.spec.template.spec.containers[0].image}{.spec.template.spec.containers[0].tty}",
      "i:1true",
    ],
    ["set image deploy/web *=i:2", "{.kind}{.spec.template.spec.containers[0].image}", "Deploymenti:2"],
    ["taint node n1 a=b:NoSchedule", "{.metadata.name}{.spec.taints[1].key}", "n1a"],
  ])("shows the whole object as it would be, as a dry run of the server does: %s", async (line, path, value) => {
    const at = async (mode: string) => {
      const { code, out, err } = await server.run(`${line} --dry-run=${mode} -o json`);
      expect([code, err]).toEqual([0, ""]);
      return readPathTemplate(path)(JSON.parse(out));
    };
    expect(await at("client")).toBe(value);
    expect(await at("server")).toBe(value);
  });

  it("says of a patch why it does not fit, and knows what custom kinds do not have", async () => {
    const failure = async (line: string) => (await server.run(`${line} --dry-run=client`)).err;
    expect(await failure('patch cm there --type=json -p [{"op":"remove","path":"/data/none"}]')).toMatch(
      /^error: unable to patch: .*none/,
    );
    expect(await failure("patch cm there --type=merge -p 1")).toContain("cannot unmarshal number");
    const group = "example.com";
    const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    const scale = { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" };
    const definition = {
      apiVersion: `${namesFor(dialect).group("apiextensions")}/v1`,
      kind: "CustomResourceDefinition",
      metadata: { name: `herds.${group}` },
      spec: {
        group,
        scope: "Namespaced",
        names: { plural: "herds", kind: "Herd" },
        versions: [{ name: "v1", served: true, storage: true, schema, subresources: { scale } }],
      },
    };
    expect(await server.run("create -f -", json(definition))).toMatchObject({ code: 0, err: "" });
    await server.run("wait crd/herds.example.com --for=condition=Established");
    const herd = { apiVersion: `${group}/v1`, kind: "Herd", metadata: { name: "h" }, spec: { size: 1 } };
    expect(await server.run("create -f -", json(herd))).toMatchObject({ code: 0, err: "" });
    const shown = async (line: string) =>
      JSON.parse((await server.run(`${line} --dry-run=client -o json`)).out).spec as unknown;
    expect(await shown('patch herd h -p {"spec":{"age":2}}')).toEqual({ age: 2, size: 1 });
    expect(await failure("patch herd h --type=strategic -p {}")).toContain("without strategic merge: use --type=merge");
    expect(await shown("scale herd h --replicas=4")).toEqual({ size: 4 });
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
