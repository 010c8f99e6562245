// kill -9 at any moment under concurrent writers: no acknowledged write is lost, the revision never moves back, and a
// watch that resumes at the last revision seen has neither gap nor repeat.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openLmdbEngine } from "../../src/storage/lmdb-engine.ts";
import { bundleChild, startChild } from "./bundled-child.ts";

const KILLS = 40;
/** Every so often the child is killed while it is still opening the store. */
const EARLY_KILL_EVERY = 6;
const MAX_LINES_BEFORE_KILL = 400;
const SEED = 20_240_601;

describe("the LMDB engine under kill -9", () => {
  let base: string;
  let script: string;
  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), "plinth-kill-"));
    script = await bundleChild("lmdb-writer.child.ts");
  });
  afterAll(async () => {
    await rm(base, { recursive: true, force: true });
    await rm(script, { force: true });
  });

  it(`loses nothing in ${KILLS} kills`, { timeout: 180_000 }, async () => {
    const dir = join(base, "data");
    const random = seededRandom(SEED);
    const history = new History();
    for (let generation = 0; generation < KILLS; generation++) {
      await runUntilKilled(script, dir, history, generation, random);
    }

    expect(history.acknowledged).toBeGreaterThan(KILLS * 10);
    const engine = await openLmdbEngine({ dir, identity: "robustness" });
    history.reopened(await engine.currentRevision());
    const resumed = new AbortController();
    const sink = {
      change: (change: { revision: number; type: string; key: string; value: Uint8Array | undefined }) => {
        const value = change.value === undefined ? "" : ` ${Buffer.from(change.value).toString("latin1")}`;
        history.saw(change.revision, `${change.type} ${change.key}${value}`);
      },
      progress: () => resumed.abort(),
    };
    const watching = engine.watch("/", history.lastSeen, sink, resumed.signal);
    await engine.requestProgress();
    await watching;

    history.expectAllAcknowledgedSeen();
    const { entries } = await engine.list("/");
    const stored = entries.map(
      (entry) => `${entry.key} ${Buffer.from(entry.value).toString("latin1")}@${entry.revision}`,
    );
    expect(stored).toEqual(history.state());
    await engine.close();
  });
});

/** Runs one life of the writer and kills it after some lines, or soon after its start. */
async function runUntilKilled(
  script: string,
  dir: string,
  history: History,
  generation: number,
  random: () => number,
): Promise<void> {
  const killsEarly = generation % EARLY_KILL_EVERY === EARLY_KILL_EVERY - 1;
  const linesBeforeKill = Math.ceil(random() * MAX_LINES_BEFORE_KILL);
  let lines = 0;
  const kill = () => child.process.kill("SIGKILL");
  const child = startChild(script, [dir, String(history.lastSeen), String(generation)], (line) => {
    history.take(line);
    if (++lines === linesBeforeKill) kill();
  });
  if (killsEarly) setTimeout(kill, Math.ceil(random() * 120));
  const { stderr } = await child.ended;
  expect(stderr).toBe("");
  expect(child.process.signalCode).toBe("SIGKILL");
}

/** Everything that was acknowledged and seen, over all lives of the writer. */
class History {
  readonly #acknowledged = new Map<number, string>();
  readonly #seen = new Map<number, string>();
  #lastSeen = 1;
  #newest = 1;

  get lastSeen(): number {
    return this.#lastSeen;
  }

  get acknowledged(): number {
    return this.#acknowledged.size;
  }

  take(line: string): void {
    const [what, revision, ...rest] = line.split(" ");
    if (what === "open") this.reopened(Number(revision));
    else if (what === "ack") this.#acknowledge(Number(revision), rest.join(" "));
    else if (what === "saw") this.saw(Number(revision), rest.join(" "));
    else throw new Error(`the writer said: ${line}`);
  }

  reopened(revision: number): void {
    expect(revision).toBeGreaterThanOrEqual(this.#newest);
    this.#newest = revision;
  }

  /** The counter has no holes, so a gap or a repeat shows in the number alone. */
  saw(revision: number, change: string): void {
    expect(revision).toBe(this.#lastSeen + 1);
    this.#lastSeen = revision;
    this.#newest = Math.max(this.#newest, revision);
    this.#seen.set(revision, change);
  }

  expectAllAcknowledgedSeen(): void {
    for (const [revision, change] of this.#acknowledged) expect(this.#seen.get(revision)).toBe(change);
  }

  /** What the changes add up to, as "key value@revision" in key order. */
  state(): string[] {
    const state = new Map<string, string>();
    for (const [revision, change] of this.#seen) {
      const [type, key = "", value] = change.split(" ");
      if (type === "put") state.set(key, `${key} ${value}@${revision}`);
      else state.delete(key);
    }
    return [...state.values()].sort();
  }

  #acknowledge(revision: number, change: string): void {
    expect(this.#acknowledged.has(revision)).toBe(false);
    this.#acknowledged.set(revision, change);
    this.#newest = Math.max(this.#newest, revision);
  }
}

function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
