// A small network for tests: a node, two pods behind it and a client in front of it, each a network namespace of its own.
//
//   client 192.168.7.2 -- 192.168.7.1 node 10.1.1.1 -- 10.1.1.2 pod a
//          fd00:7::2       fd00:7::1       10.1.2.1 -- 10.1.2.2 pod b     (and fd00:1:1::2, fd00:1:2::2)

import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";

export const CLIENT = { 4: "192.168.7.2", 6: "fd00:7::2" } as const;
export const NODE = { 4: "192.168.7.1", 6: "fd00:7::1" } as const;
export const POD_A = { 4: "10.1.1.2", 6: "fd00:1:1::2" } as const;
export const POD_B = { 4: "10.1.2.2", 6: "fd00:1:2::2" } as const;
export const POD_NETWORKS = "10.1.0.0/16,fd00:1::/32";

export type Place = "node" | "client" | "a" | "b";

/** Why these tests cannot run here; undefined when they can. */
export function whyNoNetwork(): string | undefined {
  if (process.getuid?.() !== 0) return "network namespaces need root";
  for (const tool of ["ip", "nft", "conntrack", "curl"])
    if (spawnSync(tool, ["--version"], { stdio: "ignore" }).error !== undefined) return `${tool} is not installed`;
  const name = `plinth-probe-${process.pid}`;
  const made = spawnSync("ip", ["netns", "add", name]);
  if (made.status !== 0) return `network namespaces cannot be made: ${made.stderr}`;
  spawnSync("ip", ["netns", "delete", name]);
  return undefined;
}

/** Answers every connection with its own name and the address that it sees; UDP too. */
const SERVER = `
const [name, port] = process.argv.slice(1);
const plain = (a) => a.replace("::ffff:", "");
require("node:http").createServer((q, s) => s.end(name + " " + plain(q.socket.remoteAddress))).listen(port, "::", () => {
  const udp = require("node:dgram").createSocket({ type: "udp6" });
  udp.on("message", (m, from) => udp.send(name + " " + plain(from.address), from.port, from.address));
  udp.bind(port, "::", () => console.log("ready"));
});`;

/** Sends from one port for as long as lines come in, and prints each answer, or "nothing". */
const UDP_CLIENT = `
const [host, port] = process.argv.slice(1);
const socket = require("node:dgram").createSocket(host.includes(":") ? "udp6" : "udp4");
let timer;
const say = (text) => { clearTimeout(timer); timer = undefined; console.log(text); };
socket.on("message", (m) => timer && say(m.toString()));
socket.on("error", () => {});
require("node:readline").createInterface({ input: process.stdin }).on("line", () => {
  timer = setTimeout(() => say("nothing"), 500);
  socket.send("?", port, host, () => {});
}).on("close", () => process.exit(0));`;

export class TestNetwork {
  readonly #prefix: string;
  readonly #children: ChildProcess[] = [];

  private constructor(prefix: string) {
    this.#prefix = prefix;
  }

  static async create(): Promise<TestNetwork> {
    const network = new TestNetwork(`plinth-${process.pid}-${Math.floor(Math.random() * 1e6)}`);
    try {
      network.#build();
      await Promise.all([network.#serve("a", 8080), network.#serve("b", 8080)]);
    } catch (error) {
      await network.remove();
      throw error;
    }
    return network;
  }

  /** What a command has to begin with to run in a place. */
  within(place: Place): readonly string[] {
    return ["ip", "netns", "exec", this.#name(place)];
  }

  /** Runs in a place; fails when the command does. */
  run(place: Place, command: readonly string[], input = ""): string {
    return execFileSync("ip", ["netns", "exec", this.#name(place), ...command], {
      input,
      encoding: "utf8",
      stdio: ["pipe", "pipe", "pipe"],
      maxBuffer: 64 * 1024 * 1024,
    });
  }

  nft(text: string): void {
    this.run("node", ["nft", "-f", "-"], text);
  }

  /**
   * What an HTTP server answers: its name and the client's address; "refused" or "lost" when none does in time. Who answers does so
   * in the end: neighbours may have to be found first, and machines stand still at times.
   */
  get(from: Place, address: string, port: number, patienceSeconds = 5): string {
    const host = address.includes(":") ? `[${address}]` : address;
    const args = [
      "netns",
      "exec",
      this.#name(from),
      "curl",
      "-sg",
      "--max-time",
      String(patienceSeconds),
      "--noproxy",
      "*",
      `http://${host}:${port}/`,
    ];
    const { status, stdout } = spawnSync("ip", args, { encoding: "utf8" });
    if (status === 0) return stdout;
    return status === 7 ? "refused" : "lost";
  }

  /** A client that sends to one address from one port of its own. */
  udp(from: Place, address: string, port: number): { ask(): Promise<string> } {
    const child = this.#spawn(from, ["node", "-e", UDP_CLIENT, address, String(port)]);
    const answers: string[] = [];
    let wake: () => void = () => undefined;
    child.stdout!.setEncoding("utf8").on("data", (text: string) => {
      for (const line of text.split("\n").filter((each) => each !== "")) answers.push(line);
      wake();
    });
    return {
      async ask() {
        child.stdin!.write("\n");
        while (answers.length === 0)
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        return answers.shift()!;
      },
    };
  }

  async remove(): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    }
    for (const place of ["node", "client", "a", "b"] as const) spawnSync("ip", ["netns", "delete", this.#name(place)]);
  }

  #name(place: Place): string {
    return `${this.#prefix}-${place}`;
  }

  #build(): void {
    for (const place of ["node", "client", "a", "b"] as const) {
      execFileSync("ip", ["netns", "add", this.#name(place)]);
      this.run(place, ["ip", "link", "set", "lo", "up"]);
    }
    this.run("node", ["sysctl", "-qw", "net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1"]);
    // Tests are refused more often than others in a second.
    this.run("node", ["sysctl", "-qw", "net.ipv4.icmp_ratelimit=0", "net.ipv6.icmp.ratelimit=0"]);
    this.#join("client", ["192.168.7.1", "192.168.7.2"], ["fd00:7::1", "fd00:7::2"]);
    // What is not here is out there: packets to addresses that nobody has must get as far as the rules.
    this.run("node", ["ip", "route", "add", "default", "via", "192.168.7.2"]);
    this.run("node", ["ip", "-6", "route", "add", "default", "via", "fd00:7::2"]);
    this.#join("a", ["10.1.1.1", "10.1.1.2"], ["fd00:1:1::1", "fd00:1:1::2"]);
    this.#join("b", ["10.1.2.1", "10.1.2.2"], ["fd00:1:2::1", "fd00:1:2::2"]);
  }

  #join(place: Exclude<Place, "node">, v4: readonly [string, string], v6: readonly [string, string]): void {
    const link = `to-${place}`;
    this.run("node", ["ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", this.#name(place)]);
    for (const [where, device, index] of [
      ["node", link, 0],
      [place, "eth0", 1],
    ] as const) {
      this.run(where, ["ip", "addr", "add", `${v4[index]}/24`, "dev", device]);
      this.run(where, ["ip", "-6", "addr", "add", `${v6[index]}/64`, "dev", device, "nodad"]);
      this.run(where, ["ip", "link", "set", device, "up"]);
    }
    this.run(place, ["ip", "route", "add", "default", "via", v4[0]]);
    this.run(place, ["ip", "-6", "route", "add", "default", "via", v6[0]]);
  }

  async #serve(place: "a" | "b", port: number): Promise<void> {
    const child = this.#spawn(place, ["node", "-e", SERVER, place, String(port)]);
    await once(child.stdout!, "data");
  }

  #spawn(place: Place, command: readonly string[]): ChildProcess {
    const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
    const args = ["netns", "exec", this.#name(place), ...command];
    const child = spawn("ip", args, { env, stdio: ["pipe", "pipe", "inherit"] });
    this.#children.push(child);
    return child;
  }
}
