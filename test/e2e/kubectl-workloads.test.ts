// The tour of the README with a real kubectl: a Deployment whose pods become ready on simulated nodes, move when a node is
// drained, and wait when there is no room; and what else kubectl does with controllers.

import { execFile } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeSigningRequest } from "../../src/base/make-signing-request.ts";
import { type Running, readyUrl, startCommand, TestFolder } from "../../src/cmd/commands.testing.ts";
import { findKubectl } from "./find-kubectl.ts";

const kubectl = findKubectl();
const title = "kubectl and workloads on simulated nodes";

describe.skipIf(kubectl === undefined)(
  kubectl === undefined ? `${title} (skipped: there is no kubectl)` : title,
  () => {
    let folder: TestFolder;
    let server: Running;

    beforeAll(async () => {
      folder = new TestFolder();
      const dataDir = join(folder.path, "data");
      server = await startCommand(
        ["up", "--dialect=kubernetes", "--simulated-nodes=3", "--secure-port=0", `--data-dir=${dataDir}`],
        folder.path,
      );
      await readyUrl(server);
    }, 60_000);
    afterAll(async () => {
      expect((await server.stop()).code).toBe(0);
      folder.remove();
    });

    function run(...args: string[]): Promise<string> {
      const env = { ...process.env, KUBECONFIG: join(folder.path, "data/kubeconfig") };
      return new Promise((resolve, reject) => {
        execFile(kubectl!.path, args, { env, timeout: 30_000 }, (error, stdout, stderr) =>
          error === null ? resolve(stdout) : reject(new Error(`kubectl ${args.join(" ")}: ${stderr}`)),
        );
      });
    }
    /** The server alone, without anybody's credentials. */
    const bareKubeconfig = async (): Promise<string> => {
      const { clusters } = JSON.parse(await run("config", "view", "--raw", "-o", "json")) as { clusters: object[] };
      const contexts = [{ name: "c", context: { cluster: (clusters[0] as { name: string }).name } }];
      const config = { apiVersion: "v1", kind: "Config", clusters, contexts, "current-context": "c" };
      return folder.file("bare.json", JSON.stringify(config));
    };
    const nodesOfPods = async (): Promise<string[]> => {
      const path = "jsonpath={range .items[*]}{.spec.nodeName}{'\\n'}{end}";
      return (await run("get", "pods", "-l", "app=web", "-o", path)).trim().split("\n").sort();
    };

    it("rolls a Deployment out, spread over the nodes", async () => {
      // New nodes are closed until a controller has seen them ready.
      const taints = () => run("get", "nodes", "-o", "jsonpath={.items[*].spec.taints[*].key}");
      await expect.poll(taints, { timeout: 20_000 }).toBe("");
      await run("create", "deployment", "web", "--image=nginx", "--replicas=3");
      expect(await run("rollout", "status", "deployment/web", "--timeout=25s")).toContain("successfully rolled out");
      expect(await nodesOfPods()).toEqual(["simulated-1", "simulated-2", "simulated-3"]);
    }, 60_000);

    it("drains a node, and brings it back", async () => {
      expect(await run("drain", "simulated-2", "--timeout=25s")).toContain("drained");
      await run("rollout", "status", "deployment/web", "--timeout=25s");
      expect(await nodesOfPods()).not.toContain("simulated-2");
      await run("uncordon", "simulated-2");
      await run("scale", "deployment/web", "--replicas=6");
      await run("rollout", "status", "deployment/web", "--timeout=25s");
      expect(await nodesOfPods()).toContain("simulated-2");
    }, 90_000);

    const imageOf = (name: string) => run("get", "deployment", name, "-o", "jsonpath={..image}");
    const rolled = (name: string) => run("rollout", "status", `deployment/${name}`, "--timeout=25s");

    it("goes back, restarts, pauses and resumes a rollout", async () => {
      await run("create", "deployment", "versions", "--image=app:1", "--replicas=2");
      await rolled("versions");
      await run("set", "image", "deployment/versions", "app=app:2");
      await rolled("versions");
      expect(await run("rollout", "history", "deployment/versions")).toMatch(/^1 .*\n2 /m);
      await run("rollout", "undo", "deployment/versions");
      await rolled("versions");
      expect(await imageOf("versions")).toBe("app:1");

      await run("rollout", "restart", "deployment/versions");
      await rolled("versions");
      const uids = () => run("get", "pods", "-l", "app=versions", "-o", "jsonpath={.items[*].metadata.uid}");
      await run("rollout", "pause", "deployment/versions");
      const before = await uids();
      await run("set", "image", "deployment/versions", "app=app:3");
      const paused = "jsonpath={.status.observedGeneration} {.metadata.generation} {.status.updatedReplicas}";
      await expect
        .poll(() => run("get", "deployment", "versions", "-o", paused), { timeout: 20_000 })
        .toMatch(/^(\d+) \1 0?$/);
      expect(await uids()).toBe(before);
      await run("rollout", "resume", "deployment/versions");
      await rolled("versions");
      expect(await uids()).not.toBe(before);
    }, 120_000);

    it("makes an autoscaler", async () => {
      await run("autoscale", "deployment", "web", "--min=1", "--max=3", "--cpu-percent=50");
      expect(await run("get", "hpa", "web", "-o", "jsonpath={.spec.scaleTargetRef.kind} {.spec.maxReplicas}")).toBe(
        "Deployment 3",
      );
      await run("delete", "hpa", "web");
    }, 60_000);

    it.each([
      ["orphan", /replicaset\S*\/kept-orphan/],
      ["foreground", /^$/],
      ["background", /^$/],
    ])(
      "deletes a Deployment with --cascade=%s",
      async (cascade, left) => {
        const name = `kept-${cascade}`;
        await run("create", "deployment", name, "--image=app", "--replicas=1");
        await rolled(name);
        await run("delete", "deployment", name, `--cascade=${cascade}`, "--timeout=25s");
        const sets = () => run("get", "replicasets", "-l", `app=${name}`, "-o", "name");
        await expect.poll(sets, { timeout: 20_000 }).toMatch(left);
        const pods = () => run("get", "pods", "-l", `app=${name}`, "-o", "name");
        await expect.poll(pods, { timeout: 20_000 }).toMatch(cascade === "orphan" ? /^pod\/kept-orphan/ : /^$/);
      },
      90_000,
    );

    it("runs a job of a CronJob at once", async () => {
      await run("create", "cronjob", "nightly", "--image=task", "--schedule=0 0 1 1 *");
      await run("create", "job", "now", "--from=cronjob/nightly");
      await run("wait", "job/now", "--for=condition=complete", "--timeout=25s");
      expect(await run("get", "job", "now", "-o", "jsonpath={.metadata.ownerReferences[0].kind}")).toBe("CronJob");
    }, 60_000);

    it("has a certificate signed once it is approved, and not when it is denied", async () => {
      const { requestPem } = await makeSigningRequest({ commonName: "jane", organizations: [] });
      const request = Buffer.from(requestPem).toString("base64");
      const file = (name: string) =>
        folder.file(
          `${name}.json`,
          JSON.stringify({
            apiVersion: "certificates.k8s.io/v1",
            kind: "CertificateSigningRequest",
            metadata: { name },
            spec: { request, signerName: "kubernetes.io/kube-apiserver-client", usages: ["client auth"] },
          }),
        );
      for (const name of ["yes", "no"]) await run("create", "-f", file(name));
      await run("certificate", "approve", "yes");
      await run("certificate", "deny", "no");
      const certificate = (name: string) => run("get", "csr", name, "-o", "jsonpath={.status.certificate}");
      await expect.poll(() => certificate("yes"), { timeout: 20_000 }).not.toBe("");
      const { subject } = new X509Certificate(Buffer.from(await certificate("yes"), "base64"));
      expect(subject).toBe("CN=jane");
      expect(await certificate("no")).toBe("");
    }, 60_000);

    it("gives tokens to service accounts, for a time and in Secrets", async () => {
      await run("create", "serviceaccount", "robot");
      // Beside the token there must be no certificate, which would count more.
      const bare = await bareKubeconfig();
      const asRobot = async (token: string) => {
        const shown = await run("--kubeconfig", bare, "auth", "whoami", `--token=${token.trim()}`);
        expect(shown).toContain("system:serviceaccount:default:robot");
      };
      await asRobot(await run("create", "token", "robot", "--duration=10m"));
      const secret = {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "robot", annotations: { "kubernetes.io/service-account.name": "robot" } },
        type: "kubernetes.io/service-account-token",
      };
      await run("create", "-f", folder.file("secret.json", JSON.stringify(secret)));
      const token = () => run("get", "secret", "robot", "-o", "jsonpath={.data.token}");
      await expect.poll(token, { timeout: 20_000 }).not.toBe("");
      await asRobot(Buffer.from(await token(), "base64").toString());
    }, 60_000);

    it("says why a pod has no node", async () => {
      const container = { name: "big", image: "big", resources: { requests: { cpu: "100" } } };
      await run("run", "big", "--image=big", `--overrides=${JSON.stringify({ spec: { containers: [container] } })}`);
      await run("wait", "pod/big", "--for=jsonpath={.status.conditions[0].reason}=Unschedulable", "--timeout=25s");
      expect(await run("describe", "pod", "big")).toContain("0/3 nodes are available: 3 Insufficient cpu.");
    }, 60_000);
  },
);
