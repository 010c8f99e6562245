// The agent of a node for tests of pctl and of sessions in containers: an HTTPS server on loopback whose containers are processes of this machine.

import { spawn } from "node:child_process";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { issueCertificate } from "../http/pki/issue-certificate.ts";
import type { Client } from "./client.ts";

export interface TestAgent {
  readonly port: number;
  /** What /stats/summary answers. */
  summary: unknown;
  /** The next command loses its connection, without a word, after it has written so many bytes. */
  loseAfterBytes: number | undefined;
  close(): void;
}

const HOUR_MS = 3_600_000;
const [STDIN, STDOUT, STDERR, ENDED, CLOSE] = [0, 1, 2, 3, 255];

/** Commands run in `folder`. */
export async function startTestAgent(folder: string): Promise<TestAgent> {
  const { certificatePem, keyPem } = await issueCertificate({
    subject: { commonName: "agent" },
    notBeforeMs: Date.now() - HOUR_MS,
    notAfterMs: Date.now() + HOUR_MS,
    use: "server",
    names: ["127.0.0.1"],
  });
  const agent = { summary: {} as unknown, loseAfterBytes: undefined as number | undefined };
  const server = createServer({ cert: certificatePem, key: keyPem }, ({ url = "" }, response) => {
    if (url === "/stats/summary") response.setHeader("content-type", "application/json");
    response.end(url === "/stats/summary" ? JSON.stringify(agent.summary) : `first\nlog of ${url}\n`);
  });
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: (offered) => [...offered][0]! });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    sockets.handleUpgrade(request, socket, head, (web) => {
      const url = new URL(request.url ?? "", "https://agent");
      if (url.pathname.startsWith("/exec/")) {
        runCommand(web, url.searchParams.getAll("command"), folder, agent.loseAfterBytes);
        agent.loseAfterBytes = undefined;
      } else if (url.pathname.startsWith("/attach/")) greet(web);
      else echoPort(web);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(agent, {
    port: (server.address() as AddressInfo).port,
    close() {
      server.closeAllConnections();
      server.close();
    },
  });
}

/** A pod "p" of the namespace "default", on a node whose agent this is. */
export async function createPodOf(agent: TestAgent, client: Client): Promise<void> {
  const { serviceAccounts, nodes, pods } = client.core.v1;
  await serviceAccounts("default").create({ metadata: { name: "default" } });
  await nodes().create({ metadata: { name: "n" } });
  const status = {
    addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
    daemonEndpoints: { kubeletEndpoint: { Port: agent.port } },
  };
  await nodes().status.patch("n", { merge: { status } });
  await pods("default").create({
    metadata: { name: "p" },
    spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] },
  });
}

const message = (channel: number, data: Uint8Array | string): Buffer =>
  Buffer.concat([Buffer.of(channel), Buffer.from(data)]);

function runCommand(
  web: WebSocket,
  [program = "", ...args]: readonly string[],
  folder: string,
  loseAfterBytes = Number.POSITIVE_INFINITY,
): void {
  const child = spawn(program, args, { cwd: folder });
  let written = 0;
  child.stdout.on("data", (data: Buffer) => {
    if (written >= loseAfterBytes) return;
    const sent = data.subarray(0, loseAfterBytes - written);
    written += sent.length;
    web.send(message(STDOUT!, sent));
    if (written >= loseAfterBytes) web.close(1001);
  });
  child.stderr.on("data", (data: Buffer) => web.send(message(STDERR!, data)));
  child.stdin.on("error", () => undefined);
  web.on("message", (data: Buffer) => {
    if (data[0] === STDIN) child.stdin.write(data.subarray(1));
    else if (data[0] === CLOSE) child.stdin.end();
  });
  child.on("close", (code) => {
    if (written >= loseAfterBytes) return;
    const exit = { reason: "NonZeroExitCode", details: { causes: [{ reason: "ExitCode", message: String(code) }] } };
    end(web, code === 0 ? { status: "Success" } : { status: "Failure", message: "command failed", ...exit });
  });
}

/** Shouts one piece of standard input back. */
function greet(web: WebSocket): void {
  web.send(message(STDOUT!, "joined\n"));
  web.on("message", (data: Buffer) => {
    if (data[0] !== STDIN || data.length < 2) return;
    web.send(message(STDOUT!, data.toString("utf8", 1).toUpperCase()));
    end(web, { status: "Success" });
  });
}

/** The number of the port first, on both channels; then everything comes back. */
function echoPort(web: WebSocket): void {
  for (const channel of [0, 1]) web.send(message(channel, Buffer.of(0x50, 0)));
  web.on("message", (data: Buffer) => web.send(data));
}

function end(web: WebSocket, status: object): void {
  web.send(message(ENDED!, JSON.stringify({ kind: "Status", apiVersion: "v1", metadata: {}, ...status })));
  web.close(1000);
}
