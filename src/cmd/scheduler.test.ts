import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ADMIN_TOKEN, ask, readyUrl, runCommand, startCommand, useCommands } from "./commands.testing.ts";

const test = useCommands();

const SCHEDULER_TOKEN = "scheduler-token";

describe("plinth scheduler", () => {
  it("places pods of a server elsewhere, with the rights of its role, one of two at a time", async () => {
    const flags = test.folder.serverFlags();
    const tokens = `${ADMIN_TOKEN},admin,1,"system:masters"\n${SCHEDULER_TOKEN},system:kube-scheduler,2\n`;
    test.folder.file("tokens.csv", tokens);
    const off = "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition";
    const server = await startCommand(["apiserver", ...flags, off], test.folder.path);
    test.running.push(server);
    const url = await readyUrl(server);
    const kubeconfig = test.folder.file("kubeconfig", kubeconfigFor(url, join(test.folder.path, "data/pki/ca.crt")));
    const configuration = test.folder.file("config.yaml", configurationFor(kubeconfig));
    const port = await freePort();
    const schedulers = await Promise.all(
      [
        [`--secure-port=${port}`, `--kubeconfig=${kubeconfig}`, ...asInstalled(kubeconfig)],
        ["--secure-port=0", `--config=${configuration}`],
      ].map((own) => startCommand(["scheduler", ...own])),
    );
    test.running.push(...schedulers);

    const admin = { token: ADMIN_TOKEN };
    const post = (path: string, body: object) => ask(url + path, { ...admin, method: "POST", body });
    const allocatable = { cpu: "1", memory: "1Gi", pods: "10" };
    await post("/api/v1/nodes", { metadata: { name: "n" }, status: { allocatable } });
    const containers = [{ name: "app", image: "app" }];
    const made = await post("/api/v1/namespaces/default/pods", { metadata: { name: "p" }, spec: { containers } });
    expect(made.status).toBe(201);
    const nodeName = async () => {
      const { text } = await ask(`${url}/api/v1/namespaces/default/pods/p`, admin);
      return (JSON.parse(text) as { spec: { nodeName?: string } }).spec.nodeName;
    };
    await expect.poll(nodeName, { timeout: 20_000 }).toBe("n");
    const lease = await ask(
      `${url}/apis/coordination.platform.io/v1/namespaces/platform-system/leases/kube-scheduler`,
      admin,
    );
    expect(lease.status).toBe(200);
    const own = `https://127.0.0.1:${port}`;
    // The other may have placed the pod before this one listens.
    await expect.poll(async () => (await ask(`${own}/healthz`, {})).text, { timeout: 20_000 }).toBe("ok");
    expect((await ask(`${own}/metrics`, {})).status).toBe(403);
    expect((await ask(`${own}/metrics`, admin)).text).toContain("# TYPE scheduler_schedule_attempts_total counter");
    expect((await ask(`${own}/metrics`, admin)).text).toMatch(/^rest_client_requests_total\{code="201",host="127/m);
    const warned = schedulers[0]!.output.stderr.match(/the flag --[a-z-]+ has no effect/g);
    expect(warned).toEqual(["the flag --profiling has no effect"]);
    for (const each of schedulers) expect((await each.stop()).code).toBe(0);
  }, 60_000);

  it("ends when the server speaks another dialect, and says which flag is missing", async () => {
    const flags = test.folder.serverFlags();
    test.folder.file("tokens.csv", `${SCHEDULER_TOKEN},admin,1,"system:masters"\n`);
    const server = await startCommand(["apiserver", ...flags, "--dialect=kubernetes"], test.folder.path);
    test.running.push(server);
    const url = await readyUrl(server);
    const kubeconfig = test.folder.file("kubeconfig", kubeconfigFor(url, join(test.folder.path, "data/pki/ca.crt")));
    for (const component of ["scheduler", "controller-manager"]) {
      const { code, stderr } = await runCommand(component, "--secure-port=0", `--kubeconfig=${kubeconfig}`);
      expect(stderr).toContain("the server speaks the dialect kubernetes: start with --dialect=kubernetes");
      expect(code).toBe(1);
    }
  }, 60_000);

  it("does not start with a configuration that it does not understand, and says which field", async () => {
    const file = test.folder.file("config.yaml", `${configurationFor("k")}percentageOfNodesToScore: 101\n`);
    const { code, stderr } = await runCommand("scheduler", `--config=${file}`);
    expect(code).toBe(1);
    expect(stderr).toContain(`--config: ${file}: percentageOfNodesToScore: 101 is not between 0 and 100`);
  });
});

describe.runIf(availableParallelism() > 1)("plinth up", () => {
  it("has a thread for its scheduler when there are many nodes", async () => {
    const flags = [...test.folder.serverFlags(), "--authorization-mode=Node", "--simulated-nodes=1000", "-v=4"];
    const up = await startCommand(["up", ...flags], test.folder.path);
    test.running.push(up);
    const url = await readyUrl(up);
    const admin = { token: ADMIN_TOKEN };
    const moved = "there are many nodes: the scheduler moves to a thread of its own";
    await expect.poll(() => up.output.stderr, { timeout: 120_000 }).toContain(moved);
    const measured = async () => (await ask(`${url}/metrics`, admin)).text;
    await expect.poll(measured, { timeout: 30_000 }).toContain('scheduler_cache_size{type="nodes"} 1000');
    const body = { metadata: { name: "p" }, spec: { containers: [{ name: "app", image: "app" }] } };
    const pods = `${url}/api/v1/namespaces/default/pods`;
    expect((await ask(pods, { ...admin, method: "POST", body })).status).toBe(201);
    const pod = async () => (await ask(`${pods}/p`, admin)).text;
    await expect.poll(pod, { timeout: 30_000 }).toMatch(/"nodeName":"simulated-/);
    // Counted by the thread alone: what was counted before it is gone with the one before.
    expect(await measured()).toContain(
      'scheduler_schedule_attempts_total{profile="default-scheduler",result="scheduled"} 1',
    );
    expect((await up.stop()).code).toBe(0);
  }, 240_000);
});

const configurationFor = (kubeconfig: string): string => `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection: { kubeconfig: ${kubeconfig} }
`;

/** What upstream's installer gives it, and one that means nothing here. */
function asInstalled(kubeconfig: string): string[] {
  return [
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    "--bind-address=127.0.0.1",
    "--leader-elect=true",
    "--leader-elect-resource-lock=leases",
    "--profiling=true",
    "--pod-max-in-unschedulable-pods-duration=1m",
  ];
}

async function freePort(): Promise<number> {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  taken.close();
  return port;
}

function kubeconfigFor(server: string, ca: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server, "certificate-authority": ca } }],
    users: [{ name: "u", user: { token: SCHEDULER_TOKEN } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
}
