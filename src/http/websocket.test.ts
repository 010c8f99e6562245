// What the client of a WebSocket cannot do to the server by sending without reading.

import { Duplex } from "node:stream";
import { describe, expect, it } from "vitest";
import { inProcessRequest } from "./in-process.ts";
import type { Response, StreamBody } from "./message.ts";
import { streamToWebSocket } from "./websocket.ts";

const CONTINUATION = 0;
const TEXT = 1;
const PING = 0x89;
const PONG = 0x8a;
const CLOSE = 0x88;

/** The connection of a client that takes nothing but the head of the answer until it reads. */
class DeafConnection extends Duplex {
  readonly received: Buffer[] = [];
  #reads = false;
  #waiting: (() => void) | undefined;

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, taken: () => void): void {
    this.received.push(chunk);
    if (this.#reads || this.received.length === 1) taken();
    else this.#waiting = taken;
  }

  readAll(): void {
    this.#reads = true;
    this.#waiting?.();
  }
}

/** From a client, and therefore masked, with zeros. */
const frame = (first: number, text: string): Buffer =>
  Buffer.concat([Buffer.of(first, 0x80 | text.length, 0, 0, 0, 0), Buffer.from(text)]);
const ping = (text: string): Buffer => frame(PING, text);

const FOR_EVER = { stream: () => new Promise<void>(() => undefined) };

function watchOver(socket: Duplex, more: Readonly<Record<string, string>> = {}, body: StreamBody = FOR_EVER): Response {
  const headers = {
    upgrade: "websocket",
    connection: "Upgrade",
    "sec-websocket-version": "13",
    "sec-websocket-key": Buffer.alloc(16).toString("base64"),
    ...more,
  };
  const upgrade = { socket, head: Buffer.alloc(0), raw: { method: "GET", url: "/", headers } };
  const request = inProcessRequest({ method: "GET", url: "/", headers, upgrade });
  return streamToWebSocket(request, body, { binary: false, skippedBytes: 0 });
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("pings of a client that does not read", () => {
  it("are answered one at a time, and the last one in the end", async () => {
    const socket = new DeafConnection();
    watchOver(socket);
    for (let count = 0; count < 10_000; count += 1) socket.push(ping(String(count)));
    await turn();
    expect(socket.readableLength).toBe(0);
    expect(socket.writableLength).toBeLessThan(100);
    socket.readAll();
    await turn();
    expect(Buffer.concat(socket.received.slice(-2))).toEqual(Buffer.concat([Buffer.of(PONG, 4), Buffer.from("9999")]));
    socket.destroy();
  });
});

describe("messages of a client to whom nobody listens", () => {
  it("are read and forgotten, without end", async () => {
    const socket = new DeafConnection();
    watchOver(socket);
    socket.readAll();
    socket.push(frame(TEXT, "begins"));
    for (let count = 0; count < 20_000; count += 1) socket.push(frame(CONTINUATION, "goes on"));
    socket.push(ping("still there"));
    await turn();
    expect(socket.readableLength).toBe(0);
    expect(Buffer.concat(socket.received.slice(-2)).subarray(2).toString()).toBe("still there");
    socket.destroy();
  });
});

describe("a request that asks for a WebSocket in a wrong way", () => {
  it.each([
    ["without a key", { "sec-websocket-key": "" }],
    ["with a key that is none", { "sec-websocket-key": "x".repeat(24) }],
    ["of another version", { "sec-websocket-version": "8" }],
    ["with protocols that are no names", { "sec-websocket-protocol": "a, b(c)" }],
  ])("%s is refused", (_title, wrong) => {
    const socket = new DeafConnection();
    expect(watchOver(socket, wrong)).toMatchObject({ status: 400 });
    expect(socket.received).toEqual([]);
  });
});

describe("a stream that ends", () => {
  it("says so and ends its side of the connection, without an answer, but still takes one", async () => {
    const socket = new DeafConnection();
    socket.readAll();
    watchOver(socket, {}, { stream: () => Promise.resolve() });
    await turn();
    expect(Buffer.concat(socket.received.slice(1))).toEqual(Buffer.of(CLOSE, 2, 0x03, 0xe8));
    expect([socket.writableFinished, socket.destroyed]).toEqual([true, false]);
    socket.push(frame(CLOSE, ""));
    socket.push(null);
    await turn();
    expect(socket.destroyed).toBe(true);
  });
});

describe("a stream that fails", () => {
  it("breaks the connection off, and says why to whoever listens to that", async () => {
    const socket = new DeafConnection();
    const errors: Error[] = [];
    socket.on("error", (error) => errors.push(error));
    const failing = { stream: () => Promise.reject(new Error("no more")) };
    watchOver(socket, {}, failing);
    await turn();
    expect(socket.destroyed).toBe(true);
    expect(errors.map(({ message }) => message)).toEqual(["no more"]);
    // No closing frame: the client must not take it for the end in good order.
    expect(socket.received.length).toBe(1);
  });
});
