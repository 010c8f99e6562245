// `npm run bench [name...]`: runs the benchmarks one after the other; each prints ratios against its own baseline.

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildIfNeeded, installIfNeeded, root } from "./project.mjs";

installIfNeeded();
await buildIfNeeded();
const wanted = process.argv.slice(2);
const benchmarks = readdirSync(join(root, "bench"))
  .filter((file) => file.endsWith(".ts") && isBenchmark(file))
  .map((file) => file.slice(0, -".ts".length))
  .filter((name) => wanted.length === 0 || wanted.includes(name))
  .sort();
const unknown = wanted.filter((name) => !benchmarks.includes(name));
if (unknown.length > 0) {
  console.error(`no such benchmark: ${unknown.join(", ")}`);
  process.exit(2);
}

const out = join(root, "dist/bench");
const { build } = await import("esbuild");
await build({
  absWorkingDir: root,
  entryPoints: benchmarks.map((name) => `bench/${name}.ts`),
  outdir: out,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  packages: "external",
  logLevel: "warning",
});
const failed = benchmarks.filter((name) => {
  console.log(`\n== ${name}`);
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  return (
    spawnSync(process.execPath, ["--expose-gc", join(out, `${name}.js`)], { cwd: root, stdio: "inherit", env })
      .status !== 0
  );
});
rmSync(out, { recursive: true, force: true });
if (failed.length > 0) console.error(`\nfailed: ${failed.join(", ")}`);
process.exit(failed.length === 0 ? 0 : 1);

/** A benchmark prints; what does not is a part of others. */
function isBenchmark(file) {
  return readFileSync(join(root, "bench", file), "utf8").includes("console.log");
}
