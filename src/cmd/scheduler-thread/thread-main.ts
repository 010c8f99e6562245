// The program of the scheduler's thread. The build makes a file of it, of which program.ts tells.

import { parentPort, workerData } from "node:worker_threads";
import { systemClock } from "../../base/clock.ts";
import { Metrics } from "../../base/metrics.ts";
import { Client } from "../../client/client.ts";
import { PortTransport } from "../../client/port-transport.ts";
import { RELEASE } from "../../meta/version.ts";
import { Scheduler } from "../../scheduler/scheduler.ts";
import { schedulerMetrics } from "../../scheduler/scheduler-metrics.ts";
import { reportBugs } from "../report-bugs.ts";
import { passedLog } from "./passed-log.ts";
import type { OwnerMessage, ThreadData, ThreadMessage } from "./thread-messages.ts";

const { port, dialect, options, gates } = workerData as ThreadData;
const owner = parentPort!;
const tell = (message: ThreadMessage): void => owner.postMessage(message);
const log = passedLog((line) => tell({ type: "log", line }));
reportBugs(log);
const metrics = new Metrics({ release: RELEASE });
const scheduler = new Scheduler({
  client: new Client({ transport: new PortTransport(port), dialect }),
  clock: systemClock,
  random: Math.random,
  log,
  options,
  gates,
  metrics: schedulerMetrics(metrics),
});

owner.on("message", (message: OwnerMessage) => {
  if (message.type === "expose") void metrics.text().then((text) => tell({ type: "exposed", id: message.id, text }));
  else if (message.type === "start") start();
  else void scheduler.stop().then(() => process.exit());
});
void scheduler.prepare();

/** It fails only when it is stopped before. */
function start(): void {
  scheduler.start().then(
    () => tell({ type: "started" }),
    () => undefined,
  );
}
