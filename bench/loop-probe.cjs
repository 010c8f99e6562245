// Loaded into a server before anything else (`--require`): measures how long each turn of its event loop works. At SIGUSR2
// it writes the longest since the last signal to BENCH_LOOP_FILE, in milliseconds: by the clock, and of the processor,
// which on a busy machine says more.

const { openSync, readSync, writeFileSync } = require("node:fs");
const { performance } = require("node:perf_hooks");
const { isMainThread } = require("node:worker_threads");

if (isMainThread) {
  // Of the main thread alone, as the kernel counts it.
  const counts = openSync("/proc/self/schedstat");
  const line = Buffer.alloc(64);
  const processorMs = () => Number.parseInt(line.latin1Slice(0, readSync(counts, line, 0, line.length, 0)), 10) / 1e6;
  // Without what the loop waits for.
  const workedMs = () => performance.eventLoopUtilization().active;
  const longest = { clockMs: 0, cpuMs: 0 };
  const nowMs = () => ({ clockMs: workedMs(), cpuMs: processorMs() });
  let last = nowMs();
  const turn = () => {
    const now = nowMs();
    for (const time of ["clockMs", "cpuMs"]) longest[time] = Math.max(longest[time], now[time] - last[time]);
    last = now;
    // It does not keep the loop from waiting.
    setImmediate(turn).unref();
  };
  setImmediate(turn).unref();
  process.on("SIGUSR2", () => {
    writeFileSync(process.env.BENCH_LOOP_FILE, JSON.stringify(longest));
    longest.clockMs = 0;
    longest.cpuMs = 0;
    // What it took to write that, above all to wait for the disk, is not the server's.
    last = nowMs();
  });
}
