// What definitions cost: memory of 1,000 that nobody uses, and whether they slow down anything else. Times are ratios
// against the same work in the same process before there were definitions.

import { serverInProcess } from "../src/apiserver/server.testing.ts";
import { report } from "./report.ts";
import { definition } from "./sample-definition.ts";

const DEFINITIONS = 1_000;
const WRITES = 1_000;
const ROUNDS = 5;

const server = await serverInProcess();

async function call(method: string, url: string, body?: unknown): Promise<number> {
  const { status } = await server.call(method, url, body);
  if (status >= 300) throw new Error(`${method} ${url} answered ${status}`);
  return status;
}

function usedBytes(): number {
  for (let i = 0; i < 5; i += 1) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** The best of several rounds: the machine may have other things to do. */
async function writes(prefix: string): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) best = Math.min(best, await writeRound(`${prefix}-${round}`));
  return best;
}

async function writeRound(prefix: string): Promise<number> {
  const start = performance.now();
  for (let i = 0; i < WRITES; i += 1) {
    await call("POST", "/api/v1/namespaces/default/configmaps", {
      metadata: { name: `${prefix}-${i}` },
      data: { k: "v" },
    });
  }
  return (performance.now() - start) / WRITES;
}

await writes("warm");
const baseline = await writes("before");
const before = usedBytes();
const began = performance.now();
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
for (let i = 0; i < DEFINITIONS; i += 1) await call("POST", definitions, definition(i));
const createMs = (performance.now() - began) / DEFINITIONS;
const perDefinition = (usedBytes() - before) / DEFINITIONS;
const after = await writes("after");

const objects = "/apis/bench.example.com/v1/namespaces/default/things7";
const custom = (i: number) => ({
  apiVersion: "bench.example.com/v1",
  kind: "Thing7",
  metadata: { name: `a-${i}` },
  spec: { field0: "yes" },
});
for (let i = 0; i < 200; i += 1) await call("POST", objects, custom(i));
const customStart = performance.now();
for (let i = 200; i < 200 + WRITES; i += 1) await call("POST", objects, custom(i));
const customMs = (performance.now() - customStart) / WRITES;

report("memory of an idle definition", { KiB: perDefinition / 1024 }, { KiB: 48 });
report("creating a definition", { "times a config map": createMs / baseline, ms: createMs }, { ms: 5 });
report(`creating a config map beside ${DEFINITIONS} definitions`, { "times before": after / baseline });
report("creating a custom resource", { "times a config map": customMs / baseline });
await server.close();
