// Helm as it is: a chart with definitions, hooks and a test is installed, upgraded, taken back and removed.

import { execFile, execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Running, readyUrl, startCommand, TestFolder } from "../../src/cmd/commands.testing.ts";

const isInstalled = ((): boolean => {
  try {
    execFileSync("helm", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

const DEFINITION = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {plural: widgets, singular: widget, kind: Widget}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {size: {type: integer, maximum: 9}}}}
`;

const TEMPLATES = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx}]}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: web}
spec: {size: {{ .Values.replicas }}}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: prepare
  annotations: {helm.sh/hook: "pre-install,pre-upgrade", helm.sh/hook-delete-policy: "before-hook-creation"}
spec:
  template:
    spec: {restartPolicy: Never, containers: [{name: prepare, image: busybox}]}
---
apiVersion: v1
kind: Pod
metadata: {name: try, annotations: {helm.sh/hook: test}}
spec: {restartPolicy: Never, containers: [{name: try, image: busybox}]}
`;

describe.skipIf(!isInstalled)(isInstalled ? "Helm" : "Helm (skipped: there is no helm)", () => {
  let folder: TestFolder;
  let server: Running;
  let chart: string;

  beforeAll(async () => {
    folder = new TestFolder();
    chart = join(folder.path, "chart");
    for (const part of ["crds", "templates"]) mkdirSync(join(chart, part), { recursive: true });
    folder.file("chart/Chart.yaml", "{apiVersion: v2, name: web, version: 1.0.0}");
    folder.file("chart/values.yaml", "{replicas: 1}");
    folder.file("chart/crds/widgets.yaml", DEFINITION);
    folder.file("chart/templates/all.yaml", TEMPLATES);
    const dataDir = join(folder.path, "data");
    const flags = ["--dialect=kubernetes", "--simulated-nodes=1", "--secure-port=0", `--data-dir=${dataDir}`];
    server = await startCommand(["up", ...flags], folder.path);
    await readyUrl(server);
  }, 60_000);
  afterAll(async () => {
    expect((await server.stop()).code).toBe(0);
    folder.remove();
  });

  function helm(...args: string[]): Promise<string> {
    const env = { ...process.env, KUBECONFIG: join(folder.path, "data/kubeconfig"), HELM_CACHE_HOME: folder.path };
    return new Promise((resolve, reject) => {
      execFile("helm", [...args, "--namespace=shop"], { env, timeout: 60_000 }, (error, stdout, stderr) =>
        error === null ? resolve(stdout) : reject(new Error(`helm ${args.join(" ")}: ${stderr}`)),
      );
    });
  }
  const WAIT = ["--wait", "--timeout=50s"];

  it("installs, upgrades, takes back, tries and removes a release", { retry: 0, timeout: 400_000 }, async () => {
    await helm("install", "web", chart, "--create-namespace", ...WAIT);
    await helm("upgrade", "web", chart, "--set=replicas=3", ...WAIT);
    await expect(helm("upgrade", "web", chart, "--set=replicas=10", ...WAIT)).rejects.toThrow(
      /spec\.size: Invalid value: 10: .*less than or equal to 9/,
    );
    await helm("rollback", "web", "2", ...WAIT);
    const history = JSON.parse(await helm("history", "web", "--output=json")) as { status: string }[];
    expect(history.map(({ status }) => status)).toEqual(["superseded", "superseded", "failed", "deployed"]);
    expect(await helm("test", "web")).toMatch(/Phase: +Succeeded/);
    await helm("uninstall", "web", ...WAIT);
    expect(JSON.parse(await helm("list", "--output=json"))).toEqual([]);
  });
});
