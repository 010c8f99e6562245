// Bundles the commands into dist/. One chunk per rarely used part, so that a start loads only what it needs.

import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { build } from "esbuild";
import { root } from "./project.mjs";

export async function buildProject() {
  const outdir = `${root}/dist`;
  rmSync(outdir, { recursive: true, force: true });
  await build(buildOptions(outdir));
}

export function buildOptions(outdir) {
  const { version } = JSON.parse(readFileSync(`${root}/package.json`, "utf8"));
  return {
    absWorkingDir: root,
    entryPoints: { plinth: "src/cmd/plinth.ts" },
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    sourcemap: true,
    sourcesContent: false,
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "linked",
    // Native code stays where npm put it.
    external: ["lmdb"],
    chunkNames: "chunks/[name]-[hash]",
    define: { PLINTH_BUILD: JSON.stringify({ version, commit: commit(), date: new Date().toISOString() }) },
    // CommonJS packages inside the bundle ask for Node's own modules.
    banner: { js: 'import{createRequire as __cr}from"node:module";const require=__cr(import.meta.url);' },
    logLevel: "warning",
  };
}

function commit() {
  try {
    return execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, stdio: ["ignore", "pipe", "ignore"] })
      .toString()
      .trim();
  } catch {
    return "";
  }
}

if (process.argv[1] === new URL(import.meta.url).pathname) await buildProject();
