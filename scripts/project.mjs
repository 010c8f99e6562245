// Where the project is, and whether what was made from it is still good.

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Installs the packages when they are missing or older than the lock file. */
export function installIfNeeded() {
  const installed = modifiedMs(join(root, "node_modules/.package-lock.json"));
  if (installed >= modifiedMs(join(root, "package-lock.json"))) return;
  console.error("installing packages ...");
  // What is built with is needed whatever the environment says of production.
  execFileSync("npm", ["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
}

/** Builds when the bundle is missing or older than its sources. */
export async function buildIfNeeded() {
  if (isBuilt()) return;
  console.error("building ...");
  const { buildProject } = await import("./build.mjs");
  await buildProject();
}

export function isBuilt() {
  const built = Math.min(...["plinth", "pctl"].map((name) => modifiedMs(join(root, `dist/${name}.cjs`))));
  const inputs = ["package-lock.json", "scripts/build.mjs"].map((file) => modifiedMs(join(root, file)));
  return built > Math.max(newestMs(join(root, "src")), ...inputs);
}

function newestMs(folder) {
  let newest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) newest = Math.max(newest, newestMs(path));
    else if (/(?<!\.test|\.testing)\.ts$/.test(entry.name)) newest = Math.max(newest, modifiedMs(path));
  }
  return newest;
}

function modifiedMs(path) {
  return existsSync(path) ? statSync(path).mtimeMs : 0;
}
