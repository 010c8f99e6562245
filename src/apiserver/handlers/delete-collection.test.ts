// Requirements: document 1, "Verbs".

import { expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import type { Revision } from "../../storage/engine.ts";
import { MemoryEngine } from "../../storage/memory-engine.ts";
import { serverInProcess } from "../server.testing.ts";

const PATH = "/api/v1/namespaces/default/configmaps";
const PREFIX = "/registry/configmaps/default/";

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Takes some deletes, each in its own turn, and no more. */
class TiringEngine extends MemoryEngine {
  left = 20;

  override async delete(key: string, expected: Revision): Promise<Revision> {
    if (!key.startsWith(PREFIX)) return super.delete(key, expected);
    await turn();
    this.left -= 1;
    if (this.left < 0) throw new Error("no more");
    return super.delete(key, expected);
  }
}

it("stops at the first failure and deletes nothing after it has answered", async () => {
  const engine = new TiringEngine();
  const server = await serverInProcess({ deps: { engine } });
  for (let i = 0; i < 100; i += 1) {
    await server.call("POST", PATH, { kind: "ConfigMap", apiVersion: "v1", metadata: { name: `c${i}` } });
  }
  expect((await server.call("DELETE", PATH)).status).toBe(500);
  const tried = engine.left;
  for (let others = 0; others < 20; others += 1) await turn();
  expect(engine.left).toBe(tried);
  expect(await engine.count(PREFIX)).toBe(80);
  await server.close();
});

it("deletes what was there at the version that the client names, and nothing that came later", async () => {
  const server = await serverInProcess();
  const create = (name: string) =>
    server.call("POST", PATH, { kind: "ConfigMap", apiVersion: "v1", metadata: { name } });
  const { json: first } = await create("first");
  await create("second");
  const version = first.metadata.resourceVersion;
  const names = async () =>
    (await server.call("GET", PATH)).json.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
  expect((await server.call("DELETE", `${PATH}?resourceVersion=${version}`)).status).toBe(200);
  expect(await names()).toEqual(["second"]);
  expect((await server.call("DELETE", `${PATH}?resourceVersion=0`)).status).toBe(200);
  expect(await names()).toEqual([]);
  await server.close();
});

/** Every delete takes its time on the clock. */
class SlowEngine extends MemoryEngine {
  slow = true;
  readonly time = new FakeClock();

  override async delete(key: string, expected: Revision): Promise<Revision> {
    if (this.slow && key.startsWith(PREFIX)) await this.time.advance(1);
    return super.delete(key, expected);
  }
}

it("deletes few at once, and many in rounds between which time passes", async () => {
  const engine = new SlowEngine();
  const clock = engine.time;
  const server = await serverInProcess({ clock, deps: { engine } });
  const fill = async (count: number) => {
    for (let i = 0; i < count; i += 1) {
      await server.call("POST", PATH, { kind: "ConfigMap", apiVersion: "v1", metadata: { name: `c${i}` } });
    }
  };
  await fill(200);
  expect((await server.call("DELETE", PATH)).status).toBe(200);

  await fill(400);
  let answer: { readonly status: number } | undefined;
  const answered = server.call("DELETE", PATH).then((given) => {
    answer = given;
  });
  while ((await engine.count(PREFIX)) > 80) await turn();
  for (let others = 0; others < 100; others += 1) await turn();
  expect(await engine.count(PREFIX)).toBe(80);
  while (answer === undefined) {
    await clock.advance(20);
    await turn();
  }
  await answered;
  expect(answer).toMatchObject({ status: 200 });
  expect(await engine.count(PREFIX)).toBe(0);

  // Where deletes take no time nobody waits for them, and no time has to pass.
  engine.slow = false;
  await fill(400);
  expect((await server.call("DELETE", PATH)).status).toBe(200);
  expect(await engine.count(PREFIX)).toBe(0);
  await server.close();
});

it("warns once of pods that stay, also where there is nothing to delete", async () => {
  const server = await serverInProcess();
  const jobs = "/apis/batch/v1/namespaces/default/jobs";
  const spec = { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } };
  const warned = [expect.stringContaining("child pods are preserved by default when jobs are deleted")];
  expect((await server.call("DELETE", jobs)).warnings).toEqual(warned);
  const refused = await server.call("DELETE", `${jobs}?continue=x`);
  expect([refused.status, refused.warnings]).toEqual([400, warned]);
  for (const name of ["a", "b"]) await server.call("POST", jobs, { metadata: { name }, spec });
  expect((await server.call("DELETE", `${jobs}?dryRun=All`)).warnings).toEqual(warned);
  expect((await server.call("DELETE", `${jobs}?propagationPolicy=Background`)).warnings).toEqual([]);
  await server.close();
});

it("judges what to delete before how", async () => {
  const server = await serverInProcess();
  const { status, json } = await server.call("DELETE", `${PATH}?limit=x&dryRun=x`);
  expect([status, json.message]).toEqual([400, 'strconv.ParseInt: parsing "x": invalid syntax']);
  await server.close();
});
