"use strict";
// Loads a bundle with the code that V8 compiled of it when it was built, which saves a quarter of the time to ready.
//
// The name of the cache holds when the bundle was built, as its first line says, its size and Node's version, because V8
// itself only compares lengths; not the file's own time, which is another one where a package was installed. The build writes
// it, and where another version of Node runs than did then, the first process that ends: a server that has handed out its
// compiled code runs several times slower from then on.

const { closeSync, openSync, readFileSync, readSync, renameSync, rmSync, statSync, writeFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { basename, dirname, join } = require("node:path");
const { Script } = require("node:vm");

const BUNDLE = join(__dirname, "../dist/plinth.cjs");
/** As the build writes it, behind the wrapper. */
const FIRST_LINE = /^[^\n]{0,80}\/\/ Built (\S{1,40})\n/;
/** Who has lived shorter has hardly begun; of who has lived longer, V8 has forgotten the code of the start. */
const LIFE_S = { least: 1, most: 300 };
/** By then a test has its first control plane. */
const TEST_BEGUN_MS = 1_000;
const WRAPPER = ["(function (exports, require, module, __filename, __dirname) { ", "\n})"];

/** `parts` are modules that the bundle requires by these names, beside those that Node finds. */
exports.loadBundle = function loadBundle(bundle = BUNDLE, parts = undefined, leastLifeS = LIFE_S.least) {
  const compiled = compile(bundle, parts !== undefined);
  if (compiled.hasNoCache && process.env.NODE_DISABLE_COMPILE_CACHE === undefined) {
    const keep = once(() => keepCode(compiled));
    process.once("exit", () => {
      if (process.uptime() >= leastLifeS && process.uptime() < LIFE_S.most) keep();
    });
    // Who runs tests often kills their process at its end; what they start is as quick afterwards as before.
    if (parts !== undefined) setTimeout(keep, TEST_BEGUN_MS).unref();
  }
  return run(compiled, parts);
};

/** Runs the bundle through `warmUp`, and leaves what V8 has compiled by then for later starts. */
exports.writeCodeCache = async function writeCodeCache(warmUp, bundle = BUNDLE, parts = undefined) {
  const compiled = compile(bundle);
  await warmUp(run(compiled, parts));
  keepCode(compiled);
};

function keepCode({ script, cacheFile }) {
  const temporary = `${cacheFile}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, script.createCachedData());
    renameSync(temporary, cacheFile);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** The first time, and whatever comes of it: who may not write where it was installed starts without, as before. */
function once(work) {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    try {
      work();
    } catch {}
  };
}

function compile(bundle, inTest = false) {
  const info = statSync(bundle, { throwIfNoEntry: false });
  if (info === undefined) {
    const hint = "run `npm run build` first, or `npm start`, which builds by itself";
    process.stderr.write(`${basename(bundle, ".cjs")}: not built yet: ${hint}\n`);
    process.exit(1);
  }
  const bytes = wrapped(bundle, info.size);
  const source = inTest ? joined(bytes) : bytes.latin1Slice();
  const built = FIRST_LINE.exec(source)?.[1]?.replaceAll(/\D/g, "");
  const name = `${basename(bundle, ".cjs")}-${built}-${info.size}-${process.version}-${process.arch}.cache`;
  const cacheFile = join(dirname(bundle), name);
  // Of a bundle that does not say when it was built, nobody knows whose code it is.
  const cachedData = built === undefined ? undefined : readOptional(cacheFile);
  // Compiled code keeps the name for stack traces: a folder would be that of whoever built it.
  const filename = `plinth/${basename(bundle)}`;
  const script = new Script(source, { filename, ...(cachedData === undefined ? {} : { cachedData }) });
  return { bundle, script, cacheFile, hasNoCache: built !== undefined && cachedData === undefined };
}

/** Wrapped while it is read: as texts that are joined, it would be there twice until everything is collected. */
function wrapped(bundle, sizeBytes) {
  const [head, tail] = WRAPPER.map((text) => Buffer.from(text));
  const bytes = Buffer.allocUnsafeSlow(head.length + sizeBytes + tail.length);
  head.copy(bytes);
  const file = openSync(bundle);
  try {
    readSync(file, bytes, head.length, sizeBytes, 0);
  } finally {
    closeSync(file);
  }
  tail.copy(bytes, head.length + sizeBytes);
  return bytes;
}

/** What Node keeps outside of V8's heap is longer. */
const PIECE_BYTES = 1_000_000;

/**
 * The text within V8's heap, of pieces that are there until everything is collected. They make V8's young generation grow
 * before a test starts its control plane, which takes 18 ms less then: it is collected three times instead of nine, and
 * nothing else is.
 */
function joined(bytes) {
  const pieces = [];
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) pieces.push(bytes.toString("latin1", at, at + PIECE_BYTES));
  return pieces.join("");
}

function run({ bundle, script }, parts) {
  const module = { exports: {} };
  const found = createRequire(bundle);
  const required = parts === undefined ? found : (name) => (Object.hasOwn(parts, name) ? parts[name] : found(name));
  script.runInThisContext()(module.exports, required, module, bundle, dirname(bundle));
  return module.exports;
}

function readOptional(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
