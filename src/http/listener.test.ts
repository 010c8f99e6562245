import { once } from "node:events";
import type { ClientHttp2Session } from "node:http2";
import https from "node:https";
import net from "node:net";
import { text as readAll } from "node:stream/consumers";
import tls from "node:tls";
import { afterEach, describe, expect, it } from "vitest";
import {
  type Ask,
  connectHttp2,
  http1,
  http2,
  raw,
  startListener,
  type TestListener,
  testCertificate,
} from "./listener.testing.ts";
import { BodyAborted, BodyTooLarge, type BodyWriter, type ReceivedRequest, type Response } from "./message.ts";
import { issueCertificate } from "./pki/issue-certificate.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(handler: (request: ReceivedRequest) => Response | Promise<Response>): Promise<TestListener> {
  const listener = await startListener(handler);
  cleanups.push(() => listener.close(1_000));
  return listener;
}

/** As the server does. */
async function refusingBodies(request: ReceivedRequest): Promise<Response> {
  const isTooLarge = await request.readBody(1_000_000).then(
    () => false,
    (error) => error instanceof BodyTooLarge,
  );
  return isTooLarge ? { status: 413, headers: { connection: "close" } } : text("x");
}

/** As some clients do: they see an answer only when the server has taken everything. */
async function sendAllThenRead(port: number, pieces: readonly string[]): Promise<string> {
  const socket = tls.connect({
    socket: net.connect({ port, host: "127.0.0.1", allowHalfOpen: true }),
    rejectUnauthorized: false,
  });
  for (const piece of pieces)
    await new Promise<void>((resolve, reject) => {
      socket.write(piece, (error) => (error == null ? resolve() : reject(error)));
    });
  socket.end();
  return readAll(socket);
}

/** The head of a request and a part of its body. */
function beginOverHttp1(port: number): tls.TLSSocket {
  const socket = tls.connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
  socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab");
  return socket;
}

function beginOverHttp2(port: number): ClientHttp2Session {
  const session = connectHttp2(port);
  const stream = session.request({ ":path": "/", ":method": "POST" });
  stream.on("error", () => undefined);
  stream.write("ab");
  return session;
}

const protocols: [string, (port: number) => Ask][] = [
  ["HTTP/1.1", (port) => http1(port)],
  [
    "HTTP/2",
    (port) => {
      const session = connectHttp2(port);
      cleanups.push(() => session.destroy());
      return http2(session);
    },
  ],
];

/** TLS encrypts at most so many bytes in one piece. */
const TLS_RECORD_BYTES = 16 * 1024;

const text = (body: string, status = 200): Response => ({
  status,
  headers: { "content-type": "text/plain" },
  body: Buffer.from(body),
});

describe.each(protocols)("the listener over %s", (name, client) => {
  it("hands on method, path, query, headers and body, and sends the answer back", async () => {
    const listener = await start(async (request) => {
      const body = Buffer.from(await request.readBody(100)).toString();
      return text(
        `${request.method} ${request.path} ${request.query.get("a")} ${request.headers.first("x-one")} ${body}`,
        201,
      );
    });
    const answer = await client(listener.port)("/some/path?a=b", {
      method: "POST",
      headers: { "x-one": "1" },
      body: Buffer.from("hello"),
    });
    expect(answer.status).toBe(201);
    expect(answer.text).toBe("POST /some/path b 1 hello");
    expect(answer.headers["content-length"]).toBe("25");
  });

  it("keeps repeated header lines apart, in both directions", async () => {
    const listener = await start((request) => ({ status: 200, headers: { warning: request.headers.all("x-group") } }));
    const answer = await client(listener.port)("/", { headers: { "x-group": ["a,b", "c"] } });
    expect(String(answer.headers["warning"])).toBe("a,b, c");
  });

  it("answers HEAD with the length and without a body", async () => {
    const listener = await start(() => text("hello"));
    const answer = await client(listener.port)("/", { method: "HEAD" });
    expect([answer.status, answer.headers["content-length"], answer.text]).toEqual([200, "5", ""]);
  });

  it.each([
    ["declared", { "content-length": "200" }],
    ["undeclared", {}],
  ])("refuses a body above the limit, its length %s, and serves the next request", async (_name, headers) => {
    const listener = await start(async (request) => {
      try {
        await request.readBody(100);
        return text("read");
      } catch (error) {
        return text(String(error instanceof BodyTooLarge), 413);
      }
    });
    const ask = client(listener.port);
    const answer = await ask("/", { method: "POST", headers, body: Buffer.alloc(200) });
    expect([answer.status, answer.text]).toEqual([413, "true"]);
    expect((await ask("/", { method: "POST", body: Buffer.alloc(100) })).status).toBe(200);
  });

  it("streams at the speed of the client: a reader that stops makes the writer wait", async () => {
    const chunk = Buffer.alloc(64 * 1024, "x");
    const chunks = 512;
    let written = 0;
    let lagged = false;
    const listener = await start(() => ({
      status: 200,
      headers: {},
      body: {
        async stream(writer) {
          for (let index = 0; index < chunks; index += 1) {
            if (!writer.write(chunk)) {
              lagged = true;
              await writer.drained();
            }
            written += chunk.length;
            expect(writer.queuedBytes).toBeLessThan(1024 * 1024);
          }
        },
      },
    }));
    const answer = await client(listener.port)("/");
    expect(answer.text.length).toBe(chunks * chunk.length);
    expect([written, lagged]).toEqual([chunks * chunk.length, true]);
  });

  it("sends the head of a stream before its first byte", async () => {
    let begin = () => {};
    const listener = await start(() => ({
      status: 200,
      headers: { "x-early": "yes" },
      body: {
        stream: (writer) =>
          new Promise<void>((resolve) => {
            begin = () => {
              writer.write(Buffer.from("event"));
              resolve();
            };
          }),
      },
    }));
    const session = connectHttp2(listener.port);
    cleanups.push(() => session.destroy());
    const stream = session.request({ ":path": "/" });
    const [head] = (await once(stream, "response")) as [Record<string, string>];
    expect(head["x-early"]).toBe("yes");
    begin();
    const [first] = (await once(stream, "data")) as [Buffer];
    expect(first.toString()).toBe("event");
  });

  it("cuts off an answer whose stream fails, and goes on serving", async () => {
    const listener = await start((request) => {
      if (request.path === "/good") return text("good");
      return { status: 200, headers: {}, body: { stream: () => Promise.reject(new Error("broken")) } };
    });
    await expect(client(listener.port)("/bad")).rejects.toThrow();
    expect((await client(listener.port)("/good")).text).toBe("good");
    expect(listener.errors.map((error) => error.message)).toContain("broken");
  });

  it("serves on when a handler throws", async () => {
    const listener = await start((request) => {
      if (request.path === "/bad") throw new Error("oops");
      return text("good");
    });
    await expect(client(listener.port)("/bad")).rejects.toThrow();
    expect((await client(listener.port)("/good")).text).toBe("good");
  });

  it("lets requests in flight end before it closes, and does not tell them to", async () => {
    let entered = () => {};
    const inside = new Promise<void>((resolve) => {
      entered = resolve;
    });
    let stopped = () => {};
    const stopping = new Promise<void>((resolve) => {
      stopped = resolve;
    });
    const listener = await startListener((request) => {
      const { signal } = request;
      const stream = async (writer: BodyWriter): Promise<void> => {
        writer.write(Buffer.from("begun"));
        entered();
        await stopping;
        writer.write(Buffer.from(writer.signal.aborted || signal.aborted ? ", cut" : ", ended"));
      };
      return { status: 200, headers: {}, body: { stream } };
    });
    const answer = client(listener.port)("/");
    await inside;
    const closed = listener.close(10_000);
    stopped();
    expect((await answer).text).toBe("begun, ended");
    await closed;
  });

  it("tells what is meant to last to end before it closes", async () => {
    let entered = () => {};
    const inside = new Promise<void>((resolve) => {
      entered = resolve;
    });
    const listener = await startListener(async (request) => {
      request.deadlineMs = Number.POSITIVE_INFINITY;
      entered();
      await once(request.signal, "abort");
      return text("ended well");
    });
    const answer = client(listener.port)("/");
    await inside;
    await listener.close(10_000);
    expect((await answer).text).toBe("ended well");
  });

  it("lets the bytes of a large answer leave before it closes", async () => {
    const size = 8 * 1024 * 1024;
    let entered = () => {};
    const inside = new Promise<void>((resolve) => {
      entered = resolve;
    });
    const listener = await startListener(() => {
      entered();
      return { status: 200, headers: {}, body: Buffer.alloc(size) };
    });
    const answer = client(listener.port)("/");
    await inside;
    await listener.close(10_000);
    expect((await answer).text.length).toBe(size);
  });

  it("closes after the grace period whatever still runs", async () => {
    let entered = () => {};
    const inside = new Promise<void>((resolve) => {
      entered = resolve;
    });
    const listener = await startListener(() => {
      entered();
      return new Promise<Response>(() => undefined);
    });
    const answer = client(listener.port)("/").catch((error: Error) => error);
    await inside;
    await listener.close(20);
    expect(await answer).toBeInstanceOf(Error);
  });

  it("does not wait for the body of a client that went away before anybody read it", async () => {
    let entered = () => {};
    const inside = new Promise<void>((resolve) => {
      entered = resolve;
    });
    let read: Promise<unknown> | undefined;
    const listener = await start(async (request) => {
      const gone = once(request.signal, "abort");
      entered();
      await gone;
      read = request.readBody(1_000).catch((error: unknown) => error);
      return text("to nobody");
    });
    const client = name === "HTTP/2" ? beginOverHttp2(listener.port) : beginOverHttp1(listener.port);
    client.on("error", () => undefined);
    await inside;
    client.destroy();
    await expect.poll(() => read).toBeDefined();
    expect(await read).toBeInstanceOf(BodyAborted);
  });

  it("aborts the signal of a request whose client went away", async () => {
    let gone: Promise<unknown> | undefined;
    let entered = () => {};
    const inside = new Promise<void>((resolve) => {
      entered = resolve;
    });
    const listener = await start(async (request) => {
      gone = once(request.signal, "abort");
      entered();
      await gone;
      return text("to nobody");
    });
    const socket = connectHttp2(listener.port);
    const stream = socket.request({ ":path": "/" });
    stream.on("error", () => undefined);
    await inside;
    socket.destroy();
    await gone;
  });
});

describe("the listener", () => {
  it.each(["h2", "http/1.1"])("chooses %s by ALPN", async (protocol) => {
    const listener = await start(() => text("x"));
    const socket = tls.connect({
      port: listener.port,
      host: "127.0.0.1",
      rejectUnauthorized: false,
      ALPNProtocols: [protocol],
    });
    await once(socket, "secureConnect");
    expect(socket.alpnProtocol).toBe(protocol);
    socket.destroy();
  });

  it("refuses TLS below 1.2", async () => {
    const listener = await start(() => text("x"));
    const options = { port: listener.port, host: "127.0.0.1", rejectUnauthorized: false };
    const socket = tls.connect({
      ...options,
      minVersion: "TLSv1",
      maxVersion: "TLSv1.1",
      ciphers: "DEFAULT@SECLEVEL=0",
    });
    const [error] = (await once(socket, "error")) as [Error];
    expect(error.message).toMatch(/protocol|alert|version/i);
  });

  it("serves several requests on one HTTP/1.1 connection", async () => {
    const connections = new Set<object>();
    const listener = await start((request) => {
      connections.add(request.connection);
      return text("x");
    });
    const agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
    cleanups.push(() => agent.destroy());
    for (let index = 0; index < 3; index += 1) await http1(listener.port, agent)("/");
    expect(connections.size).toBe(1);
  });

  it("takes a long request that comes while the answer before it has yet to leave", async () => {
    const answer = "x".repeat(4 * 1024 * 1024);
    const listener = await start(async (request) =>
      text(request.method === "GET" ? answer : String((await request.readBody(1024 * 1024)).length)),
    );
    const head = "GET / HTTP/1.1\r\nHost: x\r\nX-Pad: ";
    // As long as what TLS encrypts in one piece, so that the next request begins with the next one.
    const first = `${head}${"a".repeat(TLS_RECORD_BYTES - head.length - 4)}\r\n\r\n`;
    const body = "b".repeat(2 * TLS_RECORD_BYTES);
    const second = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const third = "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 3\r\n\r\nend";
    const received = await raw(listener.port, first + second + third);
    const answers = received.split(/HTTP\/1\.1 200.*?\r\n\r\n/s).slice(1);
    expect(answers.map(({ length }) => length)).toEqual([answer.length, 5, 1]);
    expect(answers.slice(1)).toEqual([String(body.length), "3"]);
    expect(listener.errors).toEqual([]);
  });

  it.each([
    ["what is not HTTP", "hello there\r\n\r\n", "400"],
    ["a header block above the limit", `GET / HTTP/1.1\r\nHost: x\r\nX-Big: ${"a".repeat(1100 * 1024)}\r\n\r\n`, "431"],
    [
      "a body with two lengths",
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "400",
    ],
  ])("answers %s with a status and closes", async (_name, request, status) => {
    const listener = await start(() => text("x"));
    expect((await raw(listener.port, request)).split(" ")[1]).toBe(status);
    expect((await http1(listener.port)("/")).status).toBe(200);
  });

  it.each([
    ["head", `GET / HTTP/1.1\r\nHost: x\r\nX-Big: ${"a".repeat(1100 * 1024)}`, "431"],
    ["body", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 90000000\r\n\r\n", "413"],
    ["host", "POST / HTTP/1.1\r\nHost: x\r\nHost: y\r\nContent-Length: 90000000\r\n\r\n", "400"],
  ])("lets a client read why its %s was refused while it still sends", async (_what, request, status) => {
    const listener = await start(refusingBodies);
    const pieces = Array.from({ length: 200 }, () => "a".repeat(64 * 1024));
    expect((await sendAllThenRead(listener.port, [request, ...pieces])).split(" ")[1]).toBe(status);
  });

  it.each(["", "Connection: Upgrade\r\nUpgrade: x\r\n"])(
    "takes nothing for a request that follows one whose body it did not read, not even %j",
    async (lines) => {
      let requests = 0;
      const listener = await start((request) => {
        requests += 1;
        return refusingBodies(request);
      });
      const head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n";
      const next = `GET / HTTP/1.1\r\nHost: x\r\n${lines}\r\n`;
      const answers = await sendAllThenRead(listener.port, [head, "a".repeat(2_000_000), next]);
      expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 413"]);
      // Then it has read everything.
      await listener.close(10_000);
      expect(requests).toBe(1);
    },
  );

  it("takes a header block of half a megabyte", async () => {
    const listener = await start((request) => text(String(request.headers.first("x-big")?.length)));
    const answer = await raw(
      listener.port,
      `GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Big: ${"a".repeat(512 * 1024)}\r\n\r\n`,
    );
    expect(answer).toMatch(/524288$/);
  });

  it("answers a refused upgrade with the whole response", async () => {
    const listener = await start((request) => text(request.upgrade === undefined ? "no upgrade" : "not allowed", 403));
    const answer = await raw(
      listener.port,
      "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    );
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(answer).toMatch(/content-type: text\/plain\r\n[\s\S]*\r\n\r\nnot allowed$/);
  });

  it("leaves the connection to a handler that has taken it over", async () => {
    const listener = await start(async (request) => {
      request.upgrade?.socket.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nhi");
      return { status: 101, headers: {}, hijacked: true };
    });
    const answer = await raw(
      listener.port,
      "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n",
    );
    expect(answer).toMatch(/^HTTP\/1\.1 101 [\s\S]*\r\n\r\nhi$/);
  });

  it("asks for no certificate as long as no authority is trusted", async () => {
    const listener = await start((request) => text(String(request.clientCertificate)));
    expect((await http1(listener.port)("/")).text).toBe("undefined");
    const client = await issueCertificate({
      use: "client",
      subject: { commonName: "someone" },
      notBeforeMs: Date.now() - 60_000,
      notAfterMs: Date.now() + 60_000,
    });
    const agent = new https.Agent({ cert: client.certificatePem, key: client.keyPem });
    cleanups.push(() => agent.destroy());
    expect((await http1(listener.port, agent)("/")).text).toBe("undefined");
  });

  it("serves new connections with a certificate that was replaced", async () => {
    const listener = await start(() => text("x"));
    const seen = async () => {
      const socket = tls.connect({ port: listener.port, host: "127.0.0.1", rejectUnauthorized: false });
      await once(socket, "secureConnect");
      const { subject } = socket.getPeerCertificate();
      socket.destroy();
      return subject.CN;
    };
    expect(await seen()).toBe("test");
    const request = {
      use: "server",
      subject: { commonName: "second" },
      notBeforeMs: Date.now() - 60_000,
      notAfterMs: Date.now() + 60_000,
    } as const;
    listener.setCertificates(await issueCertificate(request));
    expect(await seen()).toBe("second");
  });

  it("tells of connections that end before they are encrypted", async () => {
    let failed = 0;
    const listener = await startListener(() => text("x"), {
      onHandshakeError: () => {
        failed += 1;
      },
    });
    cleanups.push(() => listener.close(1_000));
    const socket = net.connect({ port: listener.port, host: "127.0.0.1" });
    socket.on("error", () => undefined).resume();
    socket.write("GET / HTTP/1.1\r\n\r\n");
    await once(socket, "close");
    expect(failed).toBe(1);
  });

  it("says that a port is taken", async () => {
    const listener = await start(() => text("x"));
    const { listen } = await import("./listener.ts");
    const again = listen({
      bindAddress: "127.0.0.1",
      port: listener.port,
      tls: await testCertificate(),
      handler: async () => text("x"),
    });
    await expect(again).rejects.toMatchObject({ code: "EADDRINUSE" });
  });
});
