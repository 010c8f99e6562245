// `npm test`: sets up what is missing, then types, style and every test. Says what could not run, and why.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { buildIfNeeded, installIfNeeded, root } from "./project.mjs";

const APT_TIMEOUT_MS = 180_000;
const MAX_FILES_AGAIN = 3;

installIfNeeded();
await buildIfNeeded();
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
];
const skipped = [];
for (const [tests, tools] of NEEDED) {
  const missing = tools.filter(([tool]) => !installed(tool)).map(([, name]) => name);
  if (missing.length === 0) continue;
  const problem = install(missing);
  if (problem !== undefined) skipped.push(`${tests}: ${problem}`);
}

const report = join(root, "dist/test-report.json");
const tool = (name) => join(root, "node_modules/.bin", name);
const failed = [
  check("types", tool("tsc"), ["--noEmit"]),
  check("style", tool("biome"), ["check", "."]),
  checkTests("tests", process.argv.slice(2)),
].filter((name) => name !== undefined);
skipped.push(...testsThat(({ status }) => status !== "passed" && status !== "failed"));
const failures = testsThat(({ status }) => status === "failed");
if (failed.includes("tests") && passAlone()) failed.splice(failed.indexOf("tests"), 1);

for (const what of skipped) console.log(`skipped: ${what}`);
if (skipped.length === 0) console.log("skipped: nothing");
// Last, where a log that is cut short still shows them.
for (const what of failures) console.log(`${failed.includes("tests") ? "failed" : "second try, alone"}: ${what}`);
console.log(failed.length === 0 ? "all is well" : `failed: ${failed.join(", ")}`);
process.exit(failed.length === 0 ? 0 : 1);

function check(name, command, args) {
  console.log(`\n== ${name}`);
  const { status } = spawnSync(command, args, { cwd: root, stdio: "inherit", env: lightEnvironment() });
  return status === 0 ? undefined : name;
}

function checkTests(name, args) {
  rmSync(report, { force: true });
  return check(name, tool("vitest"), [
    "run",
    "--reporter=default",
    "--reporter=json",
    `--reporter=${join(root, "scripts/second-tries.mjs")}`,
    `--outputFile.json=${report}`,
    ...args,
  ]);
}

/**
 * Whether the few files that failed hold by themselves, with nothing left of what ran before them. The end of the run
 * names them: they are not green, but they do not say that what was changed is wrong.
 */
function passAlone() {
  if (!existsSync(report)) return false;
  const { testResults } = JSON.parse(readFileSync(report, "utf8"));
  const files = testResults.filter(({ status }) => status === "failed").map(({ name }) => relative(root, name));
  if (files.length === 0 || files.length > MAX_FILES_AGAIN) return false;
  return checkTests("tests that failed, alone", files) === undefined;
}

/** Tests of the run by their outcome; the name of one that stands aside says why. What failed says how. */
function testsThat(match) {
  if (!existsSync(report)) return [];
  const { testResults } = JSON.parse(readFileSync(report, "utf8"));
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.filter(match).map(({ fullName, failureMessages }) => {
      const [why] = (failureMessages[0] ?? "").split("\n", 1);
      return `${relative(root, name)}: ${fullName}${why === "" ? "" : `: ${why.slice(0, 300)}`}`;
    }),
  );
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

/** Extra authorities triple the start of every Node process and no test needs them. */
function lightEnvironment() {
  const { NODE_EXTRA_CA_CERTS: _, ...rest } = process.env;
  return rest;
}
