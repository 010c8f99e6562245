import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import WebSocket, { WebSocketServer } from "ws";
import { Metrics } from "../../base/metrics.ts";
import { DIALECTS, namesFor, RUNTIME_PROTOCOLS } from "../../meta/names.ts";
import { ADMIN, startTestServer, type TestServer } from "./agent-server.testing.ts";
import { AgentServer } from "./agent-server.ts";
import { chooseServingCertificate } from "./serving-certificate.ts";
import { serveEcho } from "./spdy-runtime.testing.ts";

let server: TestServer;
let agent: AgentServer;
let streaming: Server;
const asked: string[] = [];
/** What a command of the runtime has read. */
let inputBytes = 0;
const TEST_PROTOCOL = "v5.channel.test";
const WEBSOCKET_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const KNOWN = RUNTIME_PROTOCOLS.oldChannel;

beforeEach(async () => {
  asked.length = 0;
  inputBytes = 0;
  server = await startTestServer({ port: 0, address: "127.0.0.1" });
  streaming = createServer();
  // As runtimes of some age: they know the protocols of the tests, and the older one of containers.
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => [KNOWN, TEST_PROTOCOL].find((known) => offered.has(known)) ?? false,
  });
  streaming.on("upgrade", (request, socket, head) => {
    asked.push(`${request.url} ${request.headers.authorization ?? "no credentials"}`);
    if (request.headers.upgrade === "SPDY/3.1") {
      serveEcho(socket, (bytes) => {
        inputBytes = bytes;
      });
      return;
    }
    const offered = request.headers["sec-websocket-protocol"] ?? "";
    if (!offered.includes(KNOWN) && !offered.includes(TEST_PROTOCOL)) {
      socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n");
      return;
    }
    sockets.handleUpgrade(request, socket, head, (connection) => {
      connection.on("message", (data, isBinary) => connection.send(`echo ${String(data)}`, { binary: isBinary }));
    });
  });
  await new Promise<void>((resolve) => streaming.listen(0, "127.0.0.1", resolve));
  const url = (path: string) => ({ url: `http://127.0.0.1:${(streaming.address() as AddressInfo).port}/${path}` });
  server.runtime.overrides.exec = () => url("exec/t1");
  server.runtime.overrides.attach = () => url("attach/t2?x=1");
  server.runtime.overrides.portForward = () => url("portforward/t3");
  const metrics = new Metrics({ release: "1.34" });
  const { clock, log, config, paths } = server.options.context;
  const names = ["localhost"];
  const certificate = await chooseServingCertificate({
    clock,
    log,
    config,
    names,
    certDir: paths.certDir,
    reloads: true,
  });
  agent = await AgentServer.listen({ ...server.options, certificate, context: { ...server.options.context, metrics } });
});

afterEach(async () => {
  await agent.close();
  streaming.closeAllConnections();
  streaming.close();
  await server.close();
});

function open(
  path: string,
  headers: Readonly<Record<string, string>> = ADMIN,
  protocol = TEST_PROTOCOL,
): Promise<string> {
  const socket = new WebSocket(`wss://127.0.0.1:${agent.port}${path}`, protocol, {
    rejectUnauthorized: false,
    headers,
  });
  return new Promise((resolve, reject) => {
    socket.on("open", () => socket.send("hello"));
    socket.on("message", (data) => {
      socket.close();
      resolve(String(data));
    });
    socket.on("unexpected-response", (_request, response) => resolve(`status ${response.statusCode}`));
    socket.on("error", reject);
  });
}

/** Connections to a port that this process holds open, by the kernel's word: their other end may not have heard. */
function openTo(port: number): number {
  const to = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const lines = readFileSync("/proc/self/net/tcp", "utf8").split("\n");
  const words = lines.map((line) => line.trim().split(/ +/));
  return words.filter(([, , remote = "", , , , , , , inode = "0"]) => remote.endsWith(to) && inode !== "0").length;
}

describe("a stream to a container", () => {
  it.each([
    ["/exec/team/web/main?command=sh&command=-c&input=1&output=1&tty=1", "/exec/t1 no credentials"],
    ["/exec/team/web/u-1/main?command=ls&output=1", "/exec/t1 no credentials"],
    ["/attach/team/web/main?output=1&error=1", "/attach/t2?x=1 no credentials"],
    ["/portForward/team/web?port=8080&port=9090", "/portforward/t3 no credentials"],
  ])("is joined to the runtime's: %s", async (path, seen) => {
    expect(await open(path)).toBe("echo hello");
    expect(asked).toEqual([seen]);
  });

  it("asks the runtime for what the caller wants", async () => {
    await open("/exec/team/web/main?command=sh&command=-c&input=1&output=1&error=1&tty=1");
    await open("/portForward/team/web?port=8080,9090");
    expect(server.runtime.requests("exec")).toEqual([
      { containerId: server.containerId, cmd: ["sh", "-c"], tty: true, stdin: true, stdout: true, stderr: false },
    ]);
    expect(server.runtime.requests("portForward")).toEqual([{ podSandboxId: server.sandboxId, port: [8080, 9090] }]);
  });

  it.each(DIALECTS)("knows its protocols by the names of the %s dialect too", async (dialect) => {
    const { channelProtocol, oldChannelProtocol } = namesFor(dialect);
    const ls = "/exec/team/web/main?command=ls&output=1";
    expect(await open(ls, ADMIN, oldChannelProtocol)).toBe("echo hello");
    // The runtime of the test only knows the older one, which says the same as long as no input has to end.
    expect(await open(ls, ADMIN, channelProtocol)).toBe("echo hello");
  });

  it.each(DIALECTS)("ends its input where the caller says so, in the %s dialect", async (dialect) => {
    const { channelProtocol, oldChannelProtocol } = namesFor(dialect);
    const path = "/exec/team/web/main?command=cat&input=1&output=1";
    const socket = new WebSocket(`wss://127.0.0.1:${agent.port}${path}`, [channelProtocol, oldChannelProtocol], {
      rejectUnauthorized: false,
      headers: ADMIN,
    });
    const heard = new Map<number, string>();
    socket.on("open", () => {
      for (const word of ["one ", "two"]) socket.send(Buffer.from(`\0${word}`));
      socket.send(Buffer.of(255, 0));
    });
    socket.on("message", (message: Buffer) => {
      const channel = message[0] ?? -1;
      heard.set(channel, `${heard.get(channel) ?? ""}${message.subarray(1)}`);
    });
    const code = await new Promise((resolve, reject) => socket.on("close", resolve).on("error", reject));
    expect([code, socket.protocol]).toEqual([1000, channelProtocol]);
    expect(heard).toEqual(
      new Map([
        [1, "one two"],
        [3, '{"status":"Success"}'],
      ]),
    );
  });

  it("hands input on as it comes, however long a message is and in how many parts it comes", async () => {
    const path = "/exec/team/web/main?command=cat&input=1&output=1";
    const socket = new WebSocket(`wss://127.0.0.1:${agent.port}${path}`, namesFor("platform").channelProtocol, {
      rejectUnauthorized: false,
      headers: ADMIN,
    });
    await new Promise((resolve, reject) => socket.on("open", resolve).on("error", reject));
    const inParts = { binary: true, fin: false };
    socket.send(Buffer.of(0), inParts);
    // More parts than anybody should keep.
    for (let part = 0; part < 20_000; part += 1) socket.send("x", inParts);
    await vi.waitFor(() => expect(inputBytes).toBe(20_000));
    socket.send("", { fin: true });
    socket.send(Buffer.of(255, 0));
    const output: Buffer[] = [];
    socket.on("message", (message: Buffer) => message[0] === 1 && output.push(message.subarray(1)));
    await new Promise((resolve) => socket.on("close", resolve));
    expect(Buffer.concat(output).toString()).toBe("x".repeat(20_000));
  });

  it.each([
    ["passed on", "output=1", TEST_PROTOCOL],
    ["translated", "input=1&output=1", namesFor("platform").channelProtocol],
  ])("ends with its caller though the runtime reads nothing, where it is %s", async (_how, query, protocol) => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    let deaf: Duplex | undefined;
    streaming.removeAllListeners("upgrade").on("upgrade", ({ headers }, socket) => {
      // As runtimes of some age, which translation is for.
      if (headers.upgrade === "websocket" && query.startsWith("input")) {
        socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n");
        return;
      }
      deaf = socket.on("error", () => undefined);
      const accept = createHash("sha1").update(`${headers["sec-websocket-key"]}${WEBSOCKET_GUID}`).digest("base64");
      const lines = [
        `upgrade: ${headers.upgrade}`,
        `sec-websocket-accept: ${accept}`,
        `sec-websocket-protocol: ${TEST_PROTOCOL}`,
      ];
      socket.write(`HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\n${lines.join("\r\n")}\r\n\r\n`);
    });
    const connection = connect(agent.port, "127.0.0.1");
    const caller = new WebSocket(`wss://127.0.0.1:${agent.port}/exec/team/web/main?command=cat&${query}`, protocol, {
      headers: ADMIN,
      createConnection: () => connectTls({ socket: connection, rejectUnauthorized: false }),
    });
    await new Promise((resolve, reject) => caller.on("open", resolve).on("error", reject));
    // As much as fits nowhere, until nothing moves any more.
    caller.send(Buffer.alloc(64 * 1024 * 1024));
    let queued = -1;
    await vi.waitFor(() => {
      const last = queued;
      queued = caller.bufferedAmount;
      expect(queued).toBe(last);
    });
    caller.on("error", () => undefined);
    connection.resetAndDestroy();
    await vi.waitFor(() => {
      vi.advanceTimersByTime(10_000);
      expect(openTo((streaming.address() as AddressInfo).port)).toBe(0);
    });
    deaf?.destroy();
    vi.useRealTimers();
  });

  it.each([
    ["without a command", "/exec/team/web/main?output=1", 400],
    ["without a stream", "/exec/team/web/main?command=ls", 400],
    ["to an unknown pod", "/exec/team/other/main?command=ls&output=1", 404],
    ["to an unknown container", "/attach/team/web/other?output=1", 404],
    ["to the ports of an unknown pod", "/portForward/team/other?port=80", 404],
    ["to a port that is none", "/portForward/team/web?port=80000", 400],
  ])("%s is refused", async (_title, path, status) => {
    expect(await open(path)).toBe(`status ${status}`);
  });

  it("is refused to nobody", async () => {
    expect(await open("/exec/team/web/main?command=ls&output=1", {})).toBe("status 401");
  });

  it("needs a connection that can be one", async () => {
    expect((await server.get("/exec/team/web/main?command=ls&output=1")).status).toBe(400);
  });

  it("is refused when the runtime serves it somewhere strange", async () => {
    server.runtime.overrides.exec = () => ({ url: "ftp://example.com/x" });
    expect(await open("/exec/team/web/main?command=ls&output=1")).toBe("status 500");
  });
});
