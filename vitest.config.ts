import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { defineConfig, type Plugin } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const SOURCES = join(import.meta.dirname, "src");

/** Has tests import the modules of that folder for the sources that they are made of; see scripts/compile-sources.mjs. */
const compiledSources = (folder: string): Plugin => ({
  name: "compiled-sources",
  enforce: "pre",
  resolveId(path, importer) {
    if (importer === undefined || !path.endsWith(".ts")) return undefined;
    const file = resolve(dirname(importer), path);
    if (!isSource(file) || !mayShare(importer)) return undefined;
    return join(folder, relative(SOURCES, file).replace(/\.ts$/, ".mjs"));
  },
});

const isSource = (file: string) => file.startsWith(`${SOURCES}/`) && !/\.(?:test|testing)\.ts$/.test(file);

/** What a test wants to be loaded anew, or with something else in it, Vite has to load, and all that it imports. */
const mayShare = (importer: string) =>
  !isSource(importer) && !/\bvi\.(?:mock|doMock|resetModules)\(/.test(readFileSync(importer, "utf8"));

/**
 * Tests of what is held clear everything away again and again, which takes several times as long in a process that has run
 * many others: they come first. Then those of the whole, which take long, short as some of their files are: begun last they
 * would be waited for.
 */
class MemoryAndWholeFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const turnOf = ({ moduleId }: TestSpecification) => {
      if (looksAtMemory(moduleId)) return 0;
      return moduleId.startsWith(`${SOURCES}/`) ? 2 : 1;
    };
    return sorted.sort((a, b) => turnOf(a) - turnOf(b));
  }
}

const looksAtMemory = (file: string) =>
  /\bcollectGarbage\b|\/(?:memory|growth)\.testing\.ts"/.test(readFileSync(file, "utf8"));

const { TEST_SOURCES } = process.env;

export default defineConfig({
  plugins: TEST_SOURCES === undefined ? [] : [compiledSources(TEST_SOURCES)],
  resolve: {
    // Examples import the package as its users do.
    alias: {
      "plinth/client": new URL("src/client/index.ts", import.meta.url).pathname,
      "plinth/testing": new URL("src/testing/index.ts", import.meta.url).pathname,
    },
  },
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "examples/**/*.test.ts"],
    pool: "forks",
    // One more than cores: many tests wait for processes of their own.
    maxWorkers: 3,
    // What tests make is nearly all garbage: a larger young generation saves a tenth of the processor's time.
    execArgv: ["--max-semi-space-size=64"],
    isolate: false,
    sequence: { sequencer: MemoryAndWholeFirst },
    testTimeout: 60_000,
    setupFiles: ["test/patience.ts"],
    expect: { poll: { timeout: 15_000 } },
    // A machine may stand still for a while; what fails twice has failed. The end of the run names tests that needed it.
    retry: 1,
    hookTimeout: 120_000,
  },
});
