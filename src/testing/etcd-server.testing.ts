// Real etcd servers for tests: one, or a cluster, on loopback with ports and directories of their own.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface EtcdServerOptions {
  /** More command-line arguments, for example a quota. */
  readonly args?: readonly string[];
  /** Serve clients with TLS and demand their certificates. Paths of PEM files. */
  readonly tls?: { readonly caFile: string; readonly certFile: string; readonly keyFile: string };
}

export interface EtcdServer {
  /** What a client connects to. */
  readonly endpoint: string;
  readonly pid: number | undefined;
  /** SIGKILL, and waits until the process is gone. */
  kill(): Promise<void>;
  /** SIGSTOP, and waits until it is silent; SIGCONT. */
  pause(): Promise<void>;
  resume(): void;
  /** Starts again on the same data after kill(), and waits until it accepts connections. */
  restart(): Promise<void>;
  /** Kills and removes all files. */
  stop(): Promise<void>;
}

export interface EtcdCluster {
  readonly members: readonly EtcdServer[];
  readonly endpoints: readonly string[];
  stop(): Promise<void>;
}

const START_LIMIT_MS = 20_000;
const POLL_MS = 20;

/** Why tests with etcd must be skipped on this machine, said once on standard error too; undefined when they can run. */
export function etcdMissing(): string | undefined {
  return missingProgram("etcd", "--version", "etcd is not installed (Debian: apt-get install etcd-server)");
}

/** The same for the certificates of a server with TLS. */
export function opensslMissing(): string | undefined {
  return missingProgram("openssl", "version", "openssl is not installed (Debian: apt-get install openssl)");
}

const missing = new Map<string, string | undefined>();

function missingProgram(program: string, argument: string, reason: string): string | undefined {
  if (missing.has(program)) return missing.get(program);
  let answer: string | undefined;
  try {
    execFileSync(program, [argument], { env: etcdEnvironment(), stdio: "ignore" });
  } catch {
    answer = reason;
    console.warn(`tests are skipped: ${reason}`);
  }
  missing.set(program, answer);
  return answer;
}

export async function startEtcdServer(options: EtcdServerOptions = {}): Promise<EtcdServer> {
  const { members } = await startEtcdCluster(1, options);
  return members[0]!;
}

export async function startEtcdCluster(size: number, options: EtcdServerOptions = {}): Promise<EtcdCluster> {
  const ports = await freePorts(size * 2);
  const scheme = options.tls === undefined ? "http" : "https";
  const plans = Array.from({ length: size }, (_, index) => ({
    name: `member-${index}`,
    clientPort: ports[index * 2]!,
    clientUrl: `${scheme}://127.0.0.1:${ports[index * 2]}`,
    peerUrl: `http://127.0.0.1:${ports[index * 2 + 1]}`,
  }));
  const initialCluster = plans.map((plan) => `${plan.name}=${plan.peerUrl}`).join(",");
  const members = await Promise.all(
    plans.map(async (plan) => {
      const dataDir = await mkdtemp(join(tmpdir(), "plinth-etcd-"));
      const args = [
        ...["--name", plan.name, "--data-dir", dataDir],
        ...["--listen-client-urls", plan.clientUrl, "--advertise-client-urls", plan.clientUrl],
        ...["--listen-peer-urls", plan.peerUrl, "--initial-advertise-peer-urls", plan.peerUrl],
        ...["--initial-cluster", initialCluster, "--initial-cluster-state", "new"],
        // A shorter election than the default: tests wait for it.
        ...["--heartbeat-interval", "50", "--election-timeout", "500", "--log-level", "error", "--logger", "zap"],
        ...tlsArguments(options.tls),
        ...(options.args ?? []),
      ];
      return new EtcdProcess(plan.clientUrl, plan.clientPort, dataDir, args);
    }),
  );
  const cluster = {
    members,
    endpoints: plans.map((plan) => plan.clientUrl),
    stop: async () => {
      await Promise.all(members.map((member) => member.stop()));
    },
  };
  try {
    await Promise.all(members.map((member) => member.restart()));
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return cluster;
}

class EtcdProcess implements EtcdServer {
  readonly endpoint: string;
  readonly #port: number;
  readonly #dataDir: string;
  readonly #args: readonly string[];
  #child: ChildProcess | undefined;
  #errors = "";

  constructor(endpoint: string, port: number, dataDir: string, args: readonly string[]) {
    this.endpoint = endpoint;
    this.#port = port;
    this.#dataDir = dataDir;
    this.#args = args;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await exited;
  }

  async pause(): Promise<void> {
    this.#child?.kill("SIGSTOP");
    while (this.pid !== undefined && !isHalted(this.pid)) await new Promise((resolve) => setTimeout(resolve, 1));
  }

  resume(): void {
    this.#child?.kill("SIGCONT");
  }

  async restart(): Promise<void> {
    await this.kill();
    const child = spawn("etcd", this.#args, { env: etcdEnvironment(), stdio: ["ignore", "ignore", "pipe"] });
    this.#child = child;
    this.#errors = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      this.#errors = (this.#errors + chunk.toString()).slice(-4_000);
    });
    const deadlineMs = Date.now() + START_LIMIT_MS;
    while (!(await accepts(this.#port))) {
      if (child.exitCode !== null || Date.now() > deadlineMs) throw new Error(`etcd did not start: ${this.#errors}`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.#dataDir, { recursive: true, force: true });
  }
}

function tlsArguments(tls: EtcdServerOptions["tls"]): string[] {
  if (tls === undefined) return [];
  return [
    ...["--cert-file", tls.certFile, "--key-file", tls.keyFile],
    ...["--client-cert-auth", "--trusted-ca-file", tls.caFile],
  ];
}

/** etcd refuses to run on some processors unless told that we know. */
function etcdEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"], ETCD_UNSUPPORTED_ARCH: process.arch === "x64" ? "amd64" : process.arch };
}

/** Ports that were free a moment ago, all different. */
async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<ReturnType<typeof createServer>>((resolve, reject) => {
          const server = createServer();
          server.once("error", reject);
          server.listen(0, "127.0.0.1", () => resolve(server));
        }),
    ),
  );
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = new Socket();
    const finish = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", () => finish(true));
    socket.once("error", () => finish(false));
    socket.connect(port, "127.0.0.1");
  });
}

/** Threads on another processor go on until they look. Where nobody can know, it is taken for granted. */
function isHalted(pid: number): boolean {
  const threads = `/proc/${pid}/task`;
  if (!existsSync(threads)) return true;
  try {
    return readdirSync(threads).every((thread) => / T /.test(readFileSync(`${threads}/${thread}/stat`, "utf8")));
  } catch {
    // One has ended meanwhile.
    return false;
  }
}
