// Bundles each program into one file, dist/plinth.cjs and dist/pctl.cjs, that bin/load.cjs runs with code compiled ahead.
// Parts that a command does not need stay uncompiled in it. dist/scheduler-thread.cjs is a thread of the first.

import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire, isBuiltin } from "node:module";
import { basename, dirname } from "node:path";
import { installIfNeeded, root } from "./project.mjs";

export async function buildProject() {
  const outdir = `${root}/dist`;
  rmSync(outdir, { recursive: true, force: true });
  // Loaded when it is surely there.
  const { build } = await import("esbuild");
  await build(buildOptions(outdir));
  if (!ranScript("write-first-state.cjs"))
    console.error("nothing was prepared for new stores: a first start takes longer");
  if (!ranScript("write-code-cache.cjs"))
    console.error("no code was compiled ahead: every start takes a little longer");
}

const ranScript = (name) => spawnSync(process.execPath, [`${root}/scripts/${name}`], { stdio: "ignore" }).status === 0;

export function buildOptions(outdir) {
  const { define, date } = versionDefinition();
  return {
    absWorkingDir: root,
    entryPoints: {
      plinth: "src/cmd/plinth.ts",
      pctl: "src/cli/pctl.ts",
      "scheduler-thread": "src/cmd/scheduler-thread/thread-main.ts",
    },
    outdir,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    inject: [`${root}/scripts/node-globals.mjs`],
    format: "cjs",
    platform: "node",
    target: "node20",
    // The launcher compiles the text itself, where only require is at hand.
    supported: { "dynamic-import": false },
    sourcemap: true,
    sourcesContent: false,
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "linked",
    plugins: [
      partsAtFirstUse,
      storeInside,
      preparedState('require("node:url").pathToFileURL(__dirname + "/")'),
      yamlThread,
      schedulerThread('require("node:path").join(__dirname, "scheduler-thread.cjs")'),
    ],
    define,
    // By which bin/load.cjs knows compiled code of this very bundle.
    banner: { js: `// Built ${date}` },
    logLevel: "warning",
  };
}

const requireHere = createRequire(import.meta.url);

/** What few need and every start would wait for: each part is loaded when something of it is used. */
export const partsAtFirstUse = {
  name: "parts-at-first-use",
  setup(build) {
    loadAtFirstUse(
      build,
      /^(?:(?:node:)?(?:child_process|dns\/promises|fs\/promises|https|inspector\/promises|worker_threads|zlib)|pino|re2js|ws)$/,
    );
    const namespace = AT_FIRST_USE;
    // Of the log, which asks it only when it ends.
    build.onResolve({ filter: /^assert$/ }, ({ path, namespace: from }) =>
      from === namespace ? { path, external: true } : { path, namespace },
    );
    build.onLoad({ filter: /^assert$/, namespace }, () => ({
      contents: 'module.exports = (...values) => require("assert")(...values);',
    }));
  },
};

/** For those who hardly ever read YAML: whoever reads much of it asks for its words again and again. */
export const yamlAtFirstUse = {
  name: "yaml-at-first-use",
  setup: (build) => loadAtFirstUse(build, /^js-yaml$/),
};

const AT_FIRST_USE = "at-first-use";

function loadAtFirstUse(build, filter) {
  const namespace = AT_FIRST_USE;
  build.onResolve({ filter }, ({ path, namespace: from }) => {
    if (from !== namespace) return { path, namespace };
    return isBuiltin(path) ? { path, external: true } : undefined;
  });
  build.onLoad({ filter, namespace }, ({ path }) => {
    const names = JSON.stringify(Object.keys(requireHere(path)));
    return {
      contents:
        `let loaded;\nconst part = () => (loaded ??= require("${path}"));\n` +
        `for (const name of ${names}) Object.defineProperty(exports, name, { enumerable: true, get: () => part()[name] });`,
      resolveDir: root,
    };
  });
}

/**
 * The JavaScript of LMDB belongs to the bundle, and so to what is compiled ahead; its native code stays where npm put it.
 * The values of the store are bytes: the encoder that LMDB would load for others takes longer than all the rest of it.
 */
const storeInside = {
  name: "store-inside",
  setup(build) {
    const replaced = {
      msgpackr: 'export class Encoder { constructor() { throw new Error("the store knows bytes only"); } }',
      "lmdb-place": 'export const place = require("node:url").pathToFileURL(require.resolve("lmdb")).href;',
    };
    build.onResolve({ filter: /^(?:msgpackr|lmdb-place)$/ }, ({ path }) => ({ path, namespace: "store-inside" }));
    build.onLoad({ filter: /^/, namespace: "store-inside" }, ({ path }) => ({
      contents: replaced[path],
      resolveDir: root,
    }));
    build.onResolve({ filter: /^lmdb$/ }, ({ path, kind }) =>
      kind === "require-resolve" ? { path, external: true } : undefined,
    );
    build.onLoad({ filter: /\/lmdb\/(?:native|node-index)\.js$/ }, async ({ path }) => {
      const text = (await readFile(path, "utf8")).replaceAll("import.meta.url", "place");
      return { contents: `import { place } from "lmdb-place";\n${text}` };
    });
  },
};

/** By the folder of a module and its functions, the files of dist, one for each dialect. */
const PREPARED_FILES = {
  bootstrap: { readPreparedState: "first-state" },
  testing: { readPreparedState: "controllers-state", readPreparedNodes: "nodes-state" },
};

/** What new stores begin with stands in files of dist. `folder` is an expression of the bundle, for the URL of that folder. */
export const preparedState = (folder) => ({
  name: "prepared-state",
  setup(build) {
    build.onLoad({ filter: /\/prepared-state\.ts$/ }, ({ path }) => {
      const reader = ([name, file]) => `
        export function ${name}(dialect) {
          try {
            return readFileSync(new URL(\`${file}-\${dialect}\`, ${folder}));
          } catch {
            return undefined;
          }
        }`;
      const readers = Object.entries(PREPARED_FILES[basename(dirname(path))]).map(reader);
      return { contents: ['import { readFileSync } from "node:fs";', ...readers].join("\n"), resolveDir: root };
    });
  },
});

/** The program of the thread for long YAML is a text in the bundle: there is no file to look for. */
export const yamlThread = {
  name: "yaml-thread",
  setup(build) {
    build.onLoad({ filter: /\/yaml-thread-program\.ts$/ }, async () => {
      const text = JSON.stringify(await yamlThreadProgram(build.esbuild));
      return { contents: `export const yamlThreadProgram = ${text};` };
    });
  },
};

async function yamlThreadProgram({ build }) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ["src/registry/encoding/yaml-thread-main.ts"],
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node20",
    minify: true,
    write: false,
  });
  return outputFiles[0].text;
}

/** The program of the scheduler's thread is a file of dist, which few processes load. `path` is an expression of the bundle. */
export const schedulerThread = (path) => ({
  name: "scheduler-thread",
  setup(build) {
    build.onLoad({ filter: /\/scheduler-thread\/program\.ts$/ }, () => ({
      contents: `export const schedulerThreadProgram = ${path};`,
    }));
  },
});

/** What the sources know of the build that they are in. */
export function versionDefinition() {
  const { version } = JSON.parse(readFileSync(`${root}/package.json`, "utf8"));
  const date = new Date().toISOString();
  return { date, define: { PLINTH_BUILD: JSON.stringify({ version, commit: commit(), date }) } };
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

if (process.argv[1] === new URL(import.meta.url).pathname) {
  installIfNeeded();
  await buildProject();
}
