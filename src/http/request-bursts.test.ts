// What one connection packs into few bytes is begun a little at a time, and given up when it is too much.

import { once } from "node:events";
import tls from "node:tls";
import { afterEach, describe, expect, it } from "vitest";
import { connectHttp2, http2, raw, startListener, type TestListener } from "./listener.testing.ts";
import type { Response } from "./message.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Counts what is begun, and the most between two turns. */
async function countingListener(): Promise<TestListener & { begun: number; mostInTurn: number }> {
  const counts = { begun: 0, mostInTurn: 0 };
  let inTurn = 0;
  const listener = await startListener((): Response => {
    counts.begun += 1;
    inTurn += 1;
    counts.mostInTurn = Math.max(counts.mostInTurn, inTurn);
    setImmediate(() => {
      inTurn = 0;
    });
    return { status: 200, headers: {}, body: Buffer.from("served") };
  });
  cleanups.push(() => listener.close(0));
  return Object.assign(counts, listener);
}

const FRAME_HEAD_BYTES = 9;
const [HEADERS, RST_STREAM, SETTINGS] = [1, 3, 4];
const END_STREAM_AND_HEADERS = 5;

function frame(type: number, flags: number, stream: number, payload = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(FRAME_HEAD_BYTES);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** `GET /` by the indexes of HPACK's own table, and an authority. */
const GET = Buffer.concat([Buffer.from([0x82, 0x87, 0x84, 0x01, 1]), Buffer.from("x")]);
const [INTERNAL_ERROR, CANCEL] = [2, 8];

/** Sends so many requests of HTTP/2 in one piece, each taken back at once, until the server closes. */
async function takeBack(port: number, count: number, why = CANCEL): Promise<void> {
  const socket = tls.connect({ port, host: "127.0.0.1", rejectUnauthorized: false, ALPNProtocols: ["h2"] });
  cleanups.push(() => socket.destroy());
  socket.on("error", () => undefined);
  socket.resume();
  await once(socket, "secureConnect");
  const frames = Array.from({ length: count }, (_, index) => [
    frame(HEADERS, END_STREAM_AND_HEADERS, 2 * index + 1, GET),
    frame(RST_STREAM, 0, 2 * index + 1, Buffer.from([0, 0, 0, why])),
  ]).flat();
  socket.write(Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(SETTINGS, 0, 0), ...frames]));
  await once(socket, "close");
}

describe("requests that come at once", () => {
  it("are all served over HTTP/2 as far as they may be open, and others have their turn in between", async () => {
    const listener = await countingListener();
    const session = connectHttp2(listener.port);
    cleanups.push(() => session.destroy());
    const answers = await Promise.all(Array.from({ length: 250 }, () => http2(session)("/")));
    expect(answers.every(({ status, text }) => status === 200 && text === "served")).toBe(true);
    expect(listener.mostInTurn).toBeLessThanOrEqual(16);
  });

  it("are all served over HTTP/1.1 in their order, and others have their turn in between", async () => {
    const listener = await countingListener();
    const last = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    const answer = await raw(listener.port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(100) + last);
    expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(101);
    expect(listener.mostInTurn).toBeLessThanOrEqual(16);
  });

  it("are all served over connections of their own, and others have their turn in between", async () => {
    const listener = await countingListener();
    const sessions = Array.from({ length: 20 }, () => connectHttp2(listener.port));
    cleanups.push(() => sessions.forEach((session) => void session.destroy()));
    await Promise.all(sessions.map((session) => once(session, "remoteSettings")));
    const asked = sessions.flatMap((session) => Array.from({ length: 10 }, () => http2(session)("/")));
    const answers = await Promise.all(asked);
    expect(answers.every(({ status, text }) => status === 200 && text === "served")).toBe(true);
    expect(listener.mostInTurn).toBeLessThanOrEqual(16);
  });

  it("are all served as upgrades, and others have their turn in between", async () => {
    const listener = await countingListener();
    const upgrade = "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
    const sockets = Array.from({ length: 60 }, () => {
      const socket = tls.connect({ port: listener.port, host: "127.0.0.1", rejectUnauthorized: false });
      cleanups.push(() => socket.destroy());
      return socket;
    });
    await Promise.all(sockets.map((socket) => once(socket, "secureConnect")));
    for (const socket of sockets) socket.write(upgrade);
    const answers = await Promise.all(sockets.map(async (socket) => String((await once(socket, "data"))[0])));
    expect(answers.every((answer) => answer.startsWith("HTTP/1.1 200"))).toBe(true);
    expect(listener.mostInTurn).toBeLessThanOrEqual(16);
  });

  it("have their bodies when it is their turn", async () => {
    const listener = await startListener(async (request): Promise<Response> => {
      return { status: 200, headers: {}, body: await request.readBody(100) };
    });
    cleanups.push(() => listener.close(0));
    const bodies = Array.from({ length: 100 }, (_, index) => `body-${index};`);
    const session = connectHttp2(listener.port);
    cleanups.push(() => session.destroy());
    const ask = http2(session);
    const answers = await Promise.all(bodies.map((body) => ask("/", { method: "POST", body: Buffer.from(body) })));
    expect(answers.map(({ text }) => text)).toEqual(bodies);

    const lines = bodies.map((body, index) => {
      const end = index === bodies.length - 1 ? "Connection: close\r\n" : "";
      return `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n${end}\r\n${body}`;
    });
    const answered = await raw(listener.port, lines.join(""));
    expect(answered.match(/body-\d+;/g)).toEqual(bodies);
  });

  it("and are taken back at once, are not served, and their client is sent away", async () => {
    const listener = await countingListener();
    await takeBack(listener.port, 900);
    expect(listener.begun).toBeLessThanOrEqual(16);
  });

  it("and are taken back for whatever reason, end nothing but themselves", async () => {
    const listener = await countingListener();
    await takeBack(listener.port, 900, INTERNAL_ERROR);
    const session = connectHttp2(listener.port);
    cleanups.push(() => session.destroy());
    expect(await http2(session)("/")).toMatchObject({ status: 200, text: "served" });
  });

  const cannotBeTold = Number.parseInt(process.versions.node, 10) < 22 ? "Node 20 has a limit of its own: " : "";
  it.skipIf(cannotBeTold !== "")(`${cannotBeTold}and are ended one after the other, end nothing else`, async () => {
    const listener = await startListener((request): Response => {
      const stream = () => new Promise<void>((resolve) => request.signal.addEventListener("abort", () => resolve()));
      return { status: 200, headers: {}, body: { stream } };
    });
    cleanups.push(() => listener.close(0));
    const session = connectHttp2(listener.port);
    cleanups.push(() => session.destroy());
    for (let i = 0; i < 1_500; i += 1) {
      const watch = session.request({ ":path": "/" });
      const ended = once(watch, "close");
      watch.once("response", () => watch.close(CANCEL));
      await ended;
    }
    expect(session.closed).toBe(false);
  });

  it("and are more than anybody has use for, end a connection of HTTP/1.1", async () => {
    const listener = await countingListener();
    const answer = await raw(listener.port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(2_000)).catch(() => "");
    expect(answer).not.toMatch(/(?:HTTP\/1\.1 200[\s\S]*){300}/);
    expect(listener.begun).toBeLessThan(300);
  });
});
