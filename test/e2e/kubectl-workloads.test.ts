// The tour of the README with a real kubectl: a Deployment whose pods become ready on simulated nodes, move when a node is
// drained, and wait when there is no room.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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

    it("says why a pod has no node", async () => {
      const container = { name: "big", image: "big", resources: { requests: { cpu: "100" } } };
      await run("run", "big", "--image=big", `--overrides=${JSON.stringify({ spec: { containers: [container] } })}`);
      await run("wait", "pod/big", "--for=jsonpath={.status.conditions[0].reason}=Unschedulable", "--timeout=25s");
      expect(await run("describe", "pod", "big")).toContain("0/3 nodes are available: 3 Insufficient cpu.");
    }, 60_000);
  },
);
