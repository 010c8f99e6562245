// `npm pack` (prepack): the commands, and the packages plinth/client and plinth/testing as modules with declarations.

import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { build } from "esbuild";
import {
  buildProject,
  partsAtFirstUse,
  preparedState,
  versionDefinition,
  yamlAtFirstUse,
  yamlThread,
} from "./build.mjs";
import { writeDeclarations } from "./package-types.mjs";
import { root } from "./project.mjs";

const CLIENT = "src/client/index.ts";
const TESTING = "src/testing/index.ts";
/** What plinth/testing has from the modules of plinth/client. */
const TESTS_CLIENT = "src/client/client.ts";
const CLIENT_PARTS = [TESTS_CLIENT, "src/client/transport.ts"];

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
    logLevel: "warning",
  };
  await buildClient(common);
  await buildTesting(common, date);
  await writeDeclarations(`${outDir}/types`);
}

/** `client-parts.js` has what the files of CLIENT_PARTS export, by their names. */
async function buildClient(common) {
  await build({
    ...common,
    format: "esm",
    splitting: true,
    entryPoints: { client: CLIENT, "client-parts": "client-parts" },
    plugins: [clientParts],
  });
}

const clientParts = {
  name: "client-parts",
  setup(build) {
    build.onResolve({ filter: /^client-parts$/ }, ({ path }) => ({ path, namespace: "client-parts" }));
    build.onLoad({ filter: /^/, namespace: "client-parts" }, () => ({
      contents: CLIENT_PARTS.map(
        (file) => `export * as ${JSON.stringify(file)} from ${JSON.stringify(`./${file}`)};`,
      ).join("\n"),
      resolveDir: root,
    }));
  },
};

/**
 * plinth/testing is nearly all of Plinth, and every file of tests loads it anew: so it is a bundle that runs with code
 * compiled ahead, as the commands do. The client that a test is given is that of the modules of plinth/client, and so are
 * its errors; controllers, scheduler and nodes have theirs in the bundle.
 */
async function buildTesting(common, date) {
  const folder = 'require("node:url").pathToFileURL(require("node:path").join(__dirname, "../"))';
  await build({
    ...common,
    inject: [`${root}/scripts/node-globals.mjs`],
    entryPoints: { testing: TESTING },
    outExtension: { ".js": ".cjs" },
    format: "cjs",
    // The launcher compiles the text itself, where only require is at hand.
    supported: { "dynamic-import": false },
    plugins: [clientOutside, partsAtFirstUse, yamlAtFirstUse, preparedState(folder), yamlThread],
    // By which bin/load.cjs knows compiled code of this very bundle.
    banner: { js: `// Built ${date}` },
  });
  writeFileSync(`${common.outdir}/testing.js`, TESTING_MODULE);
  const { status } = spawnSync(process.execPath, [`${root}/scripts/write-testing-cache.mjs`, common.outdir], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0) console.error("no code of plinth/testing was compiled ahead: it takes a little longer to load");
}

const clientOutside = {
  name: "client-outside",
  setup(build) {
    build.onResolve({ filter: /\.ts$/ }, ({ path, resolveDir, importer, kind }) => {
      if (kind === "entry-point") return undefined;
      const file = relative(root, resolve(resolveDir, path));
      const isOutside = CLIENT_PARTS.includes(file) && (file !== TESTS_CLIENT || relative(root, importer) === TESTING);
      return isOutside ? { path: file, external: true } : undefined;
    });
  },
};

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
