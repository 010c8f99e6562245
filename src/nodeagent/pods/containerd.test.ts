// Pods in a real container runtime. Needs root, containerd, runc and a static busybox; skipped where they are not.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { RunningNode } from "./pod-runner.testing.ts";

const IMAGE = "plinth.test/app:1";
const missing = whatIsMissing();
if (missing !== undefined) console.warn(`skipped: pods in a real runtime (${missing})`);

describe.skipIf(missing !== undefined)("a real runtime", () => {
  let folder: string;
  let containerd: ChildProcess;
  let node: RunningNode;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "plinth-containerd-"));
    containerd = startContainerd(folder);
    const ctr = (...args: string[]) =>
      execFileSync("ctr", ["-a", join(folder, "c.sock"), "-n", "k8s.io", ...args], { stdio: "pipe" });
    await vi.waitFor(() => ctr("version"), { timeout: 20_000, interval: 200 });
    writeFileSync(join(folder, "image.tar"), imageArchive(IMAGE));
    ctr("images", "import", join(folder, "image.tar"));
    node = await RunningNode.start({ syncFrequency: "2s" }, "platform", {
      clock: systemClock,
      socket: join(folder, "c.sock"),
    });
  });

  afterAll(async () => {
    if (node !== undefined) {
      await node.api.client.core.v1.pods("default").deleteCollection({ gracePeriodSeconds: 1 });
      await node.until("nothing is left in the runtime", () => node.runner.pods().length === 0);
      await node.close();
    }
    containerd?.kill("SIGTERM");
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (spec: { containers?: object[]; [member: string]: unknown }) =>
    node.run({
      hostNetwork: true,
      terminationGracePeriodSeconds: 1,
      ...spec,
      containers: (spec.containers ?? [{}]).map((container) => ({
        name: "main",
        image: IMAGE,
        command: ["sleep", "1000"],
        ...container,
      })),
    });
  const logOf = (pod: { metadata: { name: string; uid: string } }) =>
    readFileSync(join(node.root, "logs", `default_${pod.metadata.name}_${pod.metadata.uid}`, "main/0.log"), "utf8");

  it("runs a pod with its volumes and variables, and stops it", async () => {
    const pod = await run({
      volumes: [{ name: "e", emptyDir: {} }],
      initContainers: [
        {
          name: "setup",
          image: IMAGE,
          command: ["sh", "-c", "echo written > /e/x"],
          volumeMounts: [{ name: "e", mountPath: "/e" }],
        },
      ],
      containers: [
        {
          command: ["sh", "-c", "cat /e/x; echo node is $NODE; exec sleep 1000"],
          env: [{ name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } }],
          volumeMounts: [{ name: "e", mountPath: "/e" }],
        },
      ],
    });
    await node.running(pod);
    await vi.waitFor(() => expect(logOf(pod)).toMatch(/written[\s\S]*node is node-1/), { timeout: 10_000 });
    await node.api.client.core.v1.pods("default").delete(pod.metadata.name);
    await node.gone(pod);
  });

  it("tells how a container ended, and starts it again", async () => {
    const pod = await run({ containers: [{ command: ["sh", "-c", "echo bye > /dev/termination-log; exit 3"] }] });
    const crashed = await node.untilPod(
      pod,
      "a crash loop",
      ({ status }) => status.containerStatuses?.[0]?.state.waiting?.reason === "CrashLoopBackOff",
    );
    expect(crashed.status.containerStatuses?.[0]?.lastState.terminated).toMatchObject({
      exitCode: 3,
      message: "bye\n",
      reason: "Error",
    });
  });

  it("is not asked to use a profile that is not there", async () => {
    const pod = await run({
      securityContext: { seccompProfile: { type: "Localhost", localhostProfile: "absent.json" } },
    });
    await node.waiting(pod, "CreateContainerError");
  });

  it("has to say that it knows users of pods", async () => {
    const pod = await run({ hostNetwork: false, hostUsers: false });
    // The pod waits: for its network where there is none, else for its users.
    await node.until("an event", async () =>
      (await node.events(pod)).some((reason) => reason === "FailedCreatePodSandBox" || reason === "NetworkNotReady"),
    );
  });
});

function whatIsMissing(): string | undefined {
  if (process.getuid?.() !== 0) return "not root";
  for (const tool of ["containerd", "runc", "ctr", "busybox"]) {
    try {
      execFileSync("which", [tool], { stdio: "pipe" });
    } catch {
      return `no ${tool}`;
    }
  }
  return undefined;
}

function startContainerd(folder: string): ChildProcess {
  const config = `version = 2
root = "${folder}/data"
state = "${folder}/state"
[grpc]
  address = "${folder}/c.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${IMAGE}"
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "native"
[plugins."io.containerd.internal.v1.opt"]
  path = "${folder}/opt"
`;
  writeFileSync(join(folder, "config.toml"), config);
  return spawn("containerd", ["-c", join(folder, "config.toml")], { stdio: "ignore" });
}

/** An archive as registry clients write it, of one layer with busybox in it. */
function imageArchive(tag: string): Buffer {
  const busybox = readFileSync(execFileSync("which", ["busybox"]).toString().trim());
  const links = ["sh", "sleep", "cat", "echo"].map((name) =>
    entry(`bin/${name}`, Buffer.alloc(0), { type: "2", link: "busybox" }),
  );
  const directories = ["bin", "tmp", "etc", "dev", "proc", "sys"].map((name) =>
    entry(`${name}/`, Buffer.alloc(0), { type: "5" }),
  );
  const layer = Buffer.concat([...directories, entry("bin/busybox", busybox), ...links, END]);
  const diff = `sha256:${createHash("sha256").update(layer).digest("hex")}`;
  const config = Buffer.from(
    JSON.stringify({
      architecture: process.arch === "arm64" ? "arm64" : "amd64",
      os: "linux",
      config: { Cmd: ["sleep", "1000000"], Env: ["PATH=/bin"] },
      rootfs: { type: "layers", diff_ids: [diff] },
    }),
  );
  const manifest = Buffer.from(JSON.stringify([{ Config: "config.json", RepoTags: [tag], Layers: ["layer.tar"] }]));
  return Buffer.concat([
    entry("layer.tar", layer),
    entry("config.json", config),
    entry("manifest.json", manifest),
    END,
  ]);
}

const END = Buffer.alloc(1024);

function entry(name: string, content: Buffer, { type = "0", link = "" } = {}): Buffer {
  const header = Buffer.alloc(512);
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, "0")}\0`;
  header.write(name, 0);
  header.write(octal(0o755, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(content.length, 12), 124);
  header.write(octal(0, 12), 136);
  header.write("        ", 148);
  header.write(type, 156);
  header.write(link, 157);
  header.write("ustar\x0000", 257);
  header.write(
    octal(
      header.reduce((sum, byte) => sum + byte, 0),
      8,
    ),
    148,
  );
  return Buffer.concat([header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
}
