// What clients cannot do to a listener by being slow, silent or wordy.

import { once } from "node:events";
import { connect } from "node:http2";
import tls from "node:tls";
import { afterEach, describe, expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { connectHttp2, http1, http2, raw, startListener, type TestListener } from "./listener.testing.ts";
import { heldBytes } from "./memory.testing.ts";
import type { ReceivedRequest, Response, StreamBody } from "./message.ts";
import type { Handler } from "./pipeline.ts";
import { MAX_HEADER_LINES } from "./request-target.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const clock = new FakeClock();

async function start(handler: Handler<ReceivedRequest>): Promise<TestListener> {
  const listener = await startListener(handler, { clock });
  cleanups.push(() => listener.close(0));
  return listener;
}

const text = (body: string): Response => ({ status: 200, headers: {}, body: Buffer.from(body) });

/** A client of HTTP/2 that lets nobody send it a byte of a body. */
function deafClient(port: number) {
  const session = connect(`https://127.0.0.1:${port}`, {
    rejectUnauthorized: false,
    settings: { initialWindowSize: 0 },
  });
  session.on("error", () => undefined);
  cleanups.push(() => session.destroy());
  const request = (path: string) => {
    const stream = session.request({ ":path": path });
    stream.on("error", () => undefined);
    return Object.assign(stream, { gone: new Promise<void>((resolve) => stream.once("close", resolve)) });
  };
  return { session, request };
}

/** A client of HTTP/1.1 that sends one request and reads nothing. */
async function deafSocket(port: number, path: string): Promise<tls.TLSSocket> {
  const socket = tls.connect({ port, host: "127.0.0.1", rejectUnauthorized: false, ALPNProtocols: ["http/1.1"] });
  socket.on("error", () => undefined);
  cleanups.push(() => socket.destroy());
  await once(socket, "secureConnect");
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  return socket;
}

it("a body that does not arrive within a minute is waited for no longer", async () => {
  let asked: (() => void) | undefined;
  const reading = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const listener = await start(async (request) => {
    const body = request.readBody(100);
    asked?.();
    return text(await body.then(String, (error: Error) => error.message));
  });
  const socket = tls.connect({ port: listener.port, host: "127.0.0.1", rejectUnauthorized: false });
  cleanups.push(() => socket.destroy());
  await once(socket, "secureConnect");
  socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhal");
  await reading;
  clock.advance(62_000);
  const [answer] = await once(socket, "data");
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 [\s\S]*the body did not arrive in time$/);
});

describe("header lines", () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => [`x-${index}`, "1"] as const);

  it("are all there, up to the limit, over both protocols", async () => {
    const listener = await start(({ headers }) =>
      text(`${headers.namesWithPrefix("x-").length} ${headers.first("z")}`),
    );
    const headers = { ...Object.fromEntries(many(MAX_HEADER_LINES - 20)), z: "last" };
    const expected = `${MAX_HEADER_LINES - 20} last`;
    expect((await http1(listener.port)("/", { headers })).text).toBe(expected);
    const session = connectHttp2(listener.port);
    cleanups.push(() => session.destroy());
    expect((await http2(session)("/", { headers })).text).toBe(expected);
  });

  it.each([MAX_HEADER_LINES, 2 * MAX_HEADER_LINES, 10 * MAX_HEADER_LINES])(
    "above the limit are refused, and none is dropped in silence: %d",
    async (count) => {
      const listener = await start(() => text("served"));
      const sent = `GET / HTTP/1.1\r\nHost: x\r\n${many(count)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join("")}Impersonate-User: other\r\n\r\n`;
      expect(await raw(listener.port, sent)).toMatch(/^HTTP\/1\.1 431 /);
      const session = connectHttp2(listener.port);
      cleanups.push(() => session.destroy());
      const answer = await http2(session)("/", { headers: Object.fromEntries(many(count)) });
      expect(answer.status).toBe(431);
    },
  );

  it("are read as UTF-8, and sent as UTF-8", async () => {
    const listener = await start(({ headers }) => ({
      status: 200,
      headers: { "x-same": String(headers.first("x-user")), "x-all": headers.all("x-user") },
    }));
    const onTheWire = Buffer.from("Jürgen 名").toString("latin1");
    const session = connectHttp2(listener.port);
    cleanups.push(() => session.destroy());
    for (const ask of [http1(listener.port), http2(session)]) {
      const { headers } = await ask("/", { headers: { "x-user": onTheWire } });
      expect([headers["x-same"], headers["x-all"]]).toEqual([onTheWire, onTheWire]);
    }
  });
});

describe("a request line", () => {
  it.each([
    ["in absolute form is served by its path", "GET https://x/some?a=b HTTP/1.1\r\nHost: y", "200", "/some?a=b"],
    ["that is too long is refused", `GET /${"a".repeat(900_000)} HTTP/1.1\r\nHost: x`, "414", "URI Too Long"],
    ["without a host is refused", "GET / HTTP/1.1", "400", "missing required Host header"],
    ["with two hosts is refused", "GET / HTTP/1.1\r\nHost: x\r\nHost: x", "400", "too many Host headers"],
    ["of an upgrade without a host is refused", "GET / HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: y", "400", "Host"],
  ])("%s", async (_what, lines, status, body) => {
    const listener = await start(({ url }) => text(url));
    const answer = await raw(listener.port, `${lines}\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toContain(body);
  });
});

describe("a client that does not read", () => {
  const BIG = Buffer.alloc(32 * 1024 * 1024);

  it("is cut off when the time for its answer is over, over HTTP/2", async () => {
    const listener = await start(() => ({ status: 200, headers: {}, body: BIG }));
    const stream = deafClient(listener.port).request("/");
    await once(stream, "response");
    await clock.advance(61_000);
    await stream.gone;
    expect(stream.rstCode).not.toBe(0);
  });

  it("is cut off when the time for its answer is over, over HTTP/1.1", async () => {
    const gone = deferred();
    const listener = await start((request) => {
      request.signal.addEventListener("abort", () => gone.resolve(undefined));
      return { status: 200, headers: {}, body: BIG };
    });
    await deafSocket(listener.port, "/");
    await advanceUntil(gone.promise);
  });

  it("is given the time that the request was given", async () => {
    const listener = await start((request) => {
      request.deadlineMs = clock.monotonicMs() + 5_000;
      return { status: 200, headers: {}, body: BIG };
    });
    const stream = deafClient(listener.port).request("/");
    await once(stream, "response");
    await clock.advance(4_000);
    expect(stream.closed).toBe(false);
    await clock.advance(2_000);
    await stream.gone;
  });

  it("is cut off a minute later where the answer is meant to last", async () => {
    const listener = await start((request) => {
      request.deadlineMs = Number.POSITIVE_INFINITY;
      return { status: 200, headers: {}, body: endless };
    });
    const stream = deafClient(listener.port).request("/");
    await once(stream, "response");
    await clock.advance(55_000);
    expect(stream.closed).toBe(false);
    await clock.advance(10_000);
    await stream.gone;
  });

  it("keeps what the end of a lasting answer still has for it only for a while", async () => {
    const listener = await start((request) => {
      request.deadlineMs = Number.POSITIVE_INFINITY;
      return { status: 200, headers: {}, body: { stream: async (writer) => void writer.write(BIG) } };
    });
    const stream = deafClient(listener.port).request("/");
    await once(stream, "response");
    await clock.advance(31_000);
    await stream.gone;
  });

  it("costs little, however many of them there are", async () => {
    const listener = await start(() => ({ status: 200, headers: {}, body: endless }));
    const before = heldBytes();
    for (let sessions = 0; sessions < 10; sessions += 1) {
      const { request } = deafClient(listener.port);
      await Promise.all(Array.from({ length: 100 }, () => once(request("/"), "response")));
    }
    expect(heldBytes() - before).toBeLessThan(64 * 1024 * 1024);
  });
});

describe("a connection of HTTP/2", () => {
  it("is ended when it has carried nothing for long, and not before", async () => {
    const listener = await start(() => text("x"));
    const session = connectHttp2(listener.port);
    cleanups.push(() => session.destroy());
    await http2(session)("/");
    await clock.advance(170_000);
    expect(session.closed).toBe(false);
    await http2(session)("/");
    await clock.advance(170_000);
    expect(session.closed).toBe(false);
    await clock.advance(20_000);
    if (!session.closed) await once(session, "close");
  });
});

describe("an upgrade that nobody takes over", () => {
  it("is answered with a streamed body too", async () => {
    const body: StreamBody = {
      async stream(writer) {
        writer.write(Buffer.from("one "));
        writer.write(Buffer.from("two"));
      },
    };
    const listener = await start(() => ({ status: 200, headers: { "x-a": "b" }, body }));
    const answer = await raw(
      listener.port,
      "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\nx-a: b\r\n/);
    expect(answer).toMatch(/one \r\n3\r\ntwo\r\n0\r\n\r\n$/);
  });
});

describe("a body that is sent from one piece of memory again and again", () => {
  const PIECES = 200;
  /** Fills the memory anew as soon as it is free. */
  const body: StreamBody = {
    async stream(writer) {
      const free = [Buffer.alloc(100_000), Buffer.alloc(100_000), Buffer.alloc(20_000)];
      for (let piece = 0; piece < PIECES; piece += 1) {
        while (free.length === 0) await new Promise((resolve) => setImmediate(resolve));
        const memory = free.shift()!.fill(letter(piece));
        if (!writer.write(memory, () => free.push(memory))) await writer.drained();
      }
    },
  };

  const letter = (piece: number): string => String.fromCharCode(97 + (piece % 26));
  const expected = Array.from({ length: PIECES }, (_, piece) => letter(piece)).join("");

  it.each(["http/1.1", "http/2"])("reaches its client as it was written: %s", async (protocol) => {
    const listener = await start(() => ({ status: 200, headers: {}, body }));
    const get = protocol === "http/2" ? http2(connectHttp2(listener.port)) : http1(listener.port);
    const { text: received } = await get("/");
    expect(received.replace(/(.)\1*/g, "$1")).toBe(expected);
  });
});

/** Writes as long as there is room, in the pieces that it is asked for. */
const endless: StreamBody = {
  async stream(writer) {
    while (!writer.signal.aborted) if (!writer.write(Buffer.alloc(writer.chunkBytes))) await writer.drained();
  },
};

function deferred() {
  let resolve: (value: unknown) => void = () => undefined;
  const promise = new Promise((set) => {
    resolve = set;
  });
  return { promise, resolve };
}

async function advanceUntil(done: Promise<unknown>): Promise<void> {
  let over = false;
  void done.then(() => {
    over = true;
  });
  while (!over) {
    await clock.advance(61_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
