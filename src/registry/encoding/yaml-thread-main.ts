// The program of the thread for long YAML. The build puts its text into yaml-thread-program.ts.

import { parentPort } from "node:worker_threads";
import { doYamlJob, type YamlJob } from "./yaml-job.ts";

parentPort?.on("message", (job: YamlJob) => {
  const outcome = doYamlJob(job);
  if ("problem" in outcome) return parentPort?.postMessage(outcome);
  // A small buffer may be a part of one that others use too.
  const bytes = Uint8Array.from(outcome.bytes);
  parentPort?.postMessage({ ...outcome, bytes }, [bytes.buffer]);
});
