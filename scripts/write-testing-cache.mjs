// Runs a control plane of plinth/testing through what most tests do, and keeps the code that V8 has compiled by then. Run by
// the build of the packages, with the folder of their modules; the process ends with it.

import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const folder = resolve(process.argv[2]);
const { writeCodeCache } = createRequire(import.meta.url)("../bin/load.cjs");
const parts = await import(pathToFileURL(join(folder, "client-parts.js")).href);

const labels = { app: "web" };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
const web = { metadata: { name: "web" }, spec: { replicas: 2, selector: { matchLabels: labels }, template } };

await writeCodeCache(warmUp, join(folder, "testing.cjs"), parts);
// The control planes wait for further tests.
process.exit(0);

async function warmUp({ startPlinth }) {
  for (const dialect of ["platform", "kubernetes"]) {
    const plinth = await startPlinth({ dialect, nodes: 1, fakeClock: true });
    const deployments = plinth.client.apps.v1.deployments("default");
    await deployments.create(web);
    for (let second = 0; second < 5; second += 1) {
      await plinth.clock.advance(1_000);
      await plinth.settle();
    }
    if ((await deployments.get("web")).status?.availableReplicas !== 2) throw new Error("the Deployment is not ready");
    await plinth.reset();
    await plinth.close();
  }
}
