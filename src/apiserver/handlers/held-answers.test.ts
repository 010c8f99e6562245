// What clients that do not read hold of the server, all of them together.

import { describe, expect, it } from "vitest";
import type { BodyWriter, StreamBody } from "../../http/message.ts";
import { HeldAnswers } from "./held-answers.ts";

const MIB = 1024 * 1024;

/** A client that takes one chunk whenever told to. */
class SlowClient {
  readonly chunks: number[] = [];
  readonly #gone = new AbortController();
  #room: (() => void) | undefined;

  readonly writer: BodyWriter = {
    signal: this.#gone.signal,
    queuedBytes: 0,
    chunkBytes: MIB,
    write: (chunk) => {
      this.chunks.push(chunk.length);
      return false;
    },
    drained: () => new Promise((resolve) => (this.#room = resolve)),
  };

  async take(): Promise<void> {
    this.#room?.();
    await new Promise((resolve) => setImmediate(resolve));
  }

  leave(): Promise<void> {
    this.#gone.abort();
    return this.take();
  }
}

const streamOf = (body: Uint8Array | StreamBody): StreamBody => body as StreamBody;
const refused = (held: HeldAnswers): boolean => {
  try {
    held.refuseAboveLimit();
    return false;
  } catch (error) {
    expect(error).toMatchObject({ code: 429, details: { retryAfterSeconds: 1 } });
    return true;
  }
};

describe("answers that wait for their clients", () => {
  it.each([
    [32 * 1024 - 1, false],
    [32 * 1024, true],
  ])("are counted from 32 KiB on: %s bytes are sent in pieces: %s", (size, inPieces) => {
    const body = new HeldAnswers().bodyOf(Buffer.alloc(size));
    expect("stream" in body).toBe(inPieces);
  });

  it("are refused above 32 MiB together, until somebody has read or gone", async () => {
    const held = new HeldAnswers();
    const clients = [new SlowClient(), new SlowClient()];
    const sent = clients.map(({ writer }) => streamOf(held.bodyOf(Buffer.alloc(17 * MIB))).stream(writer));
    expect(refused(held)).toBe(true);
    await clients[0]!.leave();
    await sent[0];
    expect(refused(held)).toBe(false);
    for (let chunk = 0; chunk < 17; chunk += 1) await clients[1]!.take();
    await sent[1];
    expect(clients[1]!.chunks).toEqual(Array.from({ length: 17 }, () => MIB));
  });

  it("of one client that is exactly at the limit refuse nobody", () => {
    const held = new HeldAnswers();
    void streamOf(held.bodyOf(Buffer.alloc(32 * MIB))).stream(new SlowClient().writer);
    expect(refused(held)).toBe(false);
  });

  it("count for nothing before they are sent, and as much as they are where the whole is asked for", () => {
    const held = new HeldAnswers();
    const bodies = Array.from({ length: 3 }, () => streamOf(held.bodyOf(Buffer.alloc(20 * MIB))));
    expect(refused(held)).toBe(false);
    expect(bodies[0]!.whole?.()?.length).toBe(20 * MIB);
  });

  it("are given back when sending fails", async () => {
    const held = new HeldAnswers();
    const broken = { ...new SlowClient().writer, drained: () => Promise.reject(new Error("reset")) };
    await expect(streamOf(held.bodyOf(Buffer.alloc(33 * MIB))).stream(broken)).rejects.toThrow("reset");
    expect(refused(held)).toBe(false);
  });
});
