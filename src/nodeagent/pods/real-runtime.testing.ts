// A containerd of a test's own: its files, its socket and its images are private, and nothing of it is left at the end.
// Needs root, containerd, runc and a static busybox.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { connectCri } from "../cri/cri-client.ts";

/** The image of every container, and of sandboxes. */
export const IMAGE = "plinth.test/app:1";

/** Why there can be none here; undefined when there can. `tools` are needed besides. */
export function missingForRuntime(...tools: readonly string[]): string | undefined {
  if (process.getuid?.() !== 0) return "not root";
  for (const tool of ["containerd", "runc", "ctr", "busybox", ...tools]) {
    try {
      execFileSync("which", [tool], { stdio: "pipe" });
    } catch {
      return `no ${tool}`;
    }
  }
  return undefined;
}

interface RealRuntimeOptions {
  /** Runs the rest of its line elsewhere, in a network of the test's own. */
  readonly within?: readonly string[];
}

export class RealRuntime {
  readonly folder = mkdtempSync(join(tmpdir(), "plinth-containerd-"));
  readonly #process: ChildProcess;

  private constructor({ within = [] }: RealRuntimeOptions) {
    writeFileSync(join(this.folder, "config.toml"), configOf(this.folder));
    const line = [...within, "containerd", "-c", join(this.folder, "config.toml")];
    this.#process = spawn(line[0]!, line.slice(1), { stdio: "ignore" });
  }

  static async start(options: RealRuntimeOptions = {}): Promise<RealRuntime> {
    const runtime = new RealRuntime(options);
    await vi.waitFor(() => runtime.#ctr("version"), { timeout: 20_000, interval: 200 });
    const archive = join(runtime.folder, "image.tar");
    writeFileSync(archive, imageArchive(IMAGE));
    runtime.#ctr("images", "import", archive);
    return runtime;
  }

  get socket(): string {
    return join(this.folder, "c.sock");
  }

  /** Where networks of pods are configured. */
  get networkFolder(): string {
    return join(this.folder, "net.d");
  }

  /** Ends every container that is left, too. */
  async stop(): Promise<void> {
    const cri = connectCri({ runtimeSocket: this.socket, timeoutMs: 10_000, clock: systemClock });
    try {
      const { items } = await cri.listPodSandbox({});
      const end = async (podSandboxId: string) => {
        await cri.stopPodSandbox({ podSandboxId });
        await cri.removePodSandbox({ podSandboxId });
      };
      await Promise.allSettled(items.map(({ id }) => end(id)));
    } finally {
      cri.close();
      const ended = new Promise((resolve) => this.#process.once("exit", resolve));
      this.#process.kill("SIGTERM");
      await ended;
      this.#unmountAll();
      rmSync(this.folder, { recursive: true, force: true });
    }
  }

  #ctr(...args: readonly string[]): void {
    execFileSync("ctr", ["-a", this.socket, "-n", "k8s.io", ...args], { stdio: "pipe" });
  }

  #unmountAll(): void {
    const points = readFileSync("/proc/mounts", "utf8")
      .split("\n")
      .map((line) => line.split(" ")[1] ?? "")
      .filter((point) => point.startsWith(`${this.folder}/`));
    for (const point of points.reverse()) execFileSync("umount", ["-l", point], { stdio: "ignore" });
  }
}

function configOf(folder: string): string {
  return `version = 2
root = "${folder}/data"
state = "${folder}/state"
[grpc]
  address = "${folder}/c.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${IMAGE}"
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${folder}/net.d"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "native"
[plugins."io.containerd.internal.v1.opt"]
  path = "${folder}/opt"
`;
}

const APPLETS = "sh sleep cat echo env ls rm touch test true tar wget nc httpd nslookup hostname mkdir timeout".split(
  " ",
);

/** An archive as registry clients write it, of one layer with busybox in it. */
function imageArchive(tag: string): Buffer {
  const busybox = readFileSync(execFileSync("which", ["busybox"]).toString().trim());
  const links = APPLETS.map((name) => entry(`bin/${name}`, Buffer.alloc(0), { type: "2", link: "busybox" }));
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
