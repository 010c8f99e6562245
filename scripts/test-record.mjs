// A reporter for `npm test`: writes down what became of every test, names those that needed a second try, and ends a run
// that stands still. A test that never gives its process back, or a process that never ends, is ended by nothing else.

import { on, once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";

/** Short, and counted: where the whole machine stands still, that is one tick however long it takes. */
const TICK_MS = 10_000;
/** More than a test and its hooks may take, at both tries. */
const MAX_TICKS = Number(process.env.TEST_STILL_TICKS ?? 36);
const STACK_MS = 3_000;
const STACK_LINES = 15;
const record = process.env.TEST_RECORD;

export default class TestRecord {
  #tests = [];
  /** Files that have not ended, by whether they have begun. */
  #open = new Map();
  #ticks = 0;
  #reason;
  #stoodStill = false;

  onTestRunStart(specifications) {
    for (const { moduleId } of specifications) this.#open.set(moduleId, false);
    setInterval(() => void this.#tick(), TICK_MS).unref();
  }

  onTestModuleQueued({ moduleId }) {
    this.#open.set(moduleId, true);
  }

  onTestCaseResult(test) {
    this.#ticks = 0;
    const { state, errors = [] } = test.result();
    const isFlaky = test.diagnostic()?.flaky === true;
    this.#tests.push({ file: test.module.moduleId, name: test.fullName, state, isFlaky, why: errors[0]?.message });
  }

  onTestModuleEnd(module) {
    if (this.#stoodStill) return;
    this.#ticks = 0;
    this.#open.delete(module.moduleId);
    for (const { message } of module.errors()) {
      this.#tests.push({ file: module.moduleId, name: "(as a whole)", state: "failed", why: message });
    }
  }

  onTestRunEnd(_modules, _unhandled, reason) {
    if (this.#stoodStill) return;
    this.#ticks = 0;
    this.#reason = reason;
    this.#write();
    const flaky = this.#tests.filter(({ isFlaky }) => isFlaky);
    for (const { file, name } of flaky) console.log(`second try: ${relative(process.cwd(), file)}: ${name}`);
    if (flaky.length === 0) console.log("second try: nothing");
  }

  #write() {
    writeFileSync(record, JSON.stringify({ tests: this.#tests, unfinished: [...this.#open.keys()] }));
  }

  async #tick() {
    if (++this.#ticks < MAX_TICKS || this.#stoodStill) return;
    this.#stoodStill = true;
    const begun = [...this.#open].filter(([, hasBegun]) => hasBegun).map(([file]) => file);
    console.log(
      `\nnothing has ended for ${(MAX_TICKS * TICK_MS) / 1_000} s; under way: ${begun.join(" ") || "no file"}`,
    );
    this.#write();
    // Whatever comes of it: a process may have gone meanwhile.
    await showStacks().catch((error) => console.log(String(error)));
    // Where every test has passed, only a process was left over.
    process.exit(this.#reason === "passed" ? 0 : 1);
  }
}

/** What the test processes are doing: an inspector looks into a busy process too. All of them take the same port. */
async function showStacks() {
  for (const pid of children()) {
    process.kill(pid, "SIGUSR1");
    const stack = await Promise.race([stackOf().catch(String), sleep(STACK_MS, "waits: it runs nothing")]);
    console.log(`process ${pid}: ${stack}`);
    process.kill(pid, "SIGKILL");
    await sleep(500);
  }
}

async function stackOf() {
  await sleep(500);
  const [{ webSocketDebuggerUrl }] = await (await fetch("http://127.0.0.1:9229/json")).json();
  const inspector = new WebSocket(webSocketDebuggerUrl);
  await once(inspector, "open");
  for (const [id, method] of ["Debugger.enable", "Debugger.pause"].entries())
    inspector.send(JSON.stringify({ id, method }));
  const files = new Map();
  for await (const [data] of on(inspector, "message")) {
    const { method, params } = JSON.parse(data);
    if (method === "Debugger.scriptParsed") files.set(params.scriptId, params.url.replace("file://", ""));
    if (method !== "Debugger.paused") continue;
    const frames = params.callFrames.slice(0, STACK_LINES);
    return frames
      .map(({ functionName, location: at }) => `${functionName} ${files.get(at.scriptId)}:${at.lineNumber + 1}`)
      .join("\n  ");
  }
}

function children() {
  const file = `/proc/${process.pid}/task/${process.pid}/children`;
  return existsSync(file) ? readFileSync(file, "utf8").split(" ").map(Number).filter(isNode) : [];
}

function isNode(pid) {
  return pid > 0 && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("vitest");
}
