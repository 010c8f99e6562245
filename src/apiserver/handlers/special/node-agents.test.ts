// The agent of a node, played by an HTTPS server on loopback that knows its clients by certificate.

import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server, request as send } from "node:https";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import WebSocket, { WebSocketServer } from "ws";
import { startListener, type TestListener } from "../../../http/listener.testing.ts";
import { issueCertificate, type KeyedCertificate } from "../../../http/pki/issue-certificate.ts";
import { type ServerInProcess, serverInProcess } from "../../server.testing.ts";
import type { NodeAgentTrust } from "./node-agents.ts";

const PODS = "/api/v1/namespaces/default/pods";
const MERGE = { "content-type": "application/merge-patch+json" };
const HOUR_MS = 3_600_000;

let server: ServerInProcess;
let listener: TestListener;
let agent: Server;
let agentCertificate: KeyedCertificate;
let clientCertificate: KeyedCertificate;
let trust: NodeAgentTrust;
let seen: IncomingMessage[] = [];
let answer: (request: IncomingMessage, response: ServerResponse) => void;

beforeAll(async () => {
  const times = { notBeforeMs: Date.now() - HOUR_MS, notAfterMs: Date.now() + HOUR_MS };
  agentCertificate = await issueCertificate({
    ...times,
    use: "server",
    subject: { commonName: "agent" },
    names: ["127.0.0.1"],
  });
  clientCertificate = await issueCertificate({ ...times, use: "client", subject: { commonName: "apiserver" } });
  agent = createServer(
    {
      cert: agentCertificate.certificatePem,
      key: agentCertificate.keyPem,
      ca: clientCertificate.certificatePem,
      requestCert: true,
      rejectUnauthorized: true,
    },
    (request, response) => {
      seen.push(request);
      answer(request, response);
    },
  );
  await new Promise<void>((resolve) => agent.listen(0, "127.0.0.1", resolve));
  const { port } = agent.address() as AddressInfo;
  server = await serverInProcess({ deps: { nodeAgentTrust: () => trust } });
  listener = await startListener(server.handler);
  await server.call("POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
  const bound = { metadata: { name: "p" }, spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] } };
  expect((await server.call("POST", PODS, bound)).status).toBe(201);
  for (const [name, addresses] of [
    [
      "n",
      [
        { type: "ExternalIP", address: "192.0.2.1" },
        { type: "InternalIP", address: "127.0.0.1" },
      ],
    ],
    ["bare", []],
  ] as const) {
    await server.call("POST", "/api/v1/nodes", { metadata: { name } });
    const status = { addresses, daemonEndpoints: { kubeletEndpoint: { Port: port } } };
    expect((await server.call("PATCH", `/api/v1/nodes/${name}/status`, { status }, MERGE)).status).toBe(200);
  }
});
afterAll(async () => {
  await listener.close(0);
  await server.close();
  agent.closeAllConnections();
  agent.close();
});
beforeEach(() => {
  seen = [];
  answer = (_request, response) => response.end("a line\n");
  trust = { identity: clientCertificate, authority: agentCertificate.certificatePem };
});
afterEach(() => {
  agent.removeAllListeners("upgrade");
});

describe("the log of a pod", () => {
  it("comes from the agent of its node, which is shown who asks for it", async () => {
    const { status, text, headers } = await server.call("GET", `${PODS}/p/log`, undefined, {
      authorization: "Bearer secret",
    });
    expect([status, text, headers["content-type"]]).toEqual([200, "a line\n", "text/plain"]);
    expect(seen[0]?.url).toBe("/containerLogs/default/p/c");
    expect(seen[0]?.headers["authorization"]).toBeUndefined();
    expect((seen[0]!.socket as TLSSocket).getPeerCertificate().subject.CN).toBe("apiserver");
  });

  it.each([
    ["follow=true&previous=1&timestamps=false", "follow=true&previous=true"],
    ["tailLines=5&limitBytes=10&sinceSeconds=3", "limitBytes=10&sinceSeconds=3&tailLines=5"],
    ["sinceTime=2024-01-02T03:04:05.6%2B01:00", "sinceTime=2024-01-02T02%3A04%3A05Z"],
    ["container=c&pretty=true", ""],
  ])("is asked for with %s", async (query, asked) => {
    expect((await server.call("GET", `${PODS}/p/log?${query}`)).status).toBe(200);
    expect(seen[0]?.url).toBe(`/containerLogs/default/p/c${asked === "" ? "" : `?${asked}`}`);
  });

  it.each([
    ["tailLines=-1", "tailLines: Invalid value: -1: must be greater than or equal to 0"],
    ["limitBytes=0", "limitBytes: Invalid value: 0: must be greater than 0"],
    ["sinceSeconds=0", "sinceSeconds: Invalid value: 0: must be greater than 0"],
    [
      "sinceSeconds=1&sinceTime=2024-01-02T03:04:05Z",
      "Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified",
    ],
    ["stream=Stdout", "stream: Forbidden: may not be specified"],
  ])("is refused with %s", async (query, why) => {
    const { status, json } = await server.call("GET", `${PODS}/p/log?${query}`);
    expect(status).toBe(422);
    expect((json as { message: string }).message).toContain(why);
  });

  it.each([
    [[], "", Buffer.from("a line\n"), true],
    [["binary.k8s.io"], "binary.k8s.io", Buffer.from("a line\n"), true],
    [["v9.other", "base64.binary.k8s.io"], "base64.binary.k8s.io", Buffer.from("YSBsaW5lCg=="), false],
  ])("comes as messages of a WebSocket where the client offers %j", async (offered, protocol, line, binary) => {
    const url = `wss://127.0.0.1:${listener.port}${PODS}/p/log`;
    const web = new WebSocket(url, offered, { rejectUnauthorized: false });
    const messages: [unknown, boolean][] = [];
    web.on("message", (data, isBinary) => messages.push([data, isBinary]));
    await new Promise((resolve, reject) => web.once("close", resolve).once("error", reject));
    expect([web.protocol, messages]).toEqual([
      protocol,
      [
        [Buffer.alloc(0), binary],
        [line, binary],
      ],
    ]);
  });

  it("is not sent over a WebSocket of another protocol", async () => {
    const url = `wss://127.0.0.1:${listener.port}${PODS}/p/log`;
    const web = new WebSocket(url, ["v9.other"], { rejectUnauthorized: false });
    const error = await new Promise((resolve) => web.once("error", resolve));
    expect(String(error)).toContain("400");
  });

  it.each(["sinceTime=yesterday", "tailLines=x", `sinceTime=${"x".repeat(10_000)}`])(
    "cannot be asked for with %s",
    async (query) => {
      const { status, text } = await server.call("GET", `${PODS}/p/log?${query}`);
      expect([status, text.length < 1_000]).toEqual([400, true]);
    },
  );

  it.each([
    [400, 400, 'container "c" is waiting to start'],
    [404, 404, "nothing there"],
    [500, 500, "broken"],
    [302, 500, "redirects forbidden"],
  ])("is refused in the words of the agent: %d", async (said, status, words) => {
    answer = (_request, response) => response.writeHead(said, { location: "/elsewhere" }).end(words);
    const got = await server.call("GET", `${PODS}/p/log`);
    expect(got.status).toBe(status);
    expect((got.json as { message: string }).message).toContain(words);
    expect(seen).toHaveLength(1);
  });

  it("ends at the agent when the client goes away", async () => {
    let gone: Promise<unknown> | undefined;
    answer = (request, response) => {
      gone = new Promise((resolve) => request.once("close", resolve));
      response.write("first\n");
    };
    const client = send({ port: listener.port, path: `${PODS}/p/log?follow=1`, rejectUnauthorized: false }).end();
    client.on("error", () => undefined);
    await new Promise<void>((resolve) =>
      client.on("response", (response) => response.once("data", () => resolve(void client.destroy()))),
    );
    await gone;
  });
});

describe("an agent", () => {
  it("is believed only with a certificate of the authority", async () => {
    trust = { identity: clientCertificate, authority: clientCertificate.certificatePem };
    const { status, json } = await server.call("GET", `${PODS}/p/log`);
    expect(status).toBe(500);
    expect((json as { message: string }).message).toMatch(/^Get "https:.*tls: failed to verify certificate/);
    expect((await server.call("GET", `${PODS}/p/log?insecureSkipTLSVerifyBackend=true`)).status).toBe(200);
  });

  it("is believed as it is where no authority is named", async () => {
    trust = { identity: clientCertificate };
    expect((await server.call("GET", `${PODS}/p/log`)).status).toBe(200);
  });

  it("is looked for at the address of the type that is preferred, and not waited for beyond its time", async () => {
    const mute = createTcpServer();
    await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
    const { port } = mute.address() as AddressInfo;
    const other = await serverInProcess({
      flags: ["--kubelet-preferred-address-types=ExternalIP,InternalIP", "--kubelet-timeout=100ms"],
    });
    await other.call("POST", "/api/v1/nodes", { metadata: { name: "n" } });
    const addresses = [
      { type: "InternalIP", address: "192.0.2.1" },
      { type: "ExternalIP", address: "127.0.0.1" },
    ];
    const status = { addresses, daemonEndpoints: { kubeletEndpoint: { Port: port } } };
    await other.call("PATCH", "/api/v1/nodes/n/status", { status }, MERGE);
    const connected = new Promise((resolve) => mute.once("connection", resolve));
    const got = await other.call("GET", "/api/v1/nodes/n/proxy/healthz");
    await connected;
    expect([got.status, (got.json as { message: string }).message]).toEqual([
      503,
      "error trying to reach service: dial tcp: i/o timeout",
    ]);
    await other.close();
    mute.close();
  });

  it("of a node without addresses cannot be asked", async () => {
    const { status, json } = await server.call("GET", "/api/v1/nodes/bare/proxy/healthz");
    expect(status).toBe(500);
    expect((json as { message: string }).message).toBe("no preferred addresses found; known addresses: []");
  });
});

describe("a proxy to a node", () => {
  it("hands on method, path, query and body, and keeps redirects below its own path", async () => {
    answer = (request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () =>
        response.writeHead(307, { location: "/logs/" }).end(`${request.method} ${Buffer.concat(chunks)}`),
      );
    };
    const got = await server.call("POST", "/api/v1/nodes/n/proxy/logs?a=b", { x: 1 });
    expect([got.status, got.text]).toEqual([307, 'POST {"x":1}']);
    expect(got.headers["location"]).toBe("/api/v1/nodes/n/proxy/logs/");
    expect(seen[0]?.url).toBe("/logs?a=b");
  });

  it("reaches no other port on this machine's own addresses", async () => {
    const got = await server.call("GET", "/api/v1/nodes/https:n:1/proxy/x");
    expect([got.status, (got.json as { message: string }).message]).toEqual([400, "address not allowed"]);
  });
});

describe.each([
  [
    "exec",
    "stdin=true&stdout=1&stderr=0&tty=true&command=sh&command=-c%20x&container=c",
    "/exec/default/p/c?input=1&output=1&tty=1&command=sh&command=-c+x",
  ],
  ["attach", "stdout=true", "/attach/default/p/c?output=1"],
  ["portforward", "ports=80&ports=81", "/portForward/default/p?port=80%2C81"],
])("%s", (operation, query, asked) => {
  const path = `${PODS}/p/${operation}?${query}`;

  it("carries a WebSocket to the agent, with the protocol that the agent chose", async () => {
    const far = new WebSocketServer({ noServer: true, handleProtocols: () => "v4.channel.k8s.io" });
    agent.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      seen.push(request);
      far.handleUpgrade(request, socket, head, (web) => web.on("message", (data) => web.send(data)));
    });
    const web = new WebSocket(`wss://127.0.0.1:${listener.port}${path}`, ["v5.channel.k8s.io", "v4.channel.k8s.io"], {
      rejectUnauthorized: false,
    });
    await new Promise((resolve, reject) => web.once("open", resolve).once("error", reject));
    const echoed = new Promise((resolve) => web.once("message", resolve));
    web.send("hello");
    expect(String(await echoed)).toBe("hello");
    expect([web.protocol, seen[0]?.url]).toEqual(["v4.channel.k8s.io", asked]);
    const closed = new Promise((resolve) => web.once("close", resolve));
    web.close();
    await closed;
  });

  it("carries SPDY to the agent, byte by byte", async () => {
    agent.on("upgrade", (request: IncomingMessage, socket: Duplex) => {
      seen.push(request);
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n");
      socket.pipe(socket);
    });
    const headers = { connection: "Upgrade", upgrade: "SPDY/3.1", "x-stream-protocol-version": "v4.channel.k8s.io" };
    const client = send({
      port: listener.port,
      method: "POST",
      path,
      rejectUnauthorized: false,
      headers,
      agent: false,
    });
    const socket = await new Promise<Duplex>((resolve, reject) => {
      client
        .on("upgrade", (_head, upgraded) => resolve(upgraded))
        .on("error", reject)
        .end();
    });
    const bytes = Buffer.from([0x80, 3, 0, 1, 0xff, 0, 10, 13]);
    const back = new Promise((resolve) => socket.once("data", resolve));
    socket.write(bytes);
    expect(await back).toEqual(bytes);
    expect([seen[0]?.method, seen[0]?.headers["x-stream-protocol-version"]]).toEqual(["POST", "v4.channel.k8s.io"]);
    socket.destroy();
  });

  it("needs an upgrade, and says so when the agent gives none", async () => {
    const plain = await server.call("POST", path);
    expect([plain.status, (plain.json as { message: string }).message]).toEqual([400, "Upgrade request required"]);
  });
});
