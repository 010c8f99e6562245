// Laying what a build has prepared for new stores.

import { expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";
import { FirstState, type OwnWords, PREPARED_ADDRESS, PREPARED_HOST } from "./first-state.ts";
import { type PreparedObjects, readPrepared, writePrepared } from "./prepared-objects.ts";
import { serverIdentity } from "./server-identity.ts";

const UID = "00000000-0000-4000-8000-000000000000";
const stored = (name: string) =>
  `{"metadata":{"name":"${name}","uid":"${UID}","creationTimestamp":"2000-01-01T00:00:00Z"},"at":"2000-01-01T00:00:00Z"}`;
const [A, B] = ["/registry/roles/n/a", "/registry/roles/n/b"];
const PREPARED = prepared([A, stored("a")], [B, stored("b")]);

function prepared(...objects: readonly (readonly [key: string, text: string])[]): PreparedObjects {
  return readPrepared(writePrepared(objects.map(([key, text]) => [key, Buffer.from(text)])));
}

const NO_WORDS: OwnWords = { address: undefined, identity: undefined };

async function found(engine: MemoryEngine, state: FirstState): Promise<string[]> {
  const { entries } = await engine.list("");
  return entries.filter(({ key, revision, value }) => state.has(key, revision, value)).map(({ key }) => key);
}

it("is there for the server that has laid it, and for every later start", async () => {
  const clock = new FakeClock();
  const engine = new MemoryEngine({ clock });
  const first = new FirstState(PREPARED);
  expect(first.hasAllOf(["roles"])).toBe(false);
  await first.lay(engine, clock, NO_WORDS);
  expect(await found(engine, first)).toEqual([A, B]);
  expect(first.hasAllOf(["roles"])).toBe(true);
  expect(first.hasAllOf(["clusterroles"])).toBe(false);
  expect((await engine.get(A))?.value.toString()).not.toContain(UID);
  first.forgetTexts();
  expect(await found(engine, first)).toEqual([A, B]);

  const later = new FirstState(PREPARED);
  await later.lay(engine, clock, NO_WORDS);
  expect(later.hasAllOf(["roles"])).toBe(false);
  expect(await found(engine, later)).toEqual([A, B]);
  expect(later.hasAllOf(["roles"])).toBe(true);
});

it("is laid once by servers that start together", async () => {
  const clock = new FakeClock();
  const engine = new MemoryEngine({ clock });
  await Promise.all([1, 2].map(() => new FirstState(PREPARED).lay(engine, clock, NO_WORDS)));
  expect((await engine.list("")).entries.map(({ key }) => key)).toEqual([A, B]);
});

it("is not whole where something has been changed or removed, or where nothing was prepared", async () => {
  const clock = new FakeClock();
  const engine = new MemoryEngine({ clock });
  await new FirstState(PREPARED).lay(engine, clock, NO_WORDS);
  const { value, revision } = (await engine.get(A))!;
  await engine.update(A, Buffer.from(Buffer.from(value).toString().replace('"a"', '"c"')), revision);
  const changed = new FirstState(PREPARED);
  expect(await found(engine, changed)).toEqual([B]);
  expect(changed.hasAllOf(["roles"])).toBe(false);
  expect(await found(engine, new FirstState())).toEqual([]);
  expect(new FirstState().hasAllOf(["roles"])).toBe(false);
});

it("has objects of the server's network with its address, or none", async () => {
  const clock = new FakeClock();
  const key = "/registry/services/endpoints/default/api";
  const service = prepared([key, `{"ip":"${PREPARED_ADDRESS}"}`]);
  const laidWith = async (address: string | undefined) => {
    const engine = new MemoryEngine({ clock });
    await new FirstState(service).lay(engine, clock, { ...NO_WORDS, address });
    return (await engine.get(key))?.value.toString();
  };
  expect(await laidWith("203.0.113.9")).toBe('{"ip":"203.0.113.9"}');
  expect(await laidWith(undefined)).toBeUndefined();
});

it("has the Lease of the server under its name, fresh, or none; and days of its own", async () => {
  const clock = new FakeClock(Date.parse("2031-02-03T04:05:06.789Z"));
  const id = serverIdentity(PREPARED_HOST);
  const lease = `{"name":"${id}","host":"${PREPARED_HOST}","holderIdentity":"${id}_1","renewTime":"2000-01-01T00:00:00.000000Z"}`;
  const leased = prepared([`/registry/leases/n/${id}`, lease], ["/registry/configmaps/n/c", '{"since":"2000-01-01"}']);
  const laidWith = async (identity: OwnWords["identity"]) => {
    const engine = new MemoryEngine({ clock });
    await new FirstState(leased).lay(engine, clock, { ...NO_WORDS, identity });
    const { entries } = await engine.list("");
    return entries.map(({ key, value }) => [key, Buffer.from(value).toString()]);
  };
  const days = ["/registry/configmaps/n/c", '{"since":"2031-02-03"}'];
  expect(await laidWith(undefined)).toEqual([days]);
  expect(await laidWith({ serverId: "own", host: "here", holder: "own_2" })).toEqual([
    days,
    [
      "/registry/leases/n/own",
      '{"name":"own","host":"here","holderIdentity":"own_2","renewTime":"2031-02-03T04:05:06.000000Z"}',
    ],
  ]);
});

it("takes more into a store that is in use, as objects that still refer to each other; what is there stays", async () => {
  const clock = new FakeClock();
  const engine = new MemoryEngine({ clock });
  const [node, lease] = ["/registry/minions/n", "/registry/leases/n/n"];
  const owned = `{"metadata":{"name":"n","owner":"${UID}"}}`;
  await engine.create(A, Buffer.from("{}"));
  const state = new FirstState();
  const more = prepared([A, stored("a")], [node, stored("n")], [lease, owned]);
  await state.layMore(engine, clock, [...more.values()]);
  expect(await found(engine, state)).toEqual([lease, node]);
  const [own, reference] = await Promise.all(
    [node, lease].map(async (key) => JSON.parse((await engine.get(key))!.value.toString()).metadata),
  );
  expect(own.uid).not.toBe(UID);
  expect(reference.owner).toBe(own.uid);
  expect((await engine.get(A))?.value.toString()).toBe("{}");
});
