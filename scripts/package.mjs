// `npm pack` (prepack): the commands, and the packages plinth/client and plinth/testing as modules with declarations.

import { rmSync } from "node:fs";
import { build } from "esbuild";
import { buildProject, preparedState, versionDefinition, yamlThread } from "./build.mjs";
import { writeDeclarations } from "./package-types.mjs";
import { root } from "./project.mjs";

const ENTRIES = { client: "src/client/index.ts", testing: "src/testing/index.ts" };

/** Writes `esm` and `types` into this folder. */
export async function buildModules(outDir) {
  rmSync(`${outDir}/esm`, { recursive: true, force: true });
  await build({
    absWorkingDir: root,
    entryPoints: ENTRIES,
    outdir: `${outDir}/esm`,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    sourcemap: true,
    sourcesContent: false,
    minifySyntax: true,
    plugins: [preparedState('new URL("..", import.meta.url)'), yamlThread],
    define: versionDefinition().define,
    logLevel: "warning",
  });
  await writeDeclarations(`${outDir}/types`);
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  await buildProject();
  await buildModules(`${root}/dist`);
}
