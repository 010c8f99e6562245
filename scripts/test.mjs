// `npm test`: sets up what is missing, then types, style and every test. Says what could not run, and why.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { compileSources } from "./compile-sources.mjs";
import { buildIfNeeded, installIfNeeded, root } from "./project.mjs";

const APT_TIMEOUT_MS = 180_000;
/** More than one, where whoever lends the processor takes it away for minutes. */
const MAX_FILES_AGAIN = 6;
/** Of the processor's time, where all of it is in use: threads of a checker learn the same each for itself. */
const FRUGAL_TYPES = { GOGC: "off", GOMEMLIMIT: "2GiB" };
const FRUGAL_STYLE = { BIOME_THREADS: "1" };
/** A backstop: a run that stands still ends itself and says where. */
const MAX_RUN_MS = 60 * 60_000;

installIfNeeded();
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));
const record = join(root, "dist/test-record.json");
const tool = (name) => join(root, "node_modules/.bin", name);
// Beside each other, and from the start: a build leaves a core idle most of the time, and neither looks at what it makes.
const checks = [
  check("types", tool("tsc"), ["--noEmit", "--singleThreaded"], FRUGAL_TYPES),
  check("style", tool("biome"), ["check", "."], FRUGAL_STYLE),
];
await buildIfNeeded();
const sources = await compileSources();
// What tests run against, and the packages of it; in which tests, where it cannot be installed.
const NEEDED = [
  ["everything on a real etcd", [["etcd", "etcd-server"]]],
  [
    "everything in real containers",
    [
      ["containerd", "containerd"],
      ["runc", "runc"],
      ["busybox", "busybox-static"],
      ["/usr/lib/cni/bridge", "containernetworking-plugins"],
      ["ip", "iproute2"],
      ["iptables", "iptables"],
      ["nft", "nftables"],
      ["conntrack", "conntrack"],
    ],
  ],
  [
    "completion of pctl in these shells",
    [
      ["zsh", "zsh"],
      ["fish", "fish"],
    ],
  ],
];
const skipped = [];
for (const [tests, tools] of NEEDED) {
  const missing = tools.filter(([tool]) => !installed(tool)).map(([, name]) => name);
  if (missing.length === 0) continue;
  const problem = install(missing);
  if (problem !== undefined) skipped.push(`${tests}: ${problem}`);
}

checks.push(checkTests("tests", process.argv.slice(2)));
const failed = (await Promise.all(checks)).filter((name) => name !== undefined);
const { tests, unfinished } = readRecord();
skipped.push(...tests.filter(({ state }) => state === "skipped").map(told));
const failures = [...tests.filter(({ state }) => state === "failed").map(told), ...unfinished.map(unfinishedTold)];
if (failed.includes("tests") && (await passAlone())) failed.splice(failed.indexOf("tests"), 1);

for (const what of skipped) console.log(`skipped: ${what}`);
if (skipped.length === 0) console.log("skipped: nothing");
// Last, where a log that is cut short still shows them.
for (const what of failures) console.log(`${failed.includes("tests") ? "failed" : "second try, alone"}: ${what}`);
console.log(failed.length === 0 ? "all is well" : `failed: ${failed.join(", ")}`);
process.exit(failed.length === 0 ? 0 : 1);

async function check(name, command, args, settings) {
  console.log(`\n== ${name}`);
  // A process group of its own: nothing that a run started outlives it.
  const child = spawn(command, args, {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...environment(), ...settings },
    detached: true,
  });
  const stop = () => endGroup(child.pid);
  process.on("exit", stop);
  const tooLong = setTimeout(stop, MAX_RUN_MS);
  const [status] = await once(child, "exit");
  clearTimeout(tooLong);
  process.off("exit", stop);
  stop();
  return status === 0 ? undefined : name;
}

function endGroup(pid) {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nobody of it is left.
  }
}

function checkTests(name, args) {
  rmSync(record, { force: true });
  const reporters = ["--reporter=default", `--reporter=${join(root, "scripts/test-record.mjs")}`];
  const settings = { TEST_RECORD: record, TEST_SOURCES: sources };
  return check(name, tool("vitest"), ["run", ...reporters, ...args], settings);
}

/**
 * Whether the few files that failed, and those that never ended, hold by themselves, with nothing left of what ran before
 * them. The end of the run names them: they are not green, but they do not say that what was changed is wrong.
 */
async function passAlone() {
  const files = new Set(tests.filter(({ state }) => state === "failed").map(({ file }) => file));
  if (files.size > MAX_FILES_AGAIN) return false;
  for (const file of unfinished) files.add(file);
  if (files.size === 0) return false;
  return (await checkTests("tests that failed, alone", [...files])) === undefined;
}

function readRecord() {
  return existsSync(record) ? JSON.parse(readFileSync(record, "utf8")) : { tests: [], unfinished: [] };
}

/** The name of a test that stands aside says why; what failed says how. */
function told({ file, name, why = "" }) {
  const [line] = why.split("\n", 1);
  return `${relative(root, file)}: ${name}${line === "" ? "" : `: ${line.slice(0, 300)}`}`;
}

function unfinishedTold(file) {
  return `${relative(root, file)}: it did not end`;
}

/** Why the packages are not there; undefined when they are now. */
function install(packages) {
  const list = packages.join(" ");
  if (!installed("apt-get")) return `this system has no apt-get to install ${list} with`;
  if (process.getuid?.() !== 0) return `as root, this script would install ${list}`;
  console.log(`installing ${list} for the tests ...`);
  const apt = (args) =>
    spawnSync("apt-get", ["-qq", "-y", ...args], {
      timeout: APT_TIMEOUT_MS,
      stdio: "ignore",
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    }).status === 0;
  const add = () => apt(["install", "--no-install-recommends", ...packages]);
  if (add()) return undefined;
  apt(["update"]);
  return add() ? undefined : `${list} could not be installed`;
}

function installed(command) {
  return spawnSync("sh", ["-c", `command -v ${command}`], { stdio: "ignore" }).status === 0;
}

function environment() {
  // Extra authorities triple the start of every Node process and no test needs them.
  const { NODE_EXTRA_CA_CERTS: _, ...rest } = process.env;
  return rest;
}
