// What the client of a WebSocket cannot do to the server by sending without reading.

import { Duplex } from "node:stream";
import { describe, expect, it } from "vitest";
import { inProcessRequest } from "./in-process.ts";
import { streamToWebSocket } from "./websocket.ts";

const PING = 0x89;
const PONG = 0x8a;

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
const ping = (text: string): Buffer =>
  Buffer.concat([Buffer.of(PING, 0x80 | text.length, 0, 0, 0, 0), Buffer.from(text)]);

function watchOver(socket: Duplex): void {
  const headers = {
    upgrade: "websocket",
    connection: "Upgrade",
    "sec-websocket-version": "13",
    "sec-websocket-key": Buffer.alloc(16).toString("base64"),
  };
  const upgrade = { socket, head: Buffer.alloc(0), raw: { method: "GET", url: "/", headers } };
  const request = inProcessRequest({ method: "GET", url: "/", headers, upgrade });
  const forEver = { stream: () => new Promise<void>(() => undefined) };
  streamToWebSocket(request, forEver, { binary: false, skippedBytes: 0 });
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
