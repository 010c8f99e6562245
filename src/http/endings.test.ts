// What ends at once ends a little at a time.

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import tls from "node:tls";
import { afterEach, describe, expect, it } from "vitest";
import { nextTurn } from "../base/next-turn.ts";
import { Endings } from "./endings.ts";
import { connectHttp2, startListener, testCertificate } from "./listener.testing.ts";
import type { Response } from "./message.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

describe("what ends at once", () => {
  it("ends in its order, sixteen in a turn", async () => {
    const endings = new Endings();
    const ended: number[] = [];
    const inTurns: number[] = [];
    for (let index = 0; index < 40; index += 1) endings.end(() => ended.push(index));
    while (ended.length < 40) {
      inTurns.push(ended.length);
      await nextTurn();
    }
    expect(new Set(inTurns)).toEqual(new Set([16, 32]));
    expect(ended).toEqual(Array.from({ length: 40 }, (_, index) => index));
  });

  it("ends at once again when that was long enough ago", async () => {
    const endings = new Endings();
    let ended = 0;
    for (let round = 0; round < 3; round += 1) {
      for (let index = 0; index < 16; index += 1) endings.end(() => (ended += 1));
      expect(ended).toBe(16 * (round + 1));
      await nextTurn();
      await nextTurn();
    }
  });

  it("counts as much as it is, a connection for all that it carries", async () => {
    const endings = new Endings();
    const connections = Array.from({ length: 3 }, () => new PassThrough());
    let closed = 0;
    for (const connection of connections) {
      endings.pace(connection, () => 100);
      connection.once("close", () => (closed += 1));
    }
    for (const connection of connections) connection.destroy();
    const inTurns = new Set<number>();
    while (closed < 3) {
      inTurns.add(closed);
      await nextTurn();
    }
    expect([...inTurns]).toEqual(expect.arrayContaining([1, 2]));
  });
});

it("a connection that waits for its end is deaf to what still comes", async () => {
  const { certificatePem, keyPem } = await testCertificate();
  const endings = new Endings();
  let heard = 0;
  const ended = new Promise<void>((resolve) => {
    const server = tls.createServer({ cert: certificatePem, key: keyPem }, (socket) => {
      endings.pace(socket, () => 1);
      socket.on("data", () => {
        heard += 1;
        // So many have ended in this turn that it is not this one's yet.
        for (let index = 0; index < 16; index += 1) endings.end(() => undefined);
        socket.destroy();
      });
      socket.on("close", () => server.close(() => resolve()));
    });
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      const client = tls.connect({ port, host: "127.0.0.1", rejectUnauthorized: false }, () => {
        // Several records, which are read together.
        client.write(Buffer.alloc(60_000));
      });
      client.on("error", () => undefined);
    });
  });
  await ended;
  expect(heard).toBe(1);
});

/** Open answers, and how many of their requests at the most have heard in one turn that their client has gone. */
async function openAnswers() {
  const counts = { open: 0, gone: 0, mostInTurn: 0 };
  let inTurn = 0;
  const listener = await startListener((request): Response => {
    counts.open += 1;
    request.signal.addEventListener("abort", () => {
      counts.gone += 1;
      inTurn += 1;
      counts.mostInTurn = Math.max(counts.mostInTurn, inTurn);
      setImmediate(() => {
        inTurn = 0;
      });
    });
    const { signal } = request;
    return { status: 200, headers: {}, body: { stream: async () => void (await once(signal, "abort")) } };
  });
  cleanups.push(() => listener.close(0));
  return { listener, counts };
}

const ANSWERS = 60;

describe("clients that go at once", () => {
  it("let others have their turn in between, over HTTP/1.1", async () => {
    const { listener, counts } = await openAnswers();
    const sockets = await Promise.all(
      Array.from({ length: ANSWERS }, async () => {
        const socket = tls.connect({ port: listener.port, host: "127.0.0.1", rejectUnauthorized: false });
        socket.on("error", () => undefined);
        socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        await once(socket, "data");
        return socket;
      }),
    );
    for (const socket of sockets) socket.destroy();
    while (counts.gone < ANSWERS) await nextTurn();
    expect(counts.mostInTurn).toBeLessThanOrEqual(16);
  });

  it("let others have their turn in between, over HTTP/2", async () => {
    const { listener, counts } = await openAnswers();
    const session = connectHttp2(listener.port);
    const streams = Array.from({ length: ANSWERS }, () => session.request({ ":path": "/" }));
    for (const stream of streams) stream.on("error", () => undefined);
    await Promise.all(streams.map((stream) => once(stream, "response")));
    session.destroy();
    while (counts.gone < ANSWERS) await nextTurn();
    expect(counts.mostInTurn).toBeLessThanOrEqual(16);
  });
});
