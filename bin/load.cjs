"use strict";
// Loads the bundle with V8's compiled code of an earlier start, which saves a quarter of the time to ready.
//
// The first start that lasts a few seconds leaves dist/plinth-<build>.cache behind. The name holds the bundle's time and
// size and Node's version, because V8 itself only compares lengths; a build removes the whole folder.

const { readFileSync, renameSync, statSync, writeFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { dirname, join } = require("node:path");
const { Script } = require("node:vm");

const WRAPPER = ["(function (exports, require, module, __filename, __dirname) { ", "\n})"];
/** Late enough that the functions of a running server are compiled, and nobody waits for the start any more. */
const CACHE_AFTER_MS = 5_000;

exports.loadBundle = function loadBundle(bundle = join(__dirname, "../dist/plinth.cjs"), cacheAfterMs = CACHE_AFTER_MS) {
  const info = statSync(bundle, { throwIfNoEntry: false });
  if (info === undefined) {
    process.stderr.write("plinth: not built yet: run npm run build (or npm start)\n");
    process.exit(1);
  }
  const cacheFile = join(dirname(bundle), `plinth-${Math.round(info.mtimeMs)}-${info.size}-${process.version}-${process.arch}.cache`);
  const cachedData = readOptional(cacheFile);
  const source = WRAPPER[0] + readFileSync(bundle, "latin1") + WRAPPER[1];
  const script = new Script(source, { filename: bundle, ...(cachedData === undefined ? {} : { cachedData }) });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(bundle), module, bundle, dirname(bundle));
  if (cachedData === undefined || script.cachedDataRejected) setTimeout(() => writeCache(script, cacheFile), cacheAfterMs).unref();
  return module.exports;
};

function writeCache(script, file) {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, script.createCachedData());
    renameSync(temporary, file);
  } catch {
    // A folder that cannot be written costs a little time at the next start, nothing else.
  }
}

function readOptional(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
