// Many writers at once, on one server and on two: nobody gets what another has, nothing is lost, and the refusal comes
// exactly when everything is taken.

import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StorageEngine } from "../../storage/engine.ts";
import { openEtcdEngine } from "../../storage/etcd-engine.ts";
import { memoryBackedTmpdir } from "../../storage/lmdb/tmpdir.testing.ts";
import { openLmdbEngine } from "../../storage/lmdb-engine.ts";
import { etcdMissing, startEtcdServer } from "../../testing/etcd-server.testing.ts";
import type { JsonAnswer } from "../server.testing.ts";
import { SERVICES, service, type TestServer, testServer } from "./services.testing.ts";

const WRITERS = 16;
const ROUNDS = 2;
const SEED = 7;
/** 30 usable addresses, one of them for the API: enough for all writers where ports are short. */
const FLAGS = ["--service-cluster-ip-range=10.9.0.0/27", "--service-node-port-range=31000-31015"];
const ADDRESSES = 29;
const PORTS = 16;

interface World {
  readonly servers: readonly TestServer[];
  readonly engine: StorageEngine;
  close(): Promise<void>;
}

describe.each([
  ["one server on the embedded store", undefined, onLmdb],
  ["two servers on one etcd", etcdMissing(), onEtcd],
])("%s", (_name, missing, open) => {
  let world: World | undefined;
  beforeAll(async () => {
    if (missing === undefined) world = await open();
  });
  afterAll(() => world?.close());

  it.skipIf(missing !== undefined)("gives every address once, until the range is full", async () => {
    const live = new Map<string, string>();
    await churn(world!, live, (answer) => [answer.json.spec.clusterIP], {});
    const refusals = await fill(world!, live, (answer) => [answer.json.spec.clusterIP], {});
    expect(live.size).toBe(ADDRESSES);
    expect(new Set(refusals)).toEqual(
      new Set(["500 Internal error occurred: failed to allocate a serviceIP: range is full"]),
    );
    await empty(world!, live);
  });

  it.skipIf(missing !== undefined)("gives every node port once, until the range is full", async () => {
    const spec = {
      type: "NodePort",
      ports: [
        { name: "a", port: 80 },
        { name: "b", port: 81 },
      ],
    };
    const granted = (answer: JsonAnswer) => answer.json.spec.ports.map((port: { nodePort: number }) => port.nodePort);
    const live = new Map<string, string>();
    await churn(world!, live, granted, spec);
    const refusals = await fill(world!, live, granted, spec);
    // A service that got one port and not the other has given it back.
    expect(live.size).toBe(PORTS);
    expect(new Set(refusals)).toEqual(
      new Set(["500 Internal error occurred: failed to allocate a nodePort: range is full"]),
    );
    await empty(world!, live);
  });
});

type Granted = (answer: JsonAnswer) => (string | number)[];

/** Every writer creates and deletes; what it holds is in `live` while nobody else may have it. */
async function churn(world: World, live: Map<string, string>, granted: Granted, spec: object): Promise<void> {
  const random = seeded(SEED);
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      const server = serverOf(world, writer);
      for (let round = 0; round < ROUNDS; round += 1) {
        const name = `churn-${writer}-${round}`;
        const answer = await server.call("POST", SERVICES, service(name, spec));
        if (answer.status !== 201) continue;
        keep(live, name, granted(answer));
        if (random() < 0.8) await remove(serverOf(world, writer + round), live, name);
      }
    }),
  );
}

/** Creates until every writer was refused. The ports of a pair may be split among writers, so refused ones try again. */
async function fill(world: World, live: Map<string, string>, granted: Granted, spec: object): Promise<string[]> {
  const refusals: string[] = [];
  for (let pass = 0, before = -1; before !== live.size; pass += 1) {
    before = live.size;
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        for (let count = 0; ; count += 1) {
          const name = `fill-${pass}-${writer}-${count}`;
          const answer = await serverOf(world, writer).call("POST", SERVICES, service(name, spec));
          if (answer.status !== 201) {
            refusals.push(`${answer.status} ${answer.json.message}`);
            return;
          }
          keep(live, name, granted(answer));
        }
      }),
    );
  }
  return refusals;
}

function keep(live: Map<string, string>, name: string, values: readonly (string | number)[]): void {
  for (const value of values) {
    expect(live.get(String(value)), `${value} was given twice`).toBeUndefined();
    live.set(String(value), name);
  }
}

async function remove(server: TestServer, live: Map<string, string>, name: string): Promise<void> {
  for (const [value, owner] of [...live]) if (owner === name) live.delete(value);
  expect((await server.call("DELETE", `${SERVICES}/${name}`)).status).toBe(200);
}

/** Deletes everything, and looks whether any record stays. */
async function empty(world: World, live: Map<string, string>): Promise<void> {
  await Promise.all([...new Set(live.values())].map((name, index) => remove(serverOf(world, index), live, name)));
  const addresses = await world.engine.list("/registry/ipaddresses/");
  expect(addresses.entries.map(({ key }) => key)).toEqual(["/registry/ipaddresses/10.9.0.1"]);
  expect(await world.engine.count("/registry/ranges/servicenodeports/")).toBe(0);
}

const serverOf = ({ servers }: World, index: number): TestServer => servers[index % servers.length]!;

async function onLmdb(): Promise<World> {
  const dir = await mkdtemp(join(memoryBackedTmpdir, "plinth-services-"));
  const engine = await openLmdbEngine({ dir, identity: "test" });
  const server = await testServer({ engine, flags: FLAGS });
  return {
    servers: [server],
    engine,
    async close() {
      await server.close();
      await engine.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function onEtcd(): Promise<World> {
  const etcd = await startEtcdServer();
  const engines = await Promise.all([1, 2].map(() => openEtcdEngine({ endpoints: [etcd.endpoint] })));
  const flags = [...FLAGS, `--etcd-servers=${etcd.endpoint}`];
  const servers = await Promise.all(engines.map((engine) => testServer({ engine, flags })));
  return {
    servers,
    engine: engines[0]!,
    async close() {
      await Promise.all(servers.map((server) => server.close()));
      await Promise.all(engines.map((engine) => engine.close()));
      await etcd.stop();
    },
  };
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
