// The framework on its own: queues, retries, what is chosen to run; and a controller against a real server.

import { describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { parseFlags } from "../../base/flags.ts";
import { silentLog } from "../../base/log.ts";
import { Metrics } from "../../base/metrics.ts";
import { queueMetrics } from "../../base/queue-metrics.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import { keyOf, keyText } from "../../client/informer.ts";
import { controllerFlags } from "../controller-options.ts";
import { controllersInProcess } from "../controllers.testing.ts";
import { chooseControllers } from "./choose-controllers.ts";
import { againAfterMs, type Controller, type ControllerDefinition, done, type KeyQueue } from "./controller.ts";
import { RunningController } from "./run-controller.ts";
import { type OptionalKind, whereServed } from "./where-served.ts";

async function runningWith(reconcile: Controller["reconcile"]) {
  const clock = new FakeClock();
  const metrics = new Metrics({ release: "1.34" });
  let queue: KeyQueue | undefined;
  const told: string[] = [];
  const running = new RunningController({
    name: "test",
    controller: {
      watch: (given) => {
        queue = given;
      },
      subject: () => ({ metadata: { name: "x", resourceVersion: "1" } }),
      reconcile,
    },
    workers: 2,
    clock,
    log: silentLog,
    metrics: queueMetrics(metrics, clock)("test"),
    events: { warning: (_object, reason) => told.push(reason) },
  });
  await running.start();
  const text = async () => {
    let all = "";
    for await (const piece of metrics.expose()) all += piece;
    return all;
  };
  return { clock, running, queue: queue!, text, told };
}

const turns = async () => {
  for (let i = 0; i < 5; i += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe("a controller that runs", () => {
  it("reconciles a key once however often it is added meanwhile, and again when it was added during its turn", async () => {
    const seen: string[] = [];
    let release: () => void = () => undefined;
    const { running, queue } = await runningWith(async (key) => {
      seen.push(key);
      if (seen.length === 1) await new Promise<void>((resolve) => (release = resolve));
      return done;
    });
    queue.add("a/x");
    queue.add("a/x");
    await turns();
    queue.add("a/x");
    queue.add("a/x");
    expect(running.busy).toBe(true);
    release();
    await turns();
    expect(seen).toEqual(["a/x", "a/x"]);
    expect(running.busy).toBe(false);
    await running.stop();
  });

  it("comes back to a key when told, and after failures later and later", async () => {
    const at: number[] = [];
    const { clock, running, queue } = await runningWith(async () => {
      at.push(clock.monotonicMs());
      if (at.length <= 3) throw new Error("no");
      return at.length === 4 ? againAfterMs(1_000) : done;
    });
    queue.add("x");
    await turns();
    for (let i = 0; i < 1_100; i += 1) {
      await clock.advance(1);
      await turns();
    }
    expect(at).toEqual([0, 5, 15, 35, 1_035]);
    await running.stop();
  });

  it("comes back to a key in between when it is told to wait for long: the machine's clock may have been wrong", async () => {
    const at: number[] = [];
    const { clock, running, queue } = await runningWith(async () => {
      at.push(clock.monotonicMs());
      return againAfterMs(86_400_000);
    });
    queue.add("x");
    await turns();
    for (let hour = 0; hour < 2; hour += 1) {
      await clock.advance(3_600_000);
      await turns();
    }
    expect(at).toEqual([0, 3_600_000, 7_200_000]);
    await running.stop();
  });

  it("tells once of an object that no rule understands, and of it again when it has made sense meanwhile", async () => {
    let makesSense = false;
    const { clock, running, queue, told } = await runningWith(async () => {
      if (!makesSense) (undefined as unknown as { spec: object }).spec.toString();
      return done;
    });
    queue.add("x");
    await clock.advance(1_000);
    await turns();
    expect(told).toEqual(["FailedReconcile"]);
    makesSense = true;
    await clock.advance(100_000);
    await turns();
    makesSense = false;
    queue.add("x");
    await turns();
    expect(told).toEqual(["FailedReconcile", "FailedReconcile"]);
    await running.stop();
  });

  it("looks at a key only when the changes that came together have all been seen", async () => {
    const seen: [string, number][] = [];
    let changes = 1;
    const { running, queue } = await runningWith(async (key) => {
      seen.push([key, changes]);
      return done;
    });
    queue.add("x");
    // As an informer that hands on the second of two events.
    await Promise.resolve();
    changes += 1;
    queue.add("x");
    await turns();
    expect(seen).toEqual([["x", 2]]);
    await running.stop();
  });

  it("begins nothing after it was stopped, and waits for what runs", async () => {
    const seen: string[] = [];
    const { running, queue } = await runningWith(async (key, signal) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      seen.push(key);
      return done;
    });
    for (const key of ["a", "b", "c"]) queue.add(key);
    await turns();
    await running.stop();
    expect(seen.sort()).toEqual(["a", "b"]);
  });

  it("measures its queue under upstream's names", async () => {
    let failures = 1;
    const { clock, running, queue, text } = await runningWith(async () => {
      failures -= 1;
      if (failures >= 0) throw new Error("no");
      return done;
    });
    queue.add("x");
    await turns();
    await clock.advance(10);
    await turns();
    expect(await text()).toMatch(/workqueue_adds_total\{name="test"\} 1\n/);
    expect(await text()).toMatch(/workqueue_retries_total\{name="test"\} 1\n/);
    expect(await text()).toMatch(/workqueue_work_duration_seconds_count\{name="test"\} 2\n/);
    await running.stop();
  });
});

describe("--controllers", () => {
  const definition = (name: string, more: Partial<ControllerDefinition> = {}): ControllerDefinition => ({
    name,
    account: name,
    build: () => ({ watch: () => undefined, reconcile: async () => done }),
    ...more,
  });
  const all = [
    definition("one", { aliases: ["eins"] }),
    definition("two"),
    definition("off", { offByDefault: true }),
    definition("keyless", { missing: ({ rootCaFile }) => (rootCaFile === undefined ? "--root-ca-file" : undefined) }),
  ];
  const cases: [flag: string, names: string[]][] = [
    ["*", ["one", "two"]],
    ["*,-two", ["one"]],
    ["-two,two,*", ["one"]],
    ["*,off", ["one", "two", "off"]],
    ["eins", ["one"]],
    ["two,-one", ["two"]],
  ];
  it.each(cases)("%s runs %j", (flag, names) => {
    const { options } = parseFlags(controllerFlags, [`--controllers=${flag}`]);
    expect(chooseControllers(all, options, silentLog).map(({ name }) => name)).toEqual(names);
  });

  it("refuses a name that nobody has", () => {
    const { options } = parseFlags(controllerFlags, ["--controllers=*,three"]);
    expect(() => chooseControllers(all, options, silentLog)).toThrow(/--controllers.*"three" is not a controller/);
  });
});

describe("a controller against a server", () => {
  const labeller: ControllerDefinition = {
    name: "labeller",
    account: "labeller",
    build: ({ client, informers }) => {
      const configMaps = informers.of(kinds.core.v1.configMaps);
      return {
        watch: (queue) => {
          const add = (object: Parameters<typeof keyOf>[0]) => queue.add(keyText(keyOf(object)));
          configMaps.addHandlers({ added: add, updated: add });
        },
        async reconcile(key) {
          const configMap = configMaps.cache.get(key);
          if (configMap === undefined || configMap.metadata.labels?.["seen"] === "true") return done;
          const { namespace, name } = configMap.metadata;
          await client.core.v1.configMaps(namespace).patch(name, { merge: { metadata: { labels: { seen: "true" } } } });
          return done;
        },
      };
    },
  };

  it("acts on what is there and on what comes, also after a restart", async () => {
    const { client, eventually, restart, close } = await controllersInProcess({ definitions: [labeller] });
    const maps = client.core.v1.configMaps("default");
    const isSeen = (name: string) =>
      eventually(async () => expect((await maps.get(name)).metadata.labels).toEqual({ seen: "true" }));
    await maps.create({ metadata: { name: "a" } });
    await isSeen("a");
    await restart();
    await maps.create({ metadata: { name: "b" } });
    await isSeen("b");
    await close();
  });

  it("begins although the server does not serve everything that controllers look at", async () => {
    const idle: ControllerDefinition = {
      name: "idle",
      build: ({ informers }) => {
        informers.of(kinds.storage.v1.volumeAttributesClasses);
        return { watch: () => undefined, reconcile: async () => done };
      },
    };
    const { client, eventually, close } = await controllersInProcess({
      definitions: [idle, labeller],
      serverFlags: ["--runtime-config=storage.platform.io/v1/volumeattributesclasses=false"],
    });
    await client.core.v1.configMaps("default").create({ metadata: { name: "a" } });
    await eventually(async () =>
      expect((await client.core.v1.configMaps("default").get("a")).metadata.labels).toEqual({ seen: "true" }),
    );
    await close();
  });

  it("builds a controller of an optional kind although the server does not serve what others look at", async () => {
    const off = kinds.storage.v1.volumeAttributesClasses;
    const idle: ControllerDefinition = {
      name: "idle",
      build: ({ informers }) => {
        informers.of(off);
        return { watch: () => undefined, reconcile: async () => done };
      },
    };
    const optional = (kind: OptionalKind): ControllerDefinition => ({
      name: `optional-${kind.resource}`,
      build: (context) => whereServed(context, kind, () => labeller.build(context)),
    });
    const { client, eventually, close } = await controllersInProcess({
      definitions: [idle, optional(off), optional(kinds.core.v1.configMaps)],
      serverFlags: ["--runtime-config=storage.platform.io/v1/volumeattributesclasses=false"],
    });
    await client.core.v1.configMaps("default").create({ metadata: { name: "a" } });
    await eventually(async () =>
      expect((await client.core.v1.configMaps("default").get("a")).metadata.labels).toEqual({ seen: "true" }),
    );
    await close();
  });
});
