// What a process that has gone, or seems to have, has reserved: others free it at once, and nobody writes with it any more.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Background } from "../../base/background.ts";
import { FakeClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { testCatalog } from "../../registry/catalog.testing.ts";
import type { StorageEngine } from "../../storage/engine.ts";
import { MemoryEngine } from "../../storage/memory-engine.ts";
import { StorageError } from "../../storage/storage-error.ts";
import { ReservationMakers } from "./reservation-makers.ts";
import { SERVICES, service, type TestServer, testServer } from "./services.testing.ts";

const MAKERS = "/registry/makers/";
const SHARED = ["--etcd-servers=http://127.0.0.1:1"];
const ADDRESSES = "/apis/networking.k8s.io/v1/ipaddresses";
const WANTED = { type: "NodePort", clusterIP: "10.0.0.9", ports: [{ port: 80, nodePort: 30_100 }] };

let clock: FakeClock;
let engine: MemoryEngine;
const ends: (() => Promise<void>)[] = [];
beforeEach(() => {
  clock = new FakeClock();
  engine = new MemoryEngine({ clock });
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  await engine.close();
});

const present = async () => (await engine.list(MAKERS)).entries.map(({ key }) => key.slice(MAKERS.length));

describe("a maker of reservations", () => {
  async function maker(place: string, takesOver = true, { processName = "1", hasOtherServers = true } = {}) {
    const catalog = testCatalog(undefined, clock, engine);
    const background = new Background({ clock, log: silentLog });
    let gone = 0;
    const onGone = () => {
      gone += 1;
    };
    const makers = new ReservationMakers({
      catalog,
      background,
      clock,
      log: silentLog,
      processName,
      hasOtherServers,
      onGone,
    });
    ends.push(async () => {
      await makers.close();
      background.close();
      await catalog.close();
    });
    await makers.start(place, takesOver);
    return { makers, gone: () => gone, name: async () => (await makers.current()).name };
  }

  it("is there as long as it says so, and its end is heard by the others", async () => {
    const first = await maker("a");
    const second = await maker("b");
    const [name, other] = [await first.name(), await second.name()];
    expect(new Set(await present())).toEqual(new Set([name, other]));
    for (let step = 0; step < 10; step += 1) await clock.advance(5_000);
    expect(await first.makers.names()).toEqual(new Set([name, other]));
    expect(second.gone()).toBe(0);
    await first.makers.close();
    expect(await present()).toEqual([other]);
    expect(second.gone()).toBe(1);
  });

  it("ends the one before it where it listens, no other, and not one beside which it does not listen itself", async () => {
    const before = await maker("a");
    const other = await maker("b");
    const beside = await maker("a", false);
    expect(await present()).toHaveLength(3);
    const names = [await before.name(), await beside.name()];
    await maker("a");
    const left = await present();
    expect(left).toContain(await other.name());
    for (const name of names) expect(left).not.toContain(name);
  });

  it("ends a process of its own server that has ended, no other and none of another server", async () => {
    const owner = await maker("a");
    const worker = await maker("a", false, { processName: "2" });
    const [elsewhere, ended] = [await maker("b", true, { processName: "2" }), await worker.name()];
    owner.makers.processEnded("2");
    await expect.poll(owner.gone).toBe(1);
    expect(await present()).toEqual(expect.arrayContaining([await owner.name(), await elsewhere.name()]));
    expect(await present()).not.toContain(ended);
    // It has not ended after all: it goes on under another name.
    await expect.poll(worker.name).not.toBe(ended);
  });

  it("ends a process that has ended as soon as the store takes that", async () => {
    const owner = await maker("a");
    const worker = await maker("a", false, { processName: "2" });
    await worker.name();
    const remove = engine.delete.bind(engine);
    let refused = 0;
    engine.delete = async () => {
      refused += 1;
      throw new StorageError("Unavailable", "away");
    };
    owner.makers.processEnded("2");
    await expect.poll(() => refused).toBe(1);
    engine.delete = remove;
    await clock.advance(1_000);
    await expect.poll(owner.gone).toBe(1);
  });

  it("writes nothing more, and needs not, where there are no other servers", async () => {
    const { name } = await maker("", true, { hasOtherServers: false });
    const before = await name();
    const revision = engine.currentRevision();
    for (let step = 0; step < 20; step += 1) await clock.advance(5_000);
    expect(await name()).toBe(before);
    expect(engine.currentRevision()).toBe(revision);
  });

  it("takes another name once its key has gone, at once", async () => {
    const { makers, name } = await maker("a");
    const before = await name();
    const key = `${MAKERS}${before}`;
    await engine.delete(key, (await engine.get(key))!.revision);
    await expect.poll(name).not.toBe(before);
    expect(await makers.names()).toEqual(new Set([await name()]));
  });

  it("that was away for longer than its key lasts looks before it reserves anything", async () => {
    const { name } = await maker("a");
    const before = await name();
    const update = engine.update.bind(engine);
    engine.update = async () => {
      throw new StorageError("Unavailable", "away");
    };
    for (let step = 0; step < 4; step += 1) await clock.advance(5_000);
    engine.update = update;
    const now = await name();
    expect(now).not.toBe(before);
    expect(await present()).toEqual([now]);
  });
});

describe("what a server has reserved", () => {
  const isRecorded = async (): Promise<boolean> => (await engine.get("/registry/ipaddresses/10.0.0.9")) !== undefined;

  async function serve(
    through: StorageEngine = engine,
    flags: readonly string[] = SHARED,
    deps: { readonly processName?: string; readonly follows?: boolean } = {},
  ): Promise<TestServer> {
    const server = await testServer({ engine: through, clock, flags, deps });
    ends.push(() => server.close());
    return server;
  }

  /** A server that stands still when it is about to store a Service, or has stored or deleted it, until it is told to go on. */
  async function halting(
    flags?: readonly string[],
    deps?: Parameters<typeof serve>[2],
    at: "before" | "after" = "before",
  ) {
    let arrived: () => void = () => undefined;
    let goOn: () => void = () => undefined;
    const halted = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const halt = async () => {
      arrived();
      await gate;
    };
    const through = new Proxy(engine, {
      get(target, member) {
        const value = Reflect.get(target, member, target) as unknown;
        if (typeof value !== "function") return value;
        const call = value.bind(target);
        if (member !== "create" && member !== "update" && member !== "delete") return call;
        return async (key: string, ...rest: unknown[]) => {
          const isMeant = key.startsWith("/registry/services/specs/default/slow");
          if (isMeant && at === "before") await halt();
          const revision = await call(key, ...rest);
          if (isMeant && at === "after") await halt();
          return revision;
        };
      },
    });
    const before = new Set(await present());
    const server = await serve(through, flags, deps);
    const name = (await present()).find((each) => !before.has(each))!;
    return { server, name, halted, goOn };
  }

  it("names it, and stays while it lives", async () => {
    const { server, name, halted, goOn } = await halting();
    const other = await serve();
    const slow = server.call("POST", SERVICES, service("slow", WANTED));
    await halted;
    const { json } = await other.call("GET", `${ADDRESSES}/10.0.0.9`);
    expect(json.metadata.annotations).toEqual({ "ipaddress.kubernetes.io/reserved-by": name });
    await serve();
    for (let step = 0; step < 8; step += 1) await clock.advance(5_000);
    expect((await other.call("POST", SERVICES, service("quick", WANTED))).status).toBe(422);
    goOn();
    expect((await slow).status).toBe(201);
  });

  it("is free as soon as it counts as gone, and it stores nothing with it when it goes on after all", async () => {
    const { server, name, halted, goOn } = await halting();
    const other = await serve();
    const slow = server.call("POST", SERVICES, service("slow", WANTED));
    await halted;
    await engine.delete(`${MAKERS}${name}`, (await engine.get(`${MAKERS}${name}`))!.revision);
    await expect.poll(async () => (await other.call("POST", SERVICES, service("quick", WANTED))).status).toBe(201);
    goOn();
    const { status, json } = await slow;
    expect([status, json.reason, json.details.retryAfterSeconds]).toEqual([503, "ServiceUnavailable", 1]);
    expect((await other.call("GET", `${SERVICES}/slow`)).status).toBe(404);
    // It gives back nothing that is not its own any more, not even under the same name.
    expect(await isRecorded()).toBe(true);
    expect((await server.call("POST", SERVICES, service("again", { type: "NodePort" }))).status).toBe(201);
  });

  it("is free as soon as its process has ended, where a server has several of them at an embedded store", async () => {
    const owner = await serve(engine, [], { processName: "1" });
    const { server, halted, goOn } = await halting([], { processName: "2", follows: true });
    const slow = server.call("POST", SERVICES, service("slow", WANTED));
    await halted;
    for (let step = 0; step < 8; step += 1) await clock.advance(5_000);
    expect((await owner.call("POST", SERVICES, service("quick", WANTED))).status).toBe(422);
    owner.processEnded("2");
    await expect.poll(async () => (await owner.call("POST", SERVICES, service("quick", WANTED))).status).toBe(201);
    goOn();
    expect((await slow).status).toBe(503);
    expect(await isRecorded()).toBe(true);
  });

  it("leaves nobody's name in an embedded store whose server was killed and is back", async () => {
    const [before, now] = [{ processName: "1" }, { processName: "2" }];
    const killed = await testServer({ engine, clock, deps: before });
    const [name] = await present();
    await serve(engine, [], now);
    expect(await present()).not.toContain(name);
    await killed.close();
  });

  it("is not given back by it once another server has reserved the same for a Service of the same name", async () => {
    const { server, name, halted, goOn } = await halting();
    const other = await serve();
    const slow = server.call("POST", SERVICES, service("slow", WANTED));
    await halted;
    await engine.delete(`${MAKERS}${name}`, (await engine.get(`${MAKERS}${name}`))!.revision);
    await expect.poll(async () => (await other.call("POST", SERVICES, service("slow", WANTED))).status).toBe(201);
    goOn();
    expect((await slow).status).not.toBe(201);
    expect(await isRecorded()).toBe(true);
    expect(await engine.get("/registry/ranges/servicenodeports/30100")).toBeDefined();
  });

  describe("is only given back by whom it belongs to", () => {
    const PORT = "/registry/ranges/servicenodeports/30100";
    const recorded = async () => [await isRecorded(), (await engine.get(PORT)) !== undefined];
    const wants = (of: TestServer, name: string, spec: object) => async () => {
      const { json } = await of.call("GET", `${SERVICES}/${name}`);
      return (await of.call("PUT", `${SERVICES}/${name}`, { ...json, spec: { ...json.spec, ...spec } })).status;
    };
    const WITHOUT = { type: "ExternalName", externalName: "a.example.com", clusterIP: "", clusterIPs: [], ports: [] };
    const AGAIN = { ...WANTED, externalName: undefined, clusterIPs: ["10.0.0.9"] };

    /** A Service with records that anybody may free once it does not use them: their maker has gone. */
    async function leaveService(): Promise<void> {
      const gone = await serve();
      expect((await gone.call("POST", SERVICES, service("slow", WANTED))).status).toBe(201);
      await gone.close();
    }

    it("not by a delete that has been slow since, when a Service of the same name has it", async () => {
      const [{ server, halted, goOn }, other] = [await halting(SHARED, {}, "after"), await serve()];
      await leaveService();
      const slow = server.call("DELETE", `${SERVICES}/slow`);
      await halted;
      await (await serve()).close();
      await expect.poll(async () => (await other.call("POST", SERVICES, service("slow", WANTED))).status).toBe(201);
      goOn();
      expect((await slow).status).toBe(200);
      expect(await recorded()).toEqual([true, true]);
    });

    it("not by a delete that has been slow since: the Endpoints of a Service of the same name stay, too", async () => {
      const ENDPOINTS = "/api/v1/namespaces/default/endpoints";
      const [{ server, halted, goOn }, other] = [await halting(SHARED, {}, "after"), await serve()];
      const make = async () => {
        expect((await other.call("POST", SERVICES, service("slow"))).status).toBe(201);
        expect((await other.call("POST", ENDPOINTS, { metadata: { name: "slow" } })).status).toBe(201);
      };
      await make();
      const slow = server.call("DELETE", `${SERVICES}/slow`);
      await halted;
      await other.call("DELETE", `${ENDPOINTS}/slow`);
      await make();
      goOn();
      expect((await slow).status).toBe(200);
      expect((await other.call("GET", `${ENDPOINTS}/slow`)).status).toBe(200);
      await other.call("DELETE", `${SERVICES}/slow`);
      expect((await other.call("GET", `${ENDPOINTS}/slow`)).status).toBe(404);
    });

    it("not by an update that has been slow since, when the same Service has it again", async () => {
      const [{ server, halted, goOn }, other] = [await halting(SHARED, {}, "after"), await serve()];
      await leaveService();
      const slow = wants(server, "slow", WITHOUT)();
      await halted;
      await (await serve()).close();
      await expect.poll(wants(other, "slow", AGAIN)).toBe(200);
      goOn();
      expect(await slow).toBe(200);
      expect(await recorded()).toEqual([true, true]);
    });

    it("not by an update that was refused, when another one of the same Service has reserved it since", async () => {
      const [first, second] = [await halting(), await halting()];
      const ports = (nodePort?: number) => ({ type: "NodePort", ports: [{ port: 80, nodePort }] });
      const other = await serve();
      expect((await other.call("POST", SERVICES, service("slow", {}))).status).toBe(201);
      const refused = wants(first.server, "slow", ports(30_100))();
      await first.halted;
      const { name } = first;
      await engine.delete(`${MAKERS}${name}`, (await engine.get(`${MAKERS}${name}`))!.revision);
      await expect.poll(async () => engine.get(PORT)).toBeUndefined();
      const stored = wants(second.server, "slow", ports(30_100))();
      await second.halted;
      first.goOn();
      expect(await refused).toBe(503);
      expect(await engine.get(PORT)).toBeDefined();
      second.goOn();
      expect(await stored).toBe(200);
    });
  });

  it("cannot be written with after four minutes: others free it after five", async () => {
    const server = await serve(engine, [...SHARED, "--request-timeout=1h"]);
    const create = engine.create.bind(engine);
    engine.create = async (key, ...rest) => {
      const revision = await create(key, ...rest);
      if (key.startsWith("/registry/ranges/servicenodeports/"))
        for (let step = 0; step < 50; step += 1) await clock.advance(5_000);
      return revision;
    };
    const answer = await server.call("POST", SERVICES, service("late", WANTED));
    expect([answer.status, answer.json.reason]).toEqual([504, "Timeout"]);
    expect(await isRecorded()).toBe(false);
  });

  it("waits until the store takes writes again; a server starts without", async () => {
    const create = engine.create.bind(engine);
    let isFull = true;
    engine.create = async (key, ...rest) => {
      if (isFull && key.startsWith(MAKERS)) throw new StorageError("NoSpace", "full");
      return create(key, ...rest);
    };
    const server = await serve();
    const refused = await server.call("POST", SERVICES, service("early", WANTED));
    expect([refused.status, refused.json.reason]).toEqual([503, "ServiceUnavailable"]);
    isFull = false;
    expect((await server.call("POST", SERVICES, service("later", WANTED))).status).toBe(201);
  });

  it("may still be used by a write of which nobody knows whether it was done: it is not given back", async () => {
    const server = await serve();
    const create = engine.create.bind(engine);
    engine.create = async (key, ...rest) => {
      if (key.startsWith("/registry/services/")) throw new StorageError("Undecided", "lost");
      return create(key, ...rest);
    };
    expect((await server.call("POST", SERVICES, service("lost", WANTED))).status).toBe(504);
    expect(await isRecorded()).toBe(true);
    expect(await engine.get("/registry/ranges/servicenodeports/30100")).toBeDefined();
  });
});
