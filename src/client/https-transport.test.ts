// The transport over real TLS on loopback, to servers that are slow, large, busy, gone, or not who they should be.

import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { WebSocketServer } from "ws";
import { FakeClock, systemClock } from "../base/clock.ts";
import type { KeyedCertificate } from "../http/pki/issue-certificate.ts";
import { startTlsServer } from "../http/tls-server.testing.ts";
import { ApiError } from "./api-error.ts";
import { kinds } from "./built-in-kinds.ts";
import type { Protocol } from "./https/dial.ts";
import { issue, TestServer } from "./https/https-server.testing.ts";
import { HTTPS_LIMITS, HttpsTransport, type HttpsTransportOptions } from "./https-transport.ts";
import type { ClusterEntry, UserEntry } from "./kubeconfig.ts";
import { ResourceClient } from "./resource-client.ts";
import { type ApiResponse, TransportError } from "./transport.ts";

let serving: KeyedCertificate;
let ann: KeyedCertificate;
let bob: KeyedCertificate;
beforeAll(async () => {
  [serving, ann, bob] = await Promise.all([
    issue("server", "server", ["127.0.0.1", "shop.test"]),
    issue("client", "ann"),
    issue("client", "bob"),
  ]);
});

let open: (() => unknown)[] = [];
afterEach(async () => {
  const closing = open.reverse();
  open = [];
  for (const close of closing) await close();
});

interface Setup extends Omit<HttpsTransportOptions, "connection"> {
  readonly user?: UserEntry;
  readonly cluster?: Partial<ClusterEntry>;
}

async function start(protocol: Protocol = "h2"): Promise<TestServer> {
  const server = await new TestServer(serving, protocol).start();
  open.push(() => server.stop());
  return server;
}

function client(server: TestServer, { user, cluster, ...options }: Setup = {}): HttpsTransport {
  const transport = new HttpsTransport({ connection: server.connection(user, cluster), env: {}, ...options });
  open.push(() => transport.close());
  return transport;
}

const text = async (response: ApiResponse): Promise<string> => Buffer.from(await response.bytes()).toString("utf8");
const failure = async (work: Promise<unknown>): Promise<TransportError> => {
  const error = await work.then(
    () => new Error("it succeeded"),
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(TransportError);
  return error as TransportError;
};
const drain = async (stream: AsyncIterable<Uint8Array>): Promise<string> => {
  let all = "";
  for await (const piece of stream) all += Buffer.from(piece).toString("utf8");
  return all;
};

describe.each<Protocol>(["h2", "http/1.1"])("over %s", (protocol) => {
  it("a request carries what it says, and JSON by default", async () => {
    const server = await start(protocol);
    const transport = client(server, { userAgent: "tester/1" });
    server.handle = (_request, response) => response.writeHead(201, { "x-own": "1" }).end('{"a":1}');
    const response = await transport.request({ method: "POST", path: "/api/v1/x?a=b", body: '{"b":2}' });
    expect([response.status, response.headers.get("x-own"), await text(response)]).toEqual([201, "1", '{"a":1}']);
    expect(server.seen[0]).toMatchObject({ method: "POST", url: "/api/v1/x?a=b", body: '{"b":2}' });
    expect(server.seen[0]!.headers).toMatchObject({
      accept: "application/json",
      "content-type": "application/json",
      "user-agent": "tester/1",
      "accept-encoding": "gzip",
    });
    const headers = { Accept: "text/plain", "X-Two": ["a", "b"] };
    await text(await transport.request({ method: "GET", path: "/", headers }));
    expect(server.seen[1]!.headers).toMatchObject({ accept: "text/plain", "x-two": "a, b" });
  });

  it("very many answers that are read to their end do not wear a connection out", async () => {
    const server = await start(protocol);
    const transport = client(server);
    // Servers end connections that reset more than a thousand streams at once.
    for (let round = 0; round < 80; round += 1) {
      const answers = Array.from({ length: 20 }, async () =>
        text(await transport.request({ method: "POST", path: "/", body: "{}" })),
      );
      expect(await Promise.all(answers)).toEqual(Array(20).fill("{}"));
    }
  });

  it("the server's address may have a path of its own", async () => {
    const server = await start(protocol);
    const transport = client(server, { cluster: { server: `https://127.0.0.1:${server.port}/clusters/a/` } });
    await text(await transport.request({ method: "GET", path: "/api?x=1" }));
    expect(server.seen[0]!.url).toBe("/clusters/a/api?x=1");
  });

  it("connections are used again", async () => {
    const server = await start(protocol);
    const transport = client(server);
    for (let i = 0; i < 5; i += 1) await text(await transport.request({ method: "GET", path: "/" }));
    expect(server.sockets.length).toBe(1);
  });

  it("many requests at once are all answered, over one connection where the protocol can", async () => {
    const server = await start(protocol);
    const transport = client(server, { limits: { maxInFlight: 8 } });
    const all = await Promise.all(
      Array.from({ length: 60 }, async (_, i) => text(await transport.request({ method: "GET", path: `/${i}` }))),
    );
    expect(all.length).toBe(60);
    if (protocol === "h2") expect(server.sockets.length).toBe(1);
    else expect(server.sockets.length).toBeLessThanOrEqual(8);
  });

  it("no more requests than allowed are under way", async () => {
    const server = await start(protocol);
    const waiting: (() => void)[] = [];
    server.handle = (_request, response) => waiting.push(() => response.end("x"));
    const transport = client(server, { limits: { maxInFlight: 2, maxWaiting: 1 } });
    const ask = async () => text(await transport.request({ method: "GET", path: "/" }));
    const answers = [ask(), ask(), ask()];
    await expect.poll(() => waiting.length).toBe(2);
    expect((await failure(ask())).failure).toBe("busy");
    waiting[0]!();
    await expect.poll(() => waiting.length).toBe(3);
    for (const answer of waiting) answer();
    expect(await Promise.all(answers)).toEqual(["x", "x", "x"]);
  });

  it("answers are un-gzipped, whole and in pieces", async () => {
    const server = await start(protocol);
    const transport = client(server);
    server.handle = (_request, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("x".repeat(100_000)));
    const response = await transport.request({ method: "GET", path: "/" });
    expect(response.headers.has("content-encoding")).toBe(false);
    expect((await text(response)).length).toBe(100_000);
    expect((await drain((await transport.request({ method: "GET", path: "/" })).stream())).length).toBe(100_000);
    const plain = client(server, { cluster: { disableCompression: true } });
    await text(await plain.request({ method: "GET", path: "/" }));
    expect(server.seen[2]!.headers["accept-encoding"]).toBeUndefined();
  });

  it("broken compression is told of", async () => {
    const server = await start(protocol);
    server.handle = (_request, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end("no gzip at all");
    const response = await client(server).request({ method: "GET", path: "/" });
    expect((await failure(response.bytes())).failure).toBe("protocol");
  });

  it("answers are bounded, after un-gzipping", async () => {
    const server = await start(protocol);
    server.handle = (_request, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("x".repeat(100_000)));
    const transport = client(server, { limits: { maxBodyBytes: 50_000 } });
    expect((await failure((await transport.request({ method: "GET", path: "/" })).bytes())).failure).toBe("too-large");
  });

  it("warnings are read", async () => {
    const server = await start(protocol);
    server.handle = (_request, response) => {
      const soon = Buffer.from('299 - "gone bientôt"').toString("latin1");
      response.setHeader("warning", ['299 - "old, \\"very\\" old"', '199 x "no"', soon]);
      response.end();
    };
    const response = await client(server).request({ method: "GET", path: "/" });
    expect(response.warnings).toEqual(['old, "very" old', "gone bientôt"]);
    await response.bytes();
  });

  it("pieces come as they are sent, and the connection is free after an early end", async () => {
    const server = await start(protocol);
    let ended = false;
    server.handle = (_request, response) => {
      response.writeHead(200);
      response.write("one");
      response.on("close", () => {
        ended = true;
      });
    };
    const transport = client(server, { limits: { maxInFlight: 1 } });
    const response = await transport.request({ method: "GET", path: "/?watch=1" });
    for await (const piece of response.stream()) {
      expect(Buffer.from(piece).toString()).toBe("one");
      // A stream holds no place.
      const other = await transport.request({ method: "GET", path: "/?watch=1" });
      for await (const first of other.stream()) {
        expect(first.length).toBe(3);
        break;
      }
      break;
    }
    await expect.poll(() => ended).toBe(true);
  });

  it("a stream that nobody reads is not kept here: its server waits", async () => {
    const server = await start(protocol);
    const piece = Buffer.alloc(256 * 1024, "x");
    let taken = 0;
    server.handle = (_request, response) => {
      response.writeHead(200);
      const write = (): void => {
        while (response.write(piece)) taken += piece.length;
        taken += piece.length;
        response.once("drain", write);
      };
      write();
    };
    const response = await client(server).request({ method: "GET", path: "/" });
    const reading = response.stream()[Symbol.asyncIterator]();
    await reading.next();
    // It goes on for as long as anybody takes anything, then it rests.
    let before = -1;
    await expect
      .poll(
        () => {
          const rests = taken === before;
          before = taken;
          return rests;
        },
        { interval: 200 },
      )
      .toBe(true);
    expect(taken).toBeLessThan(16 * 1024 * 1024);
    await reading.return?.();
  });

  it("a stream outlasts the time limit, which is for the head alone", async () => {
    const server = await start(protocol);
    let finish = (): void => undefined;
    server.handle = (_request, response) => {
      response.writeHead(200);
      response.write("a");
      finish = () => response.end("b");
    };
    const clock = new FakeClock();
    const response = await client(server, { clock }).request({ method: "GET", path: "/", timeoutMs: 500 });
    await clock.advance(700);
    finish();
    expect(await drain(response.stream())).toBe("ab");
  });

  it("a body that is cut off is told of, whole and in pieces", async () => {
    const server = await start(protocol);
    server.handle = (_request, response) => {
      response.writeHead(200);
      response.write("half", () => setTimeout(() => server.sockets.at(-1)!.destroy(), 20));
    };
    const transport = client(server);
    const first = await transport.request({ method: "GET", path: "/" });
    expect((await failure(first.bytes())).failure).toBe("lost");
    const second = await transport.request({ method: "GET", path: "/" });
    expect((await failure(drain(second.stream()))).failure).toBe("lost");
  });

  it("a head that does not come in time is told of", async () => {
    const server = await start(protocol);
    server.handle = () => undefined;
    const clock = new FakeClock();
    const asked = failure(client(server, { clock }).request({ method: "GET", path: "/", timeoutMs: 500 }));
    await expect.poll(() => server.seen.length).toBe(1);
    await clock.advance(500);
    const error = await asked;
    expect([error.failure, error.message]).toEqual(["timeout", "no answer within 0.5 seconds"]);
    expect(server.seen.length).toBe(1);
  });

  it("a large body is sent whole, one that nobody listens to can be given up, and an early answer is one", async () => {
    const server = await start(protocol);
    const body = Buffer.alloc(30_000_000, "x");
    server.handle = (_request, response, seen) => response.end(String(seen.body.length));
    const transport = client(server);
    expect(await text(await transport.request({ method: "POST", path: "/", body }))).toBe("30000000");
    server.listen = false;
    server.handle = undefined;
    const controller = new AbortController();
    const reason = new Error("no longer wanted");
    const asked = transport.request({ method: "POST", path: "/", body, signal: controller.signal });
    await expect.poll(() => server.requests).toBe(2);
    controller.abort(reason);
    await expect(asked).rejects.toBe(reason);
    server.handle = (_request, response) => response.writeHead(413).end("too much");
    const refused = await transport.request({ method: "POST", path: "/", body });
    expect([refused.status, await text(refused)]).toEqual([413, "too much"]);
  });

  it("a caller that gives up gets its own reason, before the head and in a stream", async () => {
    const server = await start(protocol);
    const transport = client(server);
    const reason = new Error("no longer wanted");
    server.handle = () => undefined;
    const before = new AbortController();
    const asked = transport.request({ method: "GET", path: "/", signal: before.signal });
    await expect.poll(() => server.seen.length).toBe(1);
    before.abort(reason);
    await expect(asked).rejects.toBe(reason);
    server.handle = (_request, response) => {
      response.writeHead(200);
      response.write("a");
    };
    const during = new AbortController();
    const response = await transport.request({ method: "GET", path: "/", signal: during.signal });
    const reading = drain(response.stream());
    during.abort(reason);
    await expect(reading).rejects.toBe(reason);
    await expect(transport.request({ method: "GET", path: "/", signal: during.signal })).rejects.toBe(reason);
  });

  it("a lost connection is no answer: reads are sent again, writes are not", async () => {
    const server = await start(protocol);
    server.handle = (_request, response) => {
      if (server.seen.length % 2 === 1) server.sockets.at(-1)!.destroy();
      else response.end("late");
    };
    const transport = client(server);
    const read = await transport.request({ method: "GET", path: "/" });
    expect([await text(read), read.attempts, server.seen.length]).toEqual(["late", 2, 2]);
    expect((await failure(transport.request({ method: "POST", path: "/", body: "x" }))).failure).toBe("lost");
    expect(server.seen.length).toBe(3);
    server.seen.length = 0;
    const safe = await transport.request({ method: "PATCH", path: "/", body: "x", idempotent: true });
    expect([await text(safe), safe.attempts]).toEqual(["late", 2]);
    server.seen.length = 0;
    await failure(transport.request({ method: "GET", path: "/", idempotent: false }));
    expect(server.seen.length).toBe(1);
  });

  it("a server that loses every connection is not asked for ever", async () => {
    const server = await start(protocol);
    server.handle = () => server.sockets.at(-1)!.destroy();
    await failure(client(server).request({ method: "GET", path: "/" }));
    expect(server.seen.length).toBe(4);
  });

  it.each<[string, "GET" | "POST", number, string | undefined, number]>([
    ["429 to a read", "GET", 429, "2", 3],
    ["429 to a write", "POST", 429, "2", 3],
    ["503 to a read", "GET", 503, "2", 3],
    ["503 to a write", "POST", 503, "2", 1],
    ["429 without a time", "GET", 429, undefined, 1],
    ["429 with a time that is none", "GET", 429, "soon", 1],
    ["429 with a time that is too long", "GET", 429, "31", 1],
    ["500 with a time", "GET", 500, "2", 1],
  ])("%s (%s, %s, Retry-After %s) is sent %s times", async (_what, method, status, retryAfter, times) => {
    const server = await start(protocol);
    const slept: number[] = [];
    server.handle = (_request, response) => {
      const done = server.seen.length >= 3;
      const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter };
      response.writeHead(done ? 200 : status, headers).end();
    };
    const clock = { ...systemClock, sleep: async (ms: number) => void slept.push(ms) };
    const response = await client(server, { clock }).request({ method, path: "/" });
    expect([server.seen.length, response.status, response.attempts]).toEqual([
      times,
      times === 3 ? 200 : status,
      times,
    ]);
    expect(slept).toEqual(Array.from({ length: times - 1 }, () => 2_000));
    await response.bytes();
  });

  it("what must not be sent any more is not sent again either", async () => {
    const server = await start(protocol);
    server.handle = (_request, response) => response.writeHead(429, { "retry-after": "1" }).end("busy");
    let asked = 0;
    const beforeSending = () => {
      asked += 1;
      if (asked === 3) throw new Error("too late");
    };
    const transport = client(server, { clock: { ...systemClock, sleep: async () => undefined } });
    await expect(transport.request({ method: "POST", path: "/", beforeSending })).rejects.toThrow("too late");
    expect(server.seen.length).toBe(2);
  });

  it("what must not be sent any more when there is a connection is not sent", async () => {
    const server = await start(protocol);
    const beforeSending = () => {
      if (server.connections > 0) throw new Error("too late");
    };
    await expect(client(server).request({ method: "POST", path: "/", beforeSending })).rejects.toThrow("too late");
    expect(server.seen).toEqual([]);
  });

  it("a busy server is asked a bounded number of times, and never past the time limit", async () => {
    const server = await start(protocol);
    server.handle = (_request, response) => response.writeHead(429, { "retry-after": "1" }).end("busy");
    const transport = client(server, { clock: { ...systemClock, sleep: async () => undefined } });
    const response = await transport.request({ method: "GET", path: "/" });
    expect([response.status, response.attempts, await text(response)]).toEqual([429, 10, "busy"]);
    const short = await transport.request({ method: "GET", path: "/", timeoutMs: 900 });
    expect([short.status, short.attempts]).toEqual([429, 1]);
    await short.bytes();
  });

  it("a new token is shown when the old one is refused", async () => {
    const folder = mkdtempSync(join(tmpdir(), "transport-"));
    open.push(() => rmSync(folder, { recursive: true }));
    const tokenFile = join(folder, "token");
    writeFileSync(tokenFile, "old");
    const server = await start(protocol);
    server.handle = (_request, response, { headers }) => {
      response.writeHead(headers.authorization === "Bearer new" ? 200 : 401).end();
    };
    const transport = client(server, { user: { tokenFile } });
    expect((await transport.request({ method: "POST", path: "/" })).status).toBe(401);
    expect(server.seen.length).toBe(1);
    writeFileSync(tokenFile, "new");
    expect((await transport.request({ method: "POST", path: "/" })).status).toBe(200);
    expect(server.seen.length).toBe(3);
  });

  it("impersonation is said in headers, lists one by one", async () => {
    const server = await start(protocol);
    const impersonate = { user: "eve", groups: ["a", "b"], extra: new Map([["k", ["v"]]]) };
    await text(await client(server, { user: { impersonate } }).request({ method: "GET", path: "/" }));
    expect(server.seen[0]!.headers).toMatchObject({
      "impersonate-user": "eve",
      "impersonate-group": "a, b",
      "impersonate-extra-k": "v",
    });
  });

  it("HEAD has no body", async () => {
    const server = await start(protocol);
    const response = await client(server).request({ method: "HEAD", path: "/" });
    expect((await response.bytes()).length).toBe(0);
  });

  it("a closed client asks nothing, and ends what is under way", async () => {
    const server = await start(protocol);
    server.handle = () => undefined;
    const transport = client(server);
    const asked = failure(transport.request({ method: "GET", path: "/" }));
    await expect.poll(() => server.seen.length).toBe(1);
    await transport.close();
    expect((await asked).failure).toBe("closed");
    expect((await failure(transport.request({ method: "GET", path: "/" }))).failure).toBe("closed");
  });

  it("WebSockets carry messages both ways", async () => {
    const server = await start(protocol);
    const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => "v5" });
    server.node.on("upgrade", (request, socket, head) => {
      sockets.handleUpgrade(request as never, socket as never, head as never, (connection) => {
        connection.send("hello");
        connection.on("message", (data) => {
          connection.send(`${String(data)}!`);
          connection.close(1000);
        });
      });
    });
    const transport = client(server, { user: { token: "t" } });
    const socket = await transport.connect({ path: "/exec?command=ls", protocols: ["v5", "v4"] });
    expect(socket.protocol).toBe("v5");
    socket.send(Buffer.from("shout"));
    expect(await drain(socket.messages())).toBe("helloshout!");
  });

  it("a WebSocket that is refused fails with the server's Status, one that is lost is told of", async () => {
    const server = await start(protocol);
    let refuse = true;
    const sockets = new WebSocketServer({ noServer: true });
    server.node.on("upgrade", (request, socket, head) => {
      if (!refuse) {
        sockets.handleUpgrade(request as never, socket as never, head as never, (connection) => connection.terminate());
        return;
      }
      const body =
        '{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":"Forbidden","code":403}';
      (socket as Socket).end(`HTTP/1.1 403 Forbidden\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    });
    const transport = client(server);
    const request = { path: "/api/v1/namespaces/a/pods/b/exec", protocols: ["v5"] };
    const error = await transport.connect(request).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).message).toBe('get pods/exec "b" in namespace "a": no');
    refuse = false;
    const socket = await transport.connect({ path: "/", protocols: [] });
    expect((await failure(drain(socket.messages()))).failure).toBe("lost");
  });
});

describe("a server that switches protocols unasked", () => {
  it("fails the request", async () => {
    const server = await startTlsServer((_request, response) =>
      response.socket?.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"),
    );
    open.push(() => server.close());
    const cluster = {
      server: `https://127.0.0.1:${server.port}`,
      insecureSkipTlsVerify: true,
      disableCompression: false,
      extensions: new Map(),
    };
    const transport = new HttpsTransport({ connection: { clusterName: "", userName: "", cluster, user: {} }, env: {} });
    open.push(() => transport.close());
    const { message } = await failure(transport.request({ method: "GET", path: "/x" }));
    expect(message).toContain("tried to switch protocols");
  });
});

describe("a server", () => {
  it("that closes its HTTP/2 connection in good order gets the next request on another one", async () => {
    const server = await start();
    const transport = client(server);
    await text(await transport.request({ method: "POST", path: "/" }));
    server.sessions[0]!.close();
    await expect.poll(() => server.sessions[0]!.closed).toBe(true);
    for (let i = 0; i < 3; i += 1) await text(await transport.request({ method: "POST", path: "/" }));
    expect([server.sessions.length, server.seen.length]).toEqual([2, 4]);
  });

  it("that refuses a stream has not acted on it: even writes are sent again", async () => {
    const server = await start();
    let refused = 0;
    server.handle = (request, response) => {
      if (refused < 2) {
        refused += 1;
        request.stream.close(7);
      } else response.end("done");
    };
    const response = await client(server).request({ method: "POST", path: "/", body: "x" });
    expect([await text(response), response.attempts]).toEqual(["done", 3]);
  });

  it("that takes no streams for a while gets no connection after connection: requests wait for it", async () => {
    const server = await start();
    const transport = client(server);
    await text(await transport.request({ method: "GET", path: "/" }));
    const [session] = server.sessions;
    const settled = (maxConcurrentStreams: number) =>
      new Promise<void>((resolve) => session!.settings({ maxConcurrentStreams }, () => resolve()));
    await settled(0);
    const waiting = transport.request({ method: "GET", path: "/" });
    await settled(0);
    expect([server.seen.length, server.connections]).toEqual([1, 1]);
    await settled(10);
    expect(await text(await waiting)).toBe("{}");
    expect(server.connections).toBe(1);
  });

  it.each<[string, Partial<ClusterEntry>, RegExp]>([
    ["of another authority", { certificateAuthority: { at: "", pem: "ANN" } }, /signed by unknown authority/],
    ["of the system's authorities only", { certificateAuthority: undefined as never }, /signed by unknown authority/],
    ["of another name", { tlsServerName: "other.test" }, /certificate is valid for .*, not other\.test/],
  ])("that is not who it should be is refused: %s", async (_what, cluster, message) => {
    const server = await start();
    const authority = cluster.certificateAuthority?.pem === "ANN" ? { at: "", pem: ann.certificatePem } : undefined;
    const given = authority === undefined ? cluster : { ...cluster, certificateAuthority: authority };
    const error = await failure(client(server, { cluster: given }).request({ method: "GET", path: "/" }));
    expect([error.failure, server.seen.length]).toEqual(["connect", 0]);
    expect(error.message).toMatch(message);
  });

  it.each<[string, Partial<ClusterEntry>]>([
    ["by the name it should have", { tlsServerName: "shop.test" }],
    ["when anybody is trusted", { insecureSkipTlsVerify: true, certificateAuthority: undefined as never }],
  ])("is known %s", async (_what, cluster) => {
    const server = await start();
    expect((await client(server, { cluster }).request({ method: "GET", path: "/" })).status).toBe(200);
  });

  it("that is not there is told of, once", async () => {
    const server = await start();
    const { port } = server;
    const transport = client(server);
    await server.stop();
    const error = await failure(transport.request({ method: "GET", path: "/" }));
    expect(error.message).toBe(`127.0.0.1:${port}: dial tcp 127.0.0.1:${port}: connect: connection refused`);
  });

  it("may be without TLS where its address says so", async () => {
    const server: Server = createServer((request, response) => response.end(request.headers.host));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    open.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    const other = await start();
    const transport = client(other, { cluster: { server: `http://127.0.0.1:${port}` } });
    expect(await text(await transport.request({ method: "GET", path: "/" }))).toBe(`127.0.0.1:${port}`);
  });

  it.each(["ftp://x", "x"])("cannot be at %s", async (address) => {
    const server = await start();
    expect(() => client(server, { cluster: { server: address } })).toThrow(/^server /);
  });
});

describe("a client certificate", () => {
  const userOf = ({ certificatePem, keyPem }: KeyedCertificate): UserEntry => ({
    clientCertificate: { at: "", pem: certificatePem },
    clientKey: { at: "", pem: keyPem },
  });

  it("is shown", async () => {
    const server = await start();
    await text(await client(server, { user: userOf(ann) }).request({ method: "GET", path: "/" }));
    expect(server.seen[0]!.client).toBe("ann");
  });

  it("that changes in its file means a new connection; what runs on the old one ends in peace", async () => {
    const folder = mkdtempSync(join(tmpdir(), "transport-"));
    open.push(() => rmSync(folder, { recursive: true }));
    const [file, key] = [join(folder, "cert"), join(folder, "key")];
    const write = ({ certificatePem, keyPem }: KeyedCertificate): void => {
      writeFileSync(file, certificatePem);
      writeFileSync(key, keyPem);
    };
    write(ann);
    const server = await start();
    let nowMs = 0;
    const transport = client(server, {
      user: { clientCertificate: { at: "", file }, clientKey: { at: "", file: key } },
      clock: { ...systemClock, nowMs: () => nowMs },
    });
    let finish = (): void => undefined;
    server.handle = (_request, response) => {
      finish = () => response.end("slow");
    };
    const slow = transport.request({ method: "GET", path: "/slow" });
    await expect.poll(() => server.seen.length).toBe(1);
    server.handle = (_request, response) => response.end("fast");
    write(bob);
    await text(await transport.request({ method: "GET", path: "/" }));
    nowMs += 60_000;
    await text(await transport.request({ method: "GET", path: "/" }));
    await text(await transport.request({ method: "GET", path: "/" }));
    expect(server.seen.map(({ client: name }) => name)).toEqual(["ann", "ann", "bob", "bob"]);
    expect(server.sessions.length).toBe(2);
    finish();
    expect(await text(await slow)).toBe("slow");
    await expect.poll(() => server.sessions[0]!.destroyed).toBe(true);
  });

  it("that is none is told of", async () => {
    const server = await start();
    const user = { clientCertificate: { at: "", pem: "x" }, clientKey: { at: "", pem: "y" } };
    expect((await failure(client(server, { user }).request({ method: "GET", path: "/" }))).failure).toBe("credentials");
  });

  it("of a plug-in that changes after 401 means a new connection", async () => {
    const folder = mkdtempSync(join(tmpdir(), "transport-"));
    open.push(() => rmSync(folder, { recursive: true }));
    const apiVersion = "client.authentication.platform.io/v1";
    const print = ({ certificatePem, keyPem }: KeyedCertificate): string =>
      JSON.stringify({
        apiVersion,
        kind: "ExecCredential",
        status: { clientCertificateData: certificatePem, clientKeyData: keyPem },
      });
    writeFileSync(join(folder, "1"), print(ann));
    writeFileSync(join(folder, "2"), print(bob));
    const script = `echo >>${folder}/runs; cat ${folder}/$(grep -c "" ${folder}/runs)`;
    const exec = {
      settings: { apiVersion, command: "sh", args: ["-c", script], interactiveMode: "Never" },
      at: "exec",
      folder,
    };
    const server = await start();
    server.handle = (_request, response, { client: name }) => response.writeHead(name === "bob" ? 200 : 401).end();
    const transport = client(server, { user: { exec }, env: { PATH: process.env["PATH"] } });
    expect((await transport.request({ method: "POST", path: "/" })).status).toBe(200);
    expect(server.seen.map(({ client: name }) => name)).toEqual(["ann", "bob"]);
  });
});

const PING_INTERVAL_MS = HTTPS_LIMITS.pingIntervalMs;

describe("credentials that take their time", () => {
  const apiVersion = "client.authentication.platform.io/v1";
  const exec = (folder: string) => ({
    settings: {
      apiVersion,
      command: "sh",
      args: ["-c", `echo >${folder}/started; while [ ! -e ${folder}/go ]; do sleep 0.01; done; cat ${folder}/go`],
      interactiveMode: "Never",
    },
    at: "exec",
    folder,
  });

  it("do not use up the time for an answer, unless the request has a limit of its own", async () => {
    const folder = mkdtempSync(join(tmpdir(), "transport-"));
    open.push(() => rmSync(folder, { recursive: true }));
    const server = await start();
    const clock = new FakeClock();
    const env = { PATH: process.env["PATH"] };
    const transport = client(server, { user: { exec: exec(folder) }, clock, env });
    const patient = transport.request({ method: "GET", path: "/" });
    const hasty = failure(transport.request({ method: "GET", path: "/", timeoutMs: 1_000 }));
    await expect.poll(() => existsSync(join(folder, "started"))).toBe(true);
    await clock.advance(2 * HTTPS_LIMITS.requestTimeoutMs);
    expect((await hasty).failure).toBe("timeout");
    const text = JSON.stringify({ apiVersion, kind: "ExecCredential", status: { token: "t" } });
    writeFileSync(join(folder, "half"), text);
    renameSync(join(folder, "half"), join(folder, "go"));
    expect((await patient).status).toBe(200);
  });
});

describe("a dead connection", () => {
  it("is known within half a minute", () => expect(2 * PING_INTERVAL_MS).toBeLessThan(30_000));

  it("ends a watch that waits on it, and the next request goes over another one", async () => {
    const server = await start();
    const relay = await startRelay(server.port);
    server.handle = (request, response) => {
      response.writeHead(200);
      response.write("first");
      if (request.url !== "/watch") response.end();
    };
    const clock = new FakeClock();
    const transport = client(server, { clock, cluster: { server: `https://127.0.0.1:${relay.port}` } });
    const ask = async () => text(await transport.request({ method: "GET", path: "/" }));
    const watch = await transport.request({ method: "GET", path: "/watch" });
    const reading = failure(drain(watch.stream()));
    // Alive, it lasts over many pings: their answers come before that of a request.
    for (let minutes = 0; minutes < 10; minutes += 1) {
      await clock.advance(PING_INTERVAL_MS);
      await ask();
    }
    expect(server.sessions.length).toBe(1);
    relay.freeze();
    await clock.advance(2 * PING_INTERVAL_MS);
    expect((await reading).failure).toBe("lost");
    expect(await ask()).toBe("first");
    expect(server.sessions.length).toBe(2);
  });

  it.each<Protocol>(["h2", "http/1.1"])("of a watch over %s is given up within half a minute", async (protocol) => {
    const server = await start(protocol);
    const relay = await startRelay(server.port);
    server.handle = (_request, response) => {
      response.writeHead(200);
      response.write(
        `${JSON.stringify({ type: "ADDED", object: { metadata: { name: "a", resourceVersion: "5" } } })}\n`,
      );
    };
    const clock = new FakeClock();
    const transport = client(server, { clock, cluster: { server: `https://127.0.0.1:${relay.port}` } });
    const stop = new AbortController();
    const maps = new ResourceClient({ transport, clock }).resource(kinds.core.v1.configMaps, "ns");
    const changes = maps.watch({ resourceVersion: "1", signal: stop.signal });
    await changes.next();
    relay.freeze();
    const next = changes.next();
    for (let second = 0; second < 30; second += 1) await clock.advance(1_000);
    expect((await next).value).toMatchObject({ type: "ADDED" });
    expect(server.seen.map(({ url }) => new URL(url, "https://x").searchParams.get("resourceVersion"))).toEqual([
      "1",
      "5",
    ]);
    stop.abort();
  });
});

describe("a proxy", () => {
  it("is asked for a tunnel, with its password", async () => {
    const server = await start();
    const proxy = await startProxy();
    const transport = client(server, { cluster: { proxyUrl: `http://user:p%40ss@127.0.0.1:${proxy.port}` } });
    expect((await transport.request({ method: "GET", path: "/" })).status).toBe(200);
    expect(proxy.asked).toEqual([
      { target: `127.0.0.1:${server.port}`, authorization: `Basic ${Buffer.from("user:p@ss").toString("base64")}` },
    ]);
  });

  it("of SOCKS5 is asked for a connection, with TLS to the server inside it", async () => {
    const server = await start();
    const asked: number[] = [];
    const proxy = createTcpServer((near) => {
      near
        .on("error", () => undefined)
        .once("data", () => {
          near.write(Buffer.from([5, 0]));
          near.once("data", (bytes: Buffer) => {
            asked.push(bytes.readUInt16BE(bytes.length - 2));
            const far = connect(server.port, "127.0.0.1", () => {
              near.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
              near.pipe(far).pipe(near);
            });
            far.on("error", () => undefined);
            open.push(() => near.destroy());
          });
        });
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    open.push(() => void proxy.close());
    const { port } = proxy.address() as AddressInfo;
    const transport = client(server, { cluster: { proxyUrl: `socks5://127.0.0.1:${port}` } });
    expect((await transport.request({ method: "GET", path: "/" })).status).toBe(200);
    expect(asked).toEqual([server.port]);
  });

  it("of the environment is used, except for whom it is not meant", async () => {
    const server = await start();
    const proxy = await startProxy();
    const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
    // Loopback is never proxied: the request gets there, and the proxy hears nothing.
    expect((await client(server, { env }).request({ method: "GET", path: "/" })).status).toBe(200);
    expect(proxy.asked).toEqual([]);
    const cluster = { server: "https://shop.test:1" };
    const error = await failure(client(server, { env, cluster }).request({ method: "GET", path: "/" }));
    expect(proxy.asked).toEqual([{ target: "shop.test:1", authorization: undefined }]);
    expect(error.message).toMatch(/^shop\.test:1 through the proxy 127\.0\.0\.1:\d+: the proxy refused: 502/);
  });
});

/** Passes bytes on until it is frozen; then connections stay open and silent, and new ones work. */
async function startRelay(target: number): Promise<{ readonly port: number; freeze(): void }> {
  const pairs: Socket[] = [];
  const relay = createTcpServer((near) => {
    const far = connect(target, "127.0.0.1");
    for (const socket of [near, far]) socket.on("error", () => undefined);
    near.pipe(far).pipe(near);
    pairs.push(near, far);
  });
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  open.push(() => {
    for (const socket of pairs) socket.destroy();
    relay.close();
  });
  return {
    port: (relay.address() as AddressInfo).port,
    freeze: () => {
      for (const socket of pairs) socket.unpipe().pause();
    },
  };
}

interface Asked {
  readonly target: string | undefined;
  readonly authorization: string | undefined;
}

async function startProxy(): Promise<{ readonly port: number; readonly asked: Asked[] }> {
  const asked: Asked[] = [];
  const proxy = createServer();
  proxy.on("connect", (request, near: Socket) => {
    asked.push({ target: request.url, authorization: request.headers["proxy-authorization"] });
    const [host, port] = request.url!.split(":");
    if (host !== "127.0.0.1") return near.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
    const far = connect(Number(port), host, () => near.write("HTTP/1.1 200 OK\r\n\r\n"));
    for (const socket of [near, far]) socket.on("error", () => undefined);
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  open.push(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return { port: (proxy.address() as AddressInfo).port, asked };
}
