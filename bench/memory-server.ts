// A server for benchmarks of clients: in memory, so that its store costs as little as it can. Writes its kubeconfig.

import { startPlinth } from "../src/testing/index.ts";

const plinth = await startPlinth({
  dialect: "kubernetes",
  flags: ["--disable-admission-plugins=ServiceAccount"],
  // Who owns the pods of the benchmark is not there: a collector would take them away.
  controllers: false,
});
process.stdout.write(await plinth.kubeconfig());
