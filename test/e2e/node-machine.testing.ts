// A machine for a node, inside this one: a network of its own, a container runtime of its own, and a way in from outside.
// Nothing of this machine's networks, rules and configuration is touched.

import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { Client } from "../../src/client/client.ts";
import { HttpsTransport } from "../../src/client/https-transport.ts";
import { loadConnection } from "../../src/client/load-connection.ts";
import { type Running, startCommand } from "../../src/cmd/commands.testing.ts";
import type { Pod } from "../../src/kinds/core/pod.ts";
import type { Dialect } from "../../src/meta/names.ts";
import { IMAGE, missingForRuntime, RealRuntime } from "../../src/nodeagent/pods/real-runtime.testing.ts";

export const NODE_IP = "192.168.213.1";
const API_PORT = 6443;
const PATIENCE_MS = 40_000;

/** Why there can be none here; undefined when there can. */
export function missingForMachine(): string | undefined {
  const missing = missingForRuntime("ip", "nsenter", "nft", "conntrack", "iptables");
  if (missing !== undefined) return missing;
  return existsSync("/usr/lib/cni/bridge") ? undefined : "no network plug-ins in /usr/lib/cni";
}

export class NodeMachine {
  readonly runtime: RealRuntime;
  readonly dialect: Dialect;
  readonly #network: string;
  readonly #commands: Running[] = [];
  readonly #moreRuntimes: RealRuntime[] = [];
  #way: { readonly inside: ChildProcess; readonly outside: Server } | undefined;
  #client: Client | undefined;

  private constructor(network: string, dialect: Dialect, runtime: RealRuntime) {
    this.#network = network;
    this.dialect = dialect;
    this.runtime = runtime;
  }

  static async start(dialect: Dialect): Promise<NodeMachine> {
    const network = `plinth-${process.pid}-${dialect}`;
    const ip = (...words: string[]) => execFileSync("ip", words, { stdio: "pipe" });
    ip("netns", "add", network);
    ip("-n", network, "link", "set", "lo", "up");
    ip("-n", network, "link", "add", "machine0", "type", "bridge");
    ip("-n", network, "address", "add", `${NODE_IP}/24`, "dev", "machine0");
    ip("-n", network, "link", "set", "machine0", "up");
    ip("-n", network, "route", "add", "default", "dev", "machine0");
    const runtime = await RealRuntime.start({ within: within(network) });
    return new NodeMachine(network, dialect, runtime);
  }

  get folder(): string {
    return this.runtime.folder;
  }

  get client(): Client {
    return this.#client!;
  }

  get kubeconfig(): string {
    return join(this.folder, "outside");
  }

  /** Of the control plane, inside. */
  get url(): string {
    return `https://127.0.0.1:${API_PORT}`;
  }

  /** A container runtime for another node in the same network. */
  async anotherRuntime(): Promise<RealRuntime> {
    const runtime = await RealRuntime.start({ within: within(this.#network) });
    this.#moreRuntimes.push(runtime);
    return runtime;
  }

  /** A `plinth` command inside. */
  async run(...args: readonly string[]): Promise<Running> {
    const running = await startCommand([...args], this.folder, within(this.#network));
    this.#commands.push(running);
    return running;
  }

  /** A program inside, and what it printed. */
  execute(...line: readonly string[]): Promise<string> {
    const [program, ...words] = [...within(this.#network), ...line];
    return new Promise((resolve, reject) => {
      execFile(program!, words, { timeout: 10_000 }, (error, stdout, stderr) =>
        error === null ? resolve(stdout) : reject(new Error(`${error.message}${stderr}`)),
      );
    });
  }

  /** Drop-ins of the agent: quick to see changes, and content with little room. */
  agentDropIns(more: object = {}): string {
    const folder = join(this.folder, "agent.d");
    mkdirSync(folder, { recursive: true });
    const head = { apiVersion: "nodeagent.config.platform.io/v1beta1", kind: "NodeAgentConfiguration" };
    const settings = {
      syncFrequency: "2s",
      nodeStatusUpdateFrequency: "1s",
      healthzPort: 0,
      evictionHard: {},
      ...more,
    };
    writeFileSync(join(folder, "10.conf"), JSON.stringify({ ...head, ...settings }));
    return folder;
  }

  /** A control plane; resolves when it is reached from outside, as its administrator. */
  async up(...flags: readonly string[]): Promise<Running> {
    const up = await this.run(
      "up",
      `--dialect=${this.dialect}`,
      `--data-dir=${join(this.folder, "plane")}`,
      `--secure-port=${API_PORT}`,
      "--service-cluster-ip-range=10.96.0.0/16",
      ...flags,
    );
    await vi.waitFor(() => expect(up.output.stdout, up.output.stderr).toContain("Plinth is ready"), {
      timeout: PATIENCE_MS,
      interval: 50,
    });
    // A later start finds the way and its client as they were.
    if (this.#way !== undefined) return up;
    const { port } = await this.#openWay();
    const config = readFileSync(join(this.folder, "plane/kubeconfig"), "utf8");
    writeFileSync(this.kubeconfig, config.replace(/https:\/\/[^"]+/, `https://127.0.0.1:${port}`));
    const transport = new HttpsTransport({ connection: loadConnection({ kubeconfig: this.kubeconfig }) });
    this.#client = new Client({ transport, dialect: this.dialect });
    return up;
  }

  pods() {
    return this.client.core.v1.pods("default");
  }

  async createPod(name: string, { labels, ...spec }: { labels?: Record<string, string>; [member: string]: unknown }) {
    const containers = (spec["containers"] as object[] | undefined) ?? [{}];
    return await this.pods().create({
      metadata: { name, ...(labels === undefined ? {} : { labels }) },
      spec: { terminationGracePeriodSeconds: 1, ...spec, containers: containers.map(completed) },
    } as unknown as Parameters<ReturnType<NodeMachine["pods"]>["create"]>[0]);
  }

  /** The pod, once the condition holds. */
  async untilPod(name: string, condition: (pod: Pod) => boolean): Promise<Pod> {
    let last: Pod | undefined;
    const look = async () => {
      last = await this.pods().find(name);
      if (last === undefined || !condition(last)) throw new Error(`${name} is ${JSON.stringify(last?.status)}`);
    };
    await vi.waitFor(look, { timeout: PATIENCE_MS, interval: 100 });
    return last!;
  }

  untilReady(name: string): Promise<Pod> {
    return this.untilPod(name, isReady);
  }

  async untilNode(name: string, status: "True" | "Unknown"): Promise<void> {
    const look = async () => {
      const ready = (await this.client.core.v1.nodes().find(name))?.status.conditions?.find(
        ({ type }) => type === "Ready",
      );
      if (ready?.status !== status) throw new Error(`the node is ${JSON.stringify(ready)}, ${this.#words()}`);
    };
    await vi.waitFor(look, { timeout: PATIENCE_MS, interval: 100 });
  }

  /** What a pod prints that runs this and ends well. */
  async outputOf(name: string, script: string): Promise<string> {
    await this.createPod(name, { restartPolicy: "Never", containers: [{ command: ["sh", "-c", script] }] });
    const pod = await this.untilPod(name, ({ status }) => status.phase === "Succeeded" || status.phase === "Failed");
    const log = await this.logOf(name);
    if (pod.status.phase === "Failed") throw new Error(`${name} failed: ${log}`);
    return log;
  }

  async logOf(name: string): Promise<string> {
    const pieces: Uint8Array[] = [];
    for await (const piece of this.pods().log(name)) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  }

  async stop(): Promise<void> {
    await this.#client?.close();
    for (const each of this.#commands.reverse()) {
      each.process.kill("SIGKILL");
      await each.ended;
    }
    this.#way?.inside.kill("SIGKILL");
    this.#way?.outside.close();
    for (const runtime of [...this.#moreRuntimes, this.runtime]) await runtime.stop();
    execFileSync("ip", ["netns", "delete", this.#network], { stdio: "pipe" });
  }

  /** A port of this machine that leads to the server inside: sockets in the file system are the same in every network. */
  async #openWay(): Promise<AddressInfo> {
    const path = join(this.folder, "way.sock");
    const script = `require("node:net").createServer((socket) => {
      const inside = require("node:net").connect(${API_PORT}, "127.0.0.1");
      socket.on("error", () => inside.destroy()).pipe(inside);
      inside.on("error", () => socket.destroy()).pipe(socket);
    }).listen(${JSON.stringify(path)}, () => console.log("ready"))`;
    const line = [...within(this.#network), process.execPath, "-e", script];
    const inside = spawn(line[0]!, line.slice(1), { stdio: ["ignore", "pipe", "ignore"] });
    // The file of a socket is there before anybody listens.
    await once(inside.stdout, "data", { signal: AbortSignal.timeout(PATIENCE_MS) });
    const outside = createServer((socket) => {
      const near = connect(path);
      socket.on("error", () => near.destroy()).pipe(near);
      near.on("error", () => socket.destroy()).pipe(socket);
    });
    await new Promise<void>((resolve) => outside.listen(0, "127.0.0.1", resolve));
    this.#way = { inside, outside };
    return outside.address() as AddressInfo;
  }

  #words(): string {
    return this.#commands.map(({ output }) => output.stderr.slice(-2_000)).join("\n");
  }
}

export function isReady({ status }: Pod): boolean {
  return status.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True") ?? false;
}

export function completed(container: object): object {
  return { name: "main", image: IMAGE, imagePullPolicy: "IfNotPresent", command: ["sleep", "1000"], ...container };
}

function within(network: string): string[] {
  return ["nsenter", `--net=/run/netns/${network}`];
}
