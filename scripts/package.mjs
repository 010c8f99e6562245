// `npm pack` (prepack): the commands, and the packages plinth/client and plinth/testing as modules with declarations.

import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { build } from "esbuild";
import { buildProject, partsAtFirstUse, preparedState, versionDefinition, yamlThread } from "./build.mjs";
import { writeDeclarations } from "./package-types.mjs";
import { root } from "./project.mjs";

const CLIENT = "src/client/index.ts";
const TESTING = "src/testing/index.ts";

/** Writes `esm` and `types` into this folder. */
export async function buildModules(outDir) {
  const outdir = `${outDir}/esm`;
  rmSync(outdir, { recursive: true, force: true });
  const { date, define } = versionDefinition();
  const common = {
    absWorkingDir: root,
    outdir,
    bundle: true,
    platform: "node",
    target: "node20",
    packages: "external",
    sourcemap: true,
    sourcesContent: false,
    minifySyntax: true,
    define,
    metafile: true,
    logLevel: "warning",
  };
  const parts = await buildClient(common);
  await buildTesting(common, { parts, date });
  await writeDeclarations(`${outDir}/types`);
}

/** Answers with the files that it begins with. `client-parts.js` has all that they export, by their names. */
async function buildClient(common) {
  const modules = { ...common, format: "esm", splitting: true };
  const { metafile } = await build({ ...modules, entryPoints: { client: CLIENT }, write: false });
  const parts = importedAtOnce(metafile.inputs, CLIENT);
  await build({
    ...modules,
    entryPoints: { client: CLIENT, "client-parts": "client-parts" },
    plugins: [clientParts(parts)],
  });
  return parts;
}

/** The files that a file needs to be loaded; not what it imports later. */
function importedAtOnce(inputs, entry) {
  const found = new Set([entry]);
  for (const file of found) {
    for (const { path, kind, external } of inputs[file].imports)
      if (kind !== "dynamic-import" && external !== true && path.startsWith("src/")) found.add(path);
  }
  return [...found];
}

const clientParts = (parts) => ({
  name: "client-parts",
  setup(build) {
    build.onResolve({ filter: /^client-parts$/ }, ({ path }) => ({ path, namespace: "client-parts" }));
    build.onLoad({ filter: /^/, namespace: "client-parts" }, () => ({
      contents: parts
        .map((file) => `export * as ${JSON.stringify(file)} from ${JSON.stringify(`./${file}`)};`)
        .join("\n"),
      resolveDir: root,
    }));
  },
});

/**
 * plinth/testing is nearly all of Plinth, and every file of tests loads it anew: so it is a bundle that runs with code
 * compiled ahead, as the commands do. What the client is made of it has from the modules of plinth/client: an error of the
 * one is an error of the other.
 */
async function buildTesting(common, { parts, date }) {
  const folder = 'require("node:url").pathToFileURL(require("node:path").join(__dirname, "../"))';
  await build({
    ...common,
    entryPoints: { testing: TESTING },
    outExtension: { ".js": ".cjs" },
    format: "cjs",
    // The launcher compiles the text itself, where only require is at hand.
    supported: { "dynamic-import": false },
    plugins: [outside(parts), partsAtFirstUse, preparedState(folder), yamlThread],
    // By which bin/load.cjs knows compiled code of this very bundle.
    banner: { js: `// Built ${date}` },
  });
  writeFileSync(`${common.outdir}/testing.js`, TESTING_MODULE);
  const { status } = spawnSync(process.execPath, [`${root}/scripts/write-testing-cache.mjs`, common.outdir], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0) console.error("no code of plinth/testing was compiled ahead: it takes a little longer to load");
}

const outside = (parts) => ({
  name: "outside",
  setup(build) {
    const known = new Set(parts);
    build.onResolve({ filter: /\.ts$/ }, ({ path, resolveDir, kind }) => {
      if (kind === "entry-point") return undefined;
      const file = relative(root, resolve(resolveDir, path));
      return known.has(file) ? { path: file, external: true } : undefined;
    });
  },
});

const TESTING_MODULE = `\
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import * as parts from "./client-parts.js";
const { loadBundle } = createRequire(import.meta.url)("../../bin/load.cjs");
export const { plinthMatchers, startPlinth } = loadBundle(fileURLToPath(new URL("testing.cjs", import.meta.url)), parts);
`;

if (process.argv[1] === new URL(import.meta.url).pathname) {
  await buildProject();
  await buildModules(`${root}/dist`);
}
