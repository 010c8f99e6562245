// A real kubectl against a real server, in the dialect that it speaks. Which commands there are depends on its version:
// what it lacks is skipped by name.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { ADMIN_TOKEN, type Running, readyUrl, startCommand, TestFolder } from "../../src/cmd/commands.testing.ts";

/** The minor version of the kubectl at hand; undefined without one. */
const minor = kubectlMinor();

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

describe.skipIf(minor === undefined)(minor === undefined ? "kubectl (skipped: it is not installed)" : "kubectl", () => {
  let folder: TestFolder;
  let server: Running;
  let flags: string[];

  beforeAll(async () => {
    folder = new TestFolder();
    server = await startCommand(["apiserver", "--dialect=kubernetes", ...folder.serverFlags()]);
    const url = await readyUrl(server);
    folder.file("config", "apiVersion: v1\nkind: Config\n");
    flags = [
      `--server=${url}`,
      `--token=${ADMIN_TOKEN}`,
      "--insecure-skip-tls-verify=true",
      `--cache-dir=${join(folder.path, "cache")}`,
    ];
  });
  afterAll(async () => {
    await server.stop();
    folder.remove();
  });

  const start = (args: readonly string[]): ChildProcess =>
    spawn("kubectl", [...flags, ...args], {
      env: { PATH: process.env["PATH"], HOME: folder.path, KUBECONFIG: join(folder.path, "config") },
      cwd: folder.path,
    });

  const run = (line: string, input = ""): Promise<Outcome> =>
    new Promise((resolve, reject) => {
      const child = start(line.split(" "));
      let out = "";
      let err = "";
      child.stdout?.on("data", (chunk) => {
        out += chunk;
      });
      child.stderr?.on("data", (chunk) => {
        err += chunk;
      });
      child.on("error", reject);
      child.on("close", (code) => resolve({ code: code ?? -1, out, err }));
      child.stdin?.end(input);
    });

  const kubectl = async (line: string, input?: string): Promise<string> => {
    const { code, out, err } = await run(line, input);
    expect(code, `kubectl ${line}: ${err}`).toBe(0);
    return out;
  };

  const configMap = (name: string, data: Record<string, string>, more: object = {}) =>
    JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...more }, data });

  const dataOf = async (name: string): Promise<unknown> =>
    (JSON.parse(await kubectl(`get configmap ${name} -o json`)) as { data?: unknown }).data;

  it("learns the resources and versions there are", async () => {
    const resources = await kubectl("api-resources -o name");
    for (const name of ["configmaps", "pods", "deployments.apps", "leases.coordination.k8s.io"]) {
      expect(resources.split("\n")).toContain(name);
    }
    expect((await kubectl("api-versions")).split("\n")).toEqual(
      expect.arrayContaining(["v1", "apps/v1", "autoscaling/v2"]),
    );
    expect(await kubectl("api-resources --namespaced=false --verbs=list -o name")).toContain("nodes");
  });

  it("explains a kind down to its last field", async () => {
    expect(await kubectl("explain pods --recursive")).toMatch(/^ +ephemeralContainers\b[\s\S]*^ +startTime\b/m);
  });

  it("checks objects against the schema before it sends them", async () => {
    const broken = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "broken" }, datax: {} });
    const { code, err } = await run("create --validate=true -f -", broken);
    expect(code).toBe(1);
    expect(err).toContain('unknown field "datax"');
  });

  it("creates, shows and deletes", async () => {
    await kubectl("create -f -", configMap("made", { k: "v" }));
    expect(await kubectl("get configmap made -o wide")).toMatch(/^NAME +DATA +AGE\nmade +1 /);
    expect(await kubectl("get configmaps --field-selector=metadata.name=made -o name")).toBe("configmap/made\n");
    await kubectl("delete configmap made --wait=true");
    expect((await run("get configmap made")).err).toContain("(NotFound)");
  });

  it("creates nothing in a dry run", async () => {
    expect(await kubectl("create --dry-run=server -f -", configMap("dry", {}))).toContain("(server dry run)");
    expect((await run("get configmap dry")).code).toBe(1);
  });

  it("follows changes", async () => {
    const watching = start(["get", "configmaps", "-w", "-o", "name", "--field-selector=metadata.name=watched"]);
    let seen = "";
    watching.stdout?.on("data", (chunk) => {
      seen += chunk;
    });
    try {
      await kubectl("create -f -", configMap("watched", {}));
      await vi.waitFor(() => expect(seen).toContain("configmap/watched"), { timeout: 15_000, interval: 20 });
    } finally {
      watching.kill();
    }
  });

  it("applies on the client's side: what is gone from the file is gone from the object", async () => {
    await kubectl("apply -f -", configMap("applied", { a: "1", b: "2" }));
    await kubectl("apply -f -", configMap("applied", { a: "3" }));
    expect(await dataOf("applied")).toEqual({ a: "3" });
  });

  it("applies on the server's side, with conflicts that can be forced", async () => {
    await kubectl("apply --server-side --field-manager=one -f -", configMap("owned", { a: "1" }));
    const { code, err } = await run("apply --server-side --field-manager=two -f -", configMap("owned", { a: "2" }));
    expect(code).toBe(1);
    expect(err).toContain('conflict with "one"');
    await kubectl("apply --server-side --field-manager=two --force-conflicts -f -", configMap("owned", { a: "2" }));
    expect(await dataOf("owned")).toEqual({ a: "2" });
  });

  it("shows what an apply would change", async () => {
    await kubectl("apply -f -", configMap("compared", { a: "1" }));
    const { code, out } = await run("diff -f -", configMap("compared", { a: "2" }));
    expect([code, /^\+ +a: "2"$/m.test(out)]).toEqual([1, true]);
    expect((await run("diff -f -", configMap("compared", { a: "1" }))).code).toBe(0);
  });

  it.each([
    ["strategic", '{"data":{"b":"2"}}'],
    ["merge", '{"data":{"b":"2"}}'],
    ["json", '[{"op":"add","path":"/data/b","value":"2"}]'],
  ])("patches (%s)", async (type, patch) => {
    await kubectl("create -f -", configMap(`patched-${type}`, { a: "1" }));
    await kubectl(`patch configmap patched-${type} --type=${type} -p ${patch}`);
    expect(await dataOf(`patched-${type}`)).toEqual({ a: "1", b: "2" });
  });

  it("labels and annotates", async () => {
    await kubectl("create -f -", configMap("marked", {}));
    await kubectl("label configmap marked color=red");
    await kubectl("annotate configmap marked note=x");
    expect((await run("label configmap marked color=blue")).code).toBe(1);
    await kubectl("label configmap marked color=blue --overwrite");
    expect(await kubectl("get configmaps -l color=blue -o name")).toBe("configmap/marked\n");
    await kubectl("label configmap marked color-");
    expect(await kubectl("get configmaps -l color -o name")).toBe("");
  });

  it("replaces", async () => {
    await kubectl("create -f -", configMap("replaced", { a: "1" }));
    await kubectl("replace -f -", configMap("replaced", { b: "2" }));
    expect(await dataOf("replaced")).toEqual({ b: "2" });
    await kubectl("replace --force -f -", configMap("replaced", { c: "3" }));
    expect(await dataOf("replaced")).toEqual({ c: "3" });
  });

  it("waits for a deletion that a finalizer holds up", async () => {
    await kubectl("create -f -", configMap("held", {}, { finalizers: ["example.com/hold"] }));
    // It waits by itself until the object is gone.
    const deleting = kubectl("delete configmap held --timeout=60s");
    await expect
      .poll(() => kubectl("get configmap held -o jsonpath={.metadata.deletionTimestamp}"), { timeout: 30_000 })
      .not.toBe("");
    await kubectl('patch configmap held --type=merge -p {"metadata":{"finalizers":null}}');
    await deleting;
    expect((await run("get configmap held")).code).toBe(1);
  });

  it("lists page by page", async () => {
    const items = Array.from(
      { length: 7 },
      (_, i) => JSON.parse(configMap(`page-${i}`, {}, { labels: { paged: "yes" } })) as object,
    );
    await kubectl("create -f -", JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    const names = (await kubectl("get configmaps -l paged=yes --chunk-size=3 -o name")).trim().split("\n");
    expect(names).toEqual(items.map((_, i) => `configmap/page-${i}`));
  });

  it("reads any path", async () => {
    expect(await kubectl("get --raw /readyz")).toBe("ok");
    expect(await kubectl("get --raw /metrics")).toContain("apiserver_request_total{");
  });

  it.skipIf((minor ?? 0) < 24)("patches a sub-resource (skipped: from kubectl 1.24 on)", async () => {
    const service = {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "part" },
      spec: { type: "LoadBalancer", ports: [{ port: 80 }] },
    };
    await kubectl("create -f -", JSON.stringify(service));
    await kubectl(
      'patch service part --subresource=status --type=merge -p {"status":{"loadBalancer":{"ingress":[{"ip":"203.0.113.80"}]}}}',
    );
    expect(await kubectl("get service part -o jsonpath={.status.loadBalancer.ingress[0].ip}")).toBe("203.0.113.80");
  });

  it.skipIf((minor ?? 0) < 25)("leaves the check of fields to the server (skipped: from kubectl 1.25 on)", async () => {
    const { code, err } = await run(
      "create --validate=strict -f -",
      configMap("strict", {}).replace('"data"', '"datax"'),
    );
    expect(code).toBe(1);
    expect(err).toContain('unknown field "datax"');
  });
});

function kubectlMinor(): number | undefined {
  try {
    const text = execFileSync("kubectl", ["version", "--client", "-o", "json"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const { clientVersion } = JSON.parse(text.toString("utf8")) as { clientVersion: { minor: string } };
    return Number.parseInt(clientVersion.minor, 10);
  } catch {
    return undefined;
  }
}
