// `npm run bench [name...]`: runs the benchmarks one after the other; each prints ratios against its own baseline.
//   --json FILE           the figures of the run as JSON, for --compare and --chart
//   --compare OLD NEW     two such files side by side
//   --chart FILE          how near each figure came to its goal, as docs/performance.svg
//   --server URL --token T [--pid N]   the load of `server` against any server of this API

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { chartOf } from "./bench-chart.mjs";
import { comparisonOf } from "./bench-compare.mjs";
import { buildIfNeeded, installIfNeeded, root } from "./project.mjs";

const { values: flags, positionals } = readFlags();

if (flags.help) {
  console.log(
    `npm run bench [NAME...] [-- FLAG...]\n\nNames: ${benchmarkNames().join(", ")}; without one, all of them.`,
  );
  console.log("Flags: --json FILE, --compare OLD NEW, --chart FILE, --server URL --token T [--pid N]");
} else if (flags.compare) {
  if (positionals.length !== 2) fail("--compare takes two files: OLD NEW");
  console.log(comparisonOf(readRun(positionals[0]), readRun(positionals[1])));
} else if (flags.chart !== undefined) {
  const file = join(root, "docs/performance.svg");
  writeFileSync(file, chartOf(readRun(flags.chart)));
  console.log(`wrote ${file}`);
} else {
  process.exitCode = await run(flags.server === undefined ? positionals : ["server"]);
}

function readFlags() {
  const text = { type: "string" };
  const options = { json: text, compare: { type: "boolean" }, chart: text, server: text, token: text, pid: text };
  try {
    return parseArgs({ allowPositionals: true, options: { ...options, help: { type: "boolean", short: "h" } } });
  } catch (error) {
    return fail(`${error.message}\nSee npm run bench -- --help`);
  }
}

/** A benchmark reports; what does not is a part of others. */
function benchmarkNames() {
  const reports = /import \{[^}]*\breport\b[^}]*\} from "\.\/report\.ts"/;
  return readdirSync(join(root, "bench"))
    .filter((file) => file.endsWith(".ts") && reports.test(readFileSync(join(root, "bench", file), "utf8")))
    .map((file) => file.slice(0, -".ts".length))
    .sort();
}

async function run(wanted) {
  const known = benchmarkNames();
  const unknown = wanted.filter((name) => !known.includes(name));
  if (unknown.length > 0) fail(`no such benchmark: ${unknown.join(", ")}; there are ${known.join(", ")}`);
  const benchmarks = wanted.length === 0 ? known : known.filter((name) => wanted.includes(name));
  installIfNeeded();
  await buildIfNeeded();
  const out = join(root, "dist/bench");
  const { build } = await import("esbuild");
  const { preparedState, schedulerThread } = await import("./build.mjs");
  await build({
    absWorkingDir: root,
    entryPoints: benchmarks.map((name) => `bench/${name}.ts`),
    outdir: out,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    plugins: [
      preparedState('new URL("..", import.meta.url)'),
      schedulerThread('new URL("../scheduler-thread.cjs", import.meta.url).pathname'),
    ],
    logLevel: "warning",
  });
  mkdirSync(out, { recursive: true });
  const lines = join(out, "rows.jsonl");
  const failed = benchmarks.filter((name) => {
    console.log(`\n== ${name}`);
    const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
    // As bin/plinth asks for it.
    env.MALLOC_ARENA_MAX ??= "1";
    Object.assign(env, { BENCH_JSON: lines, BENCH_NAME: name });
    if (flags.server !== undefined) Object.assign(env, { BENCH_SERVER: flags.server, BENCH_TOKEN: flags.token ?? "" });
    if (flags.pid !== undefined) env.BENCH_PID = flags.pid;
    const node = ["--expose-gc", join(out, `${name}.js`)];
    return spawnSync(process.execPath, node, { cwd: root, stdio: "inherit", env }).status !== 0;
  });
  if (flags.json !== undefined) writeFileSync(flags.json, `${JSON.stringify(runOf(lines), null, 1)}\n`);
  rmSync(out, { recursive: true, force: true });
  if (failed.length > 0) console.error(`\nfailed: ${failed.join(", ")}`);
  return failed.length === 0 ? 0 : 1;
}

function runOf(lines) {
  const text = existsSync(lines) ? readFileSync(lines, "utf8").trim() : "";
  const machine = {
    processor: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
  };
  return {
    at: new Date().toISOString(),
    machine,
    rows: text === "" ? [] : text.split("\n").map((line) => JSON.parse(line)),
  };
}

function readRun(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    return fail(`${file}: ${error.message}; it has to be a file of --json`);
  }
}

function fail(message) {
  console.error(message);
  process.exit(2);
}
