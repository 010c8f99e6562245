// `plinth up --node`: one command makes a cluster of this machine. Real containers, real networks, real names, a real kubectl.
// Needs root, containerd, runc, network plug-ins, nft and a static busybox; skipped where they are not.

import { execFile, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Running } from "../../src/cmd/commands.testing.ts";
import { DIALECTS } from "../../src/meta/names.ts";
import { findKubectl } from "./find-kubectl.ts";
import { completed, missingForMachine, NODE_IP, NodeMachine } from "./node-machine.testing.ts";

const missing = missingForMachine();
const why = missing === undefined ? "" : ` (skipped: ${missing})`;
/** A machine that is busy otherwise takes its time for containers. */
const SLOW = { timeout: 90_000 };
const REPLICAS = 3;
const TYPED = "echo $((6*7))\nexit\n";
const kubectl = findKubectl(30);
const noKubectl = kubectl === undefined ? " (skipped: there is no kubectl of 1.30 or later)" : "";

describe.skipIf(missing !== undefined).each(DIALECTS)(`one machine as a cluster, dialect %s${why}`, SLOW, (dialect) => {
  let machine: NodeMachine;
  let up: Running;

  beforeAll(async () => {
    machine = await NodeMachine.start(dialect);
    up = await start();
    await machine.untilNode("alone", "True");
  });
  afterAll(async () => {
    await machine?.stop();
  });

  function start(): Promise<Running> {
    return machine.up(
      "--node",
      "--hostname-override=alone",
      // Of the agent alone.
      "--feature-gates=CustomCPUCFSQuotaPeriod=true",
      `--container-runtime-endpoint=unix://${machine.runtime.socket}`,
      `--node-config-dir=${machine.agentDropIns()}`,
    );
  }

  it("answers for a Service on its address, on a port of the node and by its names", async () => {
    await createWeb(machine);
    const service = await machine.client.core.v1.services("default").get("web");
    const nodePort = service.spec.ports?.[0]?.nodePort;
    await vi.waitFor(
      async () => {
        const { status } = await machine.client.apps.v1.deployments("default").get("web");
        expect(status.readyReplicas).toBe(REPLICAS);
      },
      { timeout: 30_000, interval: 100 },
    );
    // From a pod: a try for every way, and all backends in turn; the rules of the last one may still be on their way.
    const words = await machine.outputOf(
      "asker",
      `cat /etc/resolv.conf
       for url in ${service.spec.clusterIP} web web.default.svc.cluster.local ${NODE_IP}:${nodePort}; do
         timeout 5 wget -qO- http://$url/ || exit 1
       done
       touch /tmp/seen
       while [ $(sort -u /tmp/seen | wc -l) -lt ${REPLICAS} ]; do timeout 5 wget -qO- http://web/ >> /tmp/seen || exit 1; done
       sort -u /tmp/seen
       nslookup -type=srv _http._tcp.web.default.svc.cluster.local
       nslookup nothing.default.svc.cluster.local; true`,
    );
    expect(words).toContain("nameserver 10.96.0.10");
    const answers = words.match(/^web-\S+$/gm) ?? [];
    expect(answers).toHaveLength(4 + REPLICAS);
    expect(words).toMatch(/service = 0 100 80 web\.default\.svc\.cluster\.local/);
    expect(words).toContain("NXDOMAIN");
    // From the machine itself.
    for (const url of [service.spec.clusterIP, `${NODE_IP}:${nodePort}`])
      expect(await machine.execute("busybox", "timeout", "5", "busybox", "wget", "-qO-", `http://${url}/`)).toMatch(
        /^web-/,
      );
  });

  it("has the features of the whole command on its node, too", async () => {
    const shown = await machine.client.request("GET", "/api/v1/nodes/alone/proxy/configz");
    expect(JSON.stringify(shown)).toContain('"CustomCPUCFSQuotaPeriod":true');
  });

  it("lets pods reach the API by its name", async () => {
    const name = `${machine.client.names.apiService}.default.svc.cluster.local`;
    const words = await machine.outputOf("caller", `nslookup ${name}; nc ${name} 443 < /dev/null && echo reached`);
    expect(words).toMatch(/10\.96\.0\.1\n[\s\S]*reached/);
  });

  it("tells a command that its input has ended, whatever protocols the runtime knows", async () => {
    await machine.createPod("reader", {});
    await machine.untilReady("reader");
    const content = "some words\n".repeat(100_000);
    const session = await machine.pods().exec("reader", { command: ["sh", "-c", "cat; exit 3"], stdin: true });
    const collected = session.collect();
    session.write(content);
    session.endInput();
    const { stdout, exit } = await collected;
    expect([stdout === content, exit.code]).toEqual([true, 3]);
  });

  describe.skipIf(kubectl === undefined)(`kubectl${noKubectl}`, () => {
    const environment = () => ({ ...process.env, HOME: machine.folder, KUBECONFIG: machine.kubeconfig });

    function run(...args: readonly string[]): Promise<string> {
      return new Promise((resolve, reject) => {
        execFile(kubectl!.path, args, { env: environment(), timeout: 20_000 }, (error, stdout, stderr) =>
          error === null ? resolve(stdout) : reject(new Error(stderr || error.message)),
        ).stdin?.end();
      });
    }

    /** Runs until `isEnough` of what was printed. */
    async function runUntil(
      program: string,
      args: readonly string[],
      isEnough: (words: string) => boolean,
      input = "",
    ): Promise<string> {
      const child = spawn(program, args, { env: environment(), stdio: ["pipe", "pipe", "ignore"] });
      let words = "";
      child.stdout.on("data", (piece) => {
        words += piece;
      });
      child.stdin.write(input);
      try {
        await vi.waitFor(() => expect(isEnough(words), words).toBe(true), { timeout: 15_000 });
        return words;
      } finally {
        child.kill("SIGTERM");
      }
    }

    beforeAll(async () => {
      const loop =
        "echo begun; while true; do date 2>/dev/null || echo again; sleep 0.2; done & exec httpd -f -p 8080 -h /etc";
      await machine.createPod("worker", { containers: [{ command: ["sh", "-c", loop] }] });
      await machine.untilReady("worker");
    });

    it("follows a log", async () => {
      const words = await runUntil(kubectl!.path, ["logs", "-f", "worker"], (text) => text.split("\n").length > 4);
      expect(words).toMatch(/^begun\n/);
    });

    it("runs a command, at a terminal too, and says how it ended", async () => {
      expect(await run("exec", "worker", "--", "echo", "a b")).toBe("a b\n");
      await expect(run("exec", "worker", "--", "sh", "-c", "exit 7")).rejects.toThrow(/exit code 7/);
      // `script` gives kubectl a terminal: what is typed comes back, and so does what the shell makes of it.
      const line = `${kubectl!.path} exec -it worker -- sh`;
      const words = await runUntil("script", ["-qec", line, "/dev/null"], (text) => text.includes("42"), TYPED);
      expect(words).toContain("echo $((6*7))");
    });

    it("opens a port of a pod", async () => {
      const forward = spawn(kubectl!.path, ["port-forward", "pod/worker", ":8080"], {
        env: environment(),
        stdio: ["ignore", "pipe", "inherit"],
      });
      try {
        let words = "";
        forward.stdout.on("data", (piece) => {
          words += piece;
        });
        await vi.waitFor(() => expect(words).toMatch(/127\.0\.0\.1:\d+/), { timeout: 15_000 });
        const port = /127\.0\.0\.1:(\d+)/.exec(words)?.[1];
        const answer = await fetch(`http://127.0.0.1:${port}/hostname`);
        expect(await answer.text()).toBe("worker\n");
      } finally {
        forward.kill("SIGTERM");
      }
    });

    it("copies files in and out", async () => {
      const [here, back] = [join(machine.folder, "here"), join(machine.folder, "back")];
      const content = "some words\n".repeat(50_000);
      writeFileSync(here, content);
      await run("cp", here, "worker:/tmp/there");
      await run("cp", "worker:/tmp/there", back);
      expect(readFileSync(back, "utf8") === content).toBe(true);
    });
  });

  it("ends cleanly while pods run on, and the next start takes them up", async () => {
    await machine.createPod("steady", {});
    const before = await machine.untilReady("steady");
    expect((await up.stop()).code).toBe(0);
    up = await start();
    // Something that only a running agent does.
    await machine.outputOf("later", "true");
    const after = await machine.untilReady("steady");
    expect(after.status.containerStatuses).toEqual(before.status.containerStatuses);
  });
});

async function createWeb(machine: NodeMachine): Promise<void> {
  const labels = { app: "web" };
  const serve = "mkdir /www; hostname > /www/index.html; exec httpd -f -p 8080 -h /www";
  const container = completed({
    command: ["sh", "-c", serve],
    readinessProbe: { httpGet: { path: "/", port: 8080 }, periodSeconds: 1 },
  });
  type Deployment = Parameters<ReturnType<typeof machine.client.apps.v1.deployments>["create"]>[0];
  await machine.client.apps.v1.deployments("default").create({
    metadata: { name: "web" },
    spec: {
      replicas: REPLICAS,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { terminationGracePeriodSeconds: 1, containers: [container] } },
    },
  } as unknown as Deployment);
  await machine.client.core.v1.services("default").create({
    metadata: { name: "web" },
    spec: { type: "NodePort", selector: labels, ports: [{ name: "http", port: 80, targetPort: 8080 }] },
  });
}
