import { expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import type { Client } from "../../client/client.ts";
import { ObjectReader } from "./object-reader.ts";

function readerOf(maxAgeMs: number, forgets = false) {
  const clock = new FakeClock();
  const state = { answers: 0, fails: false };
  const find = async (name: string) => {
    if (state.fails) throw new Error("away");
    state.answers += 1;
    return name === "absent" ? undefined : { data: { n: String(state.answers) } };
  };
  const resource = () => ({ find });
  const client = { clock, core: { v1: { configMaps: resource, secrets: resource } } } as unknown as Client;
  const reader = new ObjectReader({ client, maxAgeMs: () => maxAgeMs, forgets });
  const read = async (name = "a") => (await reader.configMap("ns", name))?.data?.["n"];
  return { clock, state, reader, read };
}

it.each([
  ["fails", true],
  ["has what it saw last", false],
])("asks each time unless objects may be remembered, and %s while the API is away", async (_, forgets) => {
  const { state, reader, read } = readerOf(0, forgets);
  expect([await read(), await read()]).toEqual(["1", "2"]);
  reader.expectChanges("ns");
  state.fails = true;
  if (forgets) await expect(read()).rejects.toThrow("away");
  else expect(await read()).toBe("2");
});

it("remembers an object for its time, and longer while the API is away", async () => {
  const { clock, state, reader, read } = readerOf(60_000);
  expect([await read(), await read()]).toEqual(["1", "1"]);
  await reader.secret("ns", "a");
  expect(state.answers).toBe(2);
  await clock.advance(60_000);
  expect(await read()).toBe("3");
  await clock.advance(60_000);
  state.fails = true;
  expect(await read()).toBe("3");
  await expect(read("other")).rejects.toThrow("away");
});

it("asks again for what a new pod of the namespace needs, and for what was not there", async () => {
  const { state, reader, read } = readerOf(60_000);
  await read();
  reader.expectChanges("other");
  expect(await read()).toBe("1");
  reader.expectChanges("ns");
  expect(await read()).toBe("2");
  for (let round = 0; round < 2; round += 1) expect(await read("absent")).toBeUndefined();
  expect(state.answers).toBe(4);
});
