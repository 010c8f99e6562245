// Requirements: document 1, "Verbs".

import { expect, it } from "vitest";
import type { Revision } from "../../storage/engine.ts";
import { MemoryEngine } from "../../storage/memory-engine.ts";
import { serverInProcess } from "../server.testing.ts";

const PATH = "/api/v1/namespaces/default/configmaps";
const PREFIX = "/registry/configmaps/default/";

/** Takes some deletes, each in its own turn, and no more. */
class TiringEngine extends MemoryEngine {
  left = 20;

  override async delete(key: string, expected: Revision): Promise<Revision> {
    if (!key.startsWith(PREFIX)) return super.delete(key, expected);
    await new Promise((resolve) => setImmediate(resolve));
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
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
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
