// An informer whose connections break all the time, and whose server dies: nothing is lost, nothing comes twice or out of
// order, and in the end its copy is what the server holds.

import { randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { type ServerInProcess, serverInProcess } from "../../src/apiserver/server.testing.ts";
import { kinds } from "../../src/client/built-in-kinds.ts";
import { Client } from "../../src/client/client.ts";
import { InProcessTransport } from "../../src/client/in-process-transport.ts";
import { keyOf, keyText } from "../../src/client/informer.ts";
import { type ApiRequest, type ApiResponse, type Transport, TransportError } from "../../src/client/transport.ts";
import { MemoryEngine } from "../../src/storage/memory-engine.ts";

const OBJECTS = 20_000;
const CHANGES_PER_SECOND = 1_000;
const CUT_EVERY_MS = 1_000;
const SECONDS = 3;
const NAMESPACE = "default";

/** The way to a server that may be cut, and that may lead to another server later. */
class BreakableTransport implements Transport {
  target: Transport | undefined;
  cuts = 0;
  #streams = new Set<AbortController>();

  async request(request: ApiRequest): Promise<ApiResponse> {
    if (this.target === undefined) throw new TransportError("connect", "connection refused");
    const cut = new AbortController();
    const signal = request.signal === undefined ? cut.signal : AbortSignal.any([request.signal, cut.signal]);
    this.#streams.add(cut);
    return this.target.request({ ...request, signal });
  }

  cutAll(): void {
    for (const stream of this.#streams) stream.abort(new TransportError("lost", "the connection was cut"));
    this.#streams.clear();
    this.cuts += 1;
  }

  connect(): Promise<never> {
    return Promise.reject(new TransportError("protocol", "no sockets here"));
  }

  async close(): Promise<void> {}
}

describe("an informer on a bad day", () => {
  it("follows 20,000 objects through broken connections and a restart of the server", {
    timeout: 120_000,
  }, async () => {
    const engine = new MemoryEngine();
    const transport = new BreakableTransport();
    let server: ServerInProcess;
    let writer: Client;
    const startServer = async () => {
      server = await serverInProcess({ dialect: "platform", deps: { engine } });
      transport.target = new InProcessTransport({ handler: server.handler, headers: { "user-agent": "t" } });
      writer = new Client({
        transport: new InProcessTransport({ handler: server.handler, headers: { "user-agent": "w" } }),
      });
    };
    await startServer();
    await fill();

    const client = new Client({ transport });
    const informer = client.informer(kinds.core.v1.configMaps, { namespace: NAMESPACE });
    /** By object: what was seen of it last. */
    const seen = new Map<string, { uid: string; value: number }>();
    const wrong: string[] = [];
    let told = 0;
    informer.addHandlers({
      added(object) {
        const key = keyText(keyOf(object));
        if (seen.has(key)) wrong.push(`${key} was added twice`);
        seen.set(key, { uid: object.metadata.uid, value: numberIn(object) });
      },
      updated(object, old) {
        told += 1;
        const key = keyText(keyOf(object));
        const last = seen.get(key);
        if (last?.value !== numberIn(old))
          wrong.push(`${key}: ${last?.value} was seen, ${numberIn(old)} is called old`);
        if (numberIn(object) <= numberIn(old)) wrong.push(`${key}: ${numberIn(object)} after ${numberIn(old)}`);
        seen.set(key, { uid: object.metadata.uid, value: numberIn(object) });
      },
      deleted(object) {
        if (!seen.delete(keyText(keyOf(object)))) wrong.push(`${object.metadata.name} was deleted twice`);
      },
    });
    informer.start();
    await informer.whenSynced();
    expect(informer.cache.size).toBeGreaterThanOrEqual(OBJECTS);

    const cutter = setInterval(() => transport.cutAll(), CUT_EVERY_MS);
    try {
      const updates = await change(SECONDS);
      await agree();
      // With its history at hand, the server told of every single change.
      expect(told).toBe(updates);
      expect(transport.cuts).toBeGreaterThanOrEqual(2);

      // The server dies in the middle of changes; those that come while it is away are seen afterwards.
      transport.target = undefined;
      transport.cutAll();
      await change(1);
      await server!.close();
      await startServer();
      await change(1);
      await agree();
    } finally {
      clearInterval(cutter);
    }
    expect(wrong).toEqual([]);
    await informer.stop();
    await server!.close();
    await engine.close();

    /** One object the long way, the others as its copies straight into the store. */
    async function fill(): Promise<void> {
      const { metadata } = await maps().create({ metadata: { name: "object-0" }, data: { value: "0" } });
      const [first] = (await engine.list("/registry/configmaps/default/object-0", { limit: 1 })).entries;
      const text = Buffer.from(first!.value).toString("utf8");
      for (let index = 1; index < OBJECTS; index += 1) {
        const copy = text.replaceAll("object-0", `object-${index}`).replaceAll(metadata.uid, randomUUID());
        await engine.create(first!.key.replace("object-0", `object-${index}`), Buffer.from(copy));
      }
    }

    function maps() {
      return writer.core.v1.configMaps(NAMESPACE);
    }

    /** Changes objects, and creates and deletes some; returns how many updates there were. */
    async function change(seconds: number): Promise<number> {
      let updates = 0;
      const start = performance.now();
      for (let done = 0; done < seconds * CHANGES_PER_SECOND; ) {
        const due = Math.min(
          seconds * CHANGES_PER_SECOND,
          Math.floor(((performance.now() - start) / 1_000) * CHANGES_PER_SECOND),
        );
        const batch: Promise<unknown>[] = [];
        for (; done < due; done += 1) {
          counter += 1;
          if (counter % 50 === 0)
            batch.push(maps().create({ metadata: { name: `new-${counter}` }, data: { value: String(counter) } }));
          else if (counter % 50 === 1 && counter > 100) batch.push(maps().delete(`object-${OBJECTS - counter}`));
          else {
            updates += 1;
            const name = `object-${(counter * 7) % (OBJECTS / 4)}`;
            batch.push(maps().patch(name, { merge: { data: { value: String(counter) } } }));
          }
        }
        await Promise.all(batch);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return updates;
    }

    /** Waits until the informer holds what the server does. */
    async function agree(): Promise<void> {
      const { items } = await maps().list();
      const wanted = new Map(items.map((object) => [keyText(keyOf(object)), object.metadata.resourceVersion]));
      await vi.waitFor(
        () => {
          expect(informer.cache.size).toBe(wanted.size);
          for (const object of informer.cache.values())
            if (wanted.get(keyText(keyOf(object))) !== object.metadata.resourceVersion) throw new Error("not yet");
        },
        { timeout: 20_000, interval: 100 },
      );
      for (const { metadata, data } of items) expect(informer.cache.get(keyText(metadata))?.data).toEqual(data);
      expect(seen.size).toBe(wanted.size);
    }
  });
});

let counter = 0;

function numberIn(object: { data?: Record<string, string> }): number {
  return Number(object.data?.["value"]);
}
