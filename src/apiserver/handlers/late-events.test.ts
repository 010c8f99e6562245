import { expect, it, vi } from "vitest";
import { nextTurn } from "../../base/next-turn.ts";
import type { CacheEvent } from "../../registry/items.ts";
import { LateEvents } from "./late-events.ts";

it("are encoded once that is there which they are made with, unless nobody listens any more", async () => {
  const seen: string[] = [];
  const pending: (() => void)[] = [];
  const open = (name: string) =>
    new LateEvents({
      ready: () => new Promise((resolve) => pending.push(resolve)),
      *encode() {
        seen.push(`${name} encoded`);
        yield;
        return Buffer.from(name);
      },
      turn: nextTurn,
      deliver: (frame) => seen.push(`${Buffer.from(frame).toString()} delivered`),
      fail: (error) => seen.push(String(error)),
    });
  const [left, listening] = [open("left"), open("listening")];
  const event = { item: { bytes: Buffer.from("x") } } as unknown as CacheEvent;
  for (const events of [left, listening]) events.push(event, "ADDED");
  await vi.waitUntil(() => pending.length === 1);
  left.end();
  pending.shift()!();
  await vi.waitUntil(() => pending.length === 1);
  await nextTurn();
  expect(seen).toEqual([]);
  pending.shift()!();
  await vi.waitUntil(() => listening.idle);
  expect(seen).toEqual(["listening encoded", "listening delivered"]);
});
