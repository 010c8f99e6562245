// What was written and is not yet seen.

import { expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import type { Informer, Stored } from "../../client/informer.ts";
import { OwnWrites } from "./own-writes.ts";

function start() {
  const clock = new FakeClock();
  const informer = { resourceVersion: "99" };
  return { clock, informer, writes: new OwnWrites(clock, informer as unknown as Informer<object>) };
}
const object = (uid: string, resourceVersion: string) => ({ metadata: { uid, resourceVersion } }) as Stored<object>;

it("what was written is shown once the cache has followed to its version", () => {
  const { informer, writes } = start();
  expect(writes.areShown("k", [])).toBe(true);
  writes.wrote("k", object("a", "100"));
  expect(writes.areShown("k", []), "99 is older than 100, although its text is not").toBe(false);
  expect(writes.areShown("other", [])).toBe(true);
  informer.resourceVersion = "100";
  expect(writes.areShown("k", [])).toBe(true);
});

it("what was deleted is shown once the cache does not hold it any more", () => {
  const { writes } = start();
  writes.deleted("k", object("a", "5"));
  expect(writes.areShown("k", [object("a", "5")])).toBe(false);
  expect(writes.areShown("k", [object("b", "6")])).toBe(true);
});

it("an own write is no news; one by somebody else is, and everything while the cache is waited for", () => {
  const { writes } = start();
  writes.wrote("k", object("a", "100"));
  expect(writes.isNews("k", object("a", "100"))).toBe(false);
  expect(writes.isNews("k", object("a", "101"))).toBe(true);
  expect(writes.isNews("k", object("b", "100"))).toBe(true);
  expect(writes.isNews("k", object("a", "100"), true), "somebody deleted it").toBe(true);
  writes.deleted("k", object("a", "100"));
  expect(writes.isNews("k", object("a", "102"), true)).toBe(false);
  writes.areShown("k", [object("a", "100")]);
  expect(writes.isNews("k", object("a", "102"), true)).toBe(true);
});

it("a write that never shows is waited for only so long", async () => {
  const { clock, writes } = start();
  writes.wrote("k", object("a", "1000"));
  await clock.advance(59_000);
  expect(writes.areShown("k", [])).toBe(false);
  await clock.advance(2_000);
  expect(writes.areShown("k", [])).toBe(true);
});
