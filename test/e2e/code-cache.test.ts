// What the build compiles beforehand: it runs a server for that, in its own process and no other.

import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

/** As of a machine with many cores, where a server has workers unless it is told otherwise. */
const MANY_CORES = `
  require("node:os").availableParallelism = () => 8;
  require("node:child_process").fork = (program) => {
    process.stderr.write("a worker of " + program);
    process.exit(9);
  };
`;

it("is compiled by one process on a machine of many cores, too", async () => {
  const project = mkdtempSync(join(tmpdir(), "plinth-code-cache-"));
  try {
    for (const folder of ["bin", "dist", "scripts"]) mkdirSync(join(project, folder));
    for (const name of readdirSync(join(ROOT, "dist")).filter((name) => /\.cjs$|-state-/.test(name)))
      cpSync(join(ROOT, "dist", name), join(project, "dist", name), { recursive: true });
    cpSync(join(ROOT, "bin"), join(project, "bin"), { recursive: true });
    cpSync(join(ROOT, "scripts/write-code-cache.cjs"), join(project, "scripts/write-code-cache.cjs"));
    symlinkSync(join(ROOT, "node_modules"), join(project, "node_modules"));
    const cores = join(project, "cores.cjs");
    writeFileSync(cores, MANY_CORES);
    await promisify(execFile)(process.execPath, ["--require", cores, join(project, "scripts/write-code-cache.cjs")]);
    const caches = readdirSync(join(project, "dist")).filter((name) => name.endsWith(".cache"));
    expect(caches.map((name) => name.split("-")[0]).sort()).toEqual(["pctl", "plinth"]);
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
});
