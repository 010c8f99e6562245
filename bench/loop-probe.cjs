// Loaded into a server before anything else (`--require`): measures how long each turn of its event loop works. At SIGUSR2
// it writes the longest since the last signal, in milliseconds, to BENCH_LOOP_FILE.

const { writeFileSync } = require("node:fs");
const { performance } = require("node:perf_hooks");
const { isMainThread } = require("node:worker_threads");

if (isMainThread) {
  // Without what the loop waits for.
  const workedMs = () => performance.eventLoopUtilization().active;
  let longestMs = 0;
  let lastMs = workedMs();
  const turn = () => {
    const nowMs = workedMs();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
    // It does not keep the loop from waiting.
    setImmediate(turn).unref();
  };
  setImmediate(turn).unref();
  process.on("SIGUSR2", () => {
    writeFileSync(process.env.BENCH_LOOP_FILE, `${longestMs}`);
    longestMs = 0;
  });
}
