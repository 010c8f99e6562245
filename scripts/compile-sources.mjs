// The sources as modules that Node loads itself, one for each: for a run of all tests. Vite makes such modules of them, too,
// but takes longer to make and to load them, and what is called from one to another takes longer in them.

import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "./project.mjs";

/** Answers the folder of the modules: `storage/engine.mjs` is there what `src/storage/engine.ts` is now, and nothing else. */
export async function compileSources(project = root) {
  const outdir = join(project, "node_modules/.cache/plinth-sources");
  rmSync(outdir, { recursive: true, force: true });
  const { build } = await import("esbuild");
  await build({
    absWorkingDir: project,
    entryPoints: sourcesOf(project).map((file) => join("src", file)),
    outbase: "src",
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    packages: "external",
    plugins: [besideEachOther],
    format: "esm",
    platform: "node",
    target: "node20",
    sourcemap: true,
    sourcesContent: false,
    logLevel: "warning",
  });
  return outdir;
}

function sourcesOf(project) {
  const files = readdirSync(join(project, "src"), { recursive: true });
  return files.filter((file) => file.endsWith(".ts") && !/\.(?:test|testing)\.ts$/.test(file));
}

const besideEachOther = {
  name: "beside-each-other",
  setup(build) {
    build.onResolve({ filter: /^\..*\.ts$/ }, ({ path, kind }) =>
      kind === "entry-point" ? undefined : { path: path.replace(/\.ts$/, ".mjs"), external: true },
    );
  },
};
