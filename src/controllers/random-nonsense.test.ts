// Objects of every kind with values that no server would take, as a store may hold them: whatever they say, controllers neither
// fall over them nor work without end, nor do they ask without end for those that the server cannot read.

import { expect, it } from "vitest";
import { parseFlags } from "../base/flags.ts";
import { ALL_KINDS } from "../kinds/all-kinds.ts";
import type { Kind } from "../kinds/define-kind.ts";
import { namesFor } from "../meta/names.ts";
import { apiVersionOf } from "../meta/object.ts";
import { timeOfMs } from "../meta/time.ts";
import { seeded } from "../schema/random-value.testing.ts";
import type { ScalarSchema, Schema } from "../schema/schema.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";
import { ALL_CONTROLLERS } from "./all-controllers.ts";
import { controllerFlags } from "./controller-options.ts";
import { controllersInProcess } from "./controllers.testing.ts";

const OF_EACH_KIND = 3;
/** They decide about everybody's requests and pods, in the server: what they say is no matter of controllers. */
const OF_THE_SERVER =
  /^(CustomResourceDefinition|APIService|FlowSchema|PriorityLevelConfiguration|PriorityClass|.*(Webhook|Policy|Binding)(Configuration|Binding)?)$/;
/** Names of others, words that rules look for, and texts that are none. */
const WORDS = [
  ...["x", "default", "node-0", "persistentvolumeclaim-0", "persistentvolume-0", "service-0", "deployment-0", "pod-0"],
  ...["Deployment", "apps/v1", "v1", "cpu", "storage", "*", "* * * * *", "0 0 31 2 *", "Always", "Delete", "Recycle"],
  ...["In", "Exists", "Ready", "True", "Unknown", "NoExecute", "WaitForFirstConsumer", "Bound", "Failed", "Succeeded"],
  ...["Complete", "Approved", "kubernetes.io/kubelet-serving", "10.0.0.1", "::1", "TCP", "", "\u0000", "a".repeat(300)],
];
const KEYS = ["app", "cpu", "memory", "storage", "pods", "__proto__", "x.y/z"];
const INTEGERS = [-1, 0, 1, 2, 3, 7, 2 ** 31 - 1, -(2 ** 31)];
const SCALARS: Partial<Record<ScalarSchema["scalar"], readonly unknown[]>> = {
  boolean: [true, false],
  int32: INTEGERS,
  int64: [...INTEGERS, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
  double: [0, -1, 1e300],
  intOrString: [-1, 0, 1, 2 ** 31 - 1, "200%", "-50%", "x", ""],
  quantity: ["-1", "0", "1e9", "1000Ei", "100m", "1n"],
  time: ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"],
  microTime: ["0001-01-01T00:00:00.000000Z", "9999-12-31T23:59:59.000000Z"],
  duration: ["1m0s", "-1h", "0s"],
  bytes: ["", "YQ=="],
};
const MAX_DEPTH = 8;

function nonsense(schema: Schema, random: () => number, depth = 0): unknown {
  const some = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const several = <T>(make: () => T): T[] =>
    Array.from({ length: depth > MAX_DEPTH ? 0 : Math.floor(random() * 3) }, make);
  switch (schema.type) {
    case "struct": {
      const share = depth > MAX_DEPTH ? 0.05 : depth < 3 ? 0.85 : 0.6;
      const fields = [...schema.fields].filter(() => random() < share);
      return Object.fromEntries(fields.map(([name, field]) => [name, nonsense(field.schema, random, depth + 1)]));
    }
    case "map":
      return Object.fromEntries(several(() => [some(KEYS), nonsense(schema.values, random, depth + 1)]));
    case "list":
      return several(() => nonsense(schema.items, random, depth + 1));
    case "any":
      return { a: "b" };
    case "scalar":
      return some(SCALARS[schema.scalar] ?? (random() < 0.5 ? (schema.enum ?? WORDS) : WORDS));
  }
}

const STORED_KINDS = ALL_KINDS.filter(
  ({ kind, virtual, storagePrefix, storedAs }) =>
    !virtual && storagePrefix !== undefined && storedAs === undefined && !OF_THE_SERVER.test(kind),
);
const typeOf = (kind: Kind) => {
  const group = namesFor("kubernetes").group(kind.group);
  return { apiVersion: apiVersionOf(group, kind.version), kind: kind.kind };
};
const put = (engine: MemoryEngine, { scope, storagePrefix }: Kind, name: string, object: object) =>
  engine.create(
    `/registry/${storagePrefix}/${scope === "Cluster" ? "" : "default/"}${name}`,
    Buffer.from(JSON.stringify(object)),
  );

/** Each may own itself, or any that came before it. */
async function fillStore(engine: MemoryEngine, random: () => number, createdMs: number): Promise<number> {
  const owners: object[] = [];
  const some = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  for (const kind of STORED_KINDS) {
    for (let at = 0; at < OF_EACH_KIND; at += 1) {
      const name = `${kind.kind.toLowerCase()}-${at}`;
      const type = typeOf(kind);
      owners.push({ ...type, name, uid: name, controller: true });
      const metadata = {
        name,
        uid: name,
        generation: 1,
        creationTimestamp: timeOfMs(createdMs),
        labels: { app: some(["x", "y"]) },
        ownerReferences: [some(owners)],
        ...(kind.scope === "Cluster" ? {} : { namespace: "default" }),
        ...(random() < 0.2 ? { deletionTimestamp: timeOfMs(createdMs), finalizers: ["example.com/x"] } : {}),
      };
      await put(engine, kind, name, { ...(nonsense(kind.schema, random) as object), ...type, metadata });
    }
  }
  return owners.length;
}

/** In ten minutes; most are tried a few times, autoscalers every fifteen seconds. */
const MAX_REQUESTS_EACH = 20;

function allControllers(engine: MemoryEngine) {
  const { options } = parseFlags(controllerFlags, []);
  return controllersInProcess({
    engine,
    definitions: ALL_CONTROLLERS.filter(({ missing }) => missing?.(options) === undefined),
    dialect: "kubernetes",
    serverFlags: ["--disable-admission-plugins=ServiceAccount"],
  });
}

it.each([3, 14])("random nonsense number %i costs little, and keeps nobody else waiting", async (seed) => {
  const engine = new MemoryEngine();
  const run = await allControllers(engine);
  const { client, clock, eventually, close } = run;
  const count = await fillStore(engine, seeded(seed), clock.nowMs() - 60_000);
  await client.core.v1.namespaces().create({ metadata: { name: "healthy" } });
  const template = { metadata: { labels: { app: "healthy" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  const spec = { replicas: 2, selector: { matchLabels: { app: "healthy" } }, template };
  await client.apps.v1.deployments("healthy").create({ metadata: { name: "healthy" }, spec });
  await eventually(async () => expect((await client.core.v1.pods("healthy").list()).items).toHaveLength(2));
  await clock.advance(60_000);
  const [before, revision] = [run.requests, await engine.currentRevision()];
  await clock.advance(600_000);
  expect(run.requests - before).toBeLessThan(count * MAX_REQUESTS_EACH);
  expect((await engine.currentRevision()) - revision).toBeLessThan(count * MAX_REQUESTS_EACH);
  await close();
});

it("values of wrong types in every resource cost a request now and then", async () => {
  const engine = new MemoryEngine();
  const run = await allControllers(engine);
  const metadata = { name: "odd", uid: "odd", labels: "none" };
  for (const kind of STORED_KINDS) await put(engine, kind, "odd", { ...typeOf(kind), metadata });
  await run.clock.advance(120_000);
  const before = run.requests;
  for (let second = 0; second < 300; second += 1) await run.clock.advance(1_000);
  // A watch and a list, which several follow each in its own form, every thirty seconds.
  expect(run.requests - before).toBeLessThan(STORED_KINDS.length * 20);
  await run.close();
});
