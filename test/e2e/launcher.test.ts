// The launcher: a bundle runs with and without compiled code of an earlier start, and never with another bundle's.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const LOADER = join(import.meta.dirname, "../../bin/load.cjs");
let dir: string;
let bundle: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "plinth-launcher-"));
  bundle = join(dir, "plinth.cjs");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const caches = () => readdirSync(dir).filter((name) => name.endsWith(".cache"));

/** As of a process that has been there for a while. */
function run(): string {
  return evaluate(`process.uptime = () => 1; process.stdout.write(loadBundle(${JSON.stringify(bundle)}).main())`);
}

/** As the build does. */
function keepCode(): void {
  evaluate(`writeCodeCache(({ main }) => void main(), ${JSON.stringify(bundle)})`);
}

function evaluate(script: string, env: Readonly<Record<string, string>> = {}): string {
  const loader = `const { loadBundle, writeCodeCache } = require(${JSON.stringify(LOADER)});`;
  return execFileSync(process.execPath, ["-e", `${loader} ${script}`], {
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
}

/** Another one where the file was written anew. */
const inode = (name: string) => statSync(join(dir, name)).ino;

/** As the build writes it, at this second. */
function write(text: string, second = 0): void {
  writeFileSync(bundle, `// Built 2030-01-01T00:00:0${second}.000Z\nexports.main = () => ${JSON.stringify(text)};\n`);
}

describe("the launcher", () => {
  it("runs with the code that was compiled when it was built", () => {
    write("one");
    keepCode();
    const before = caches().map(inode);
    expect(before).toHaveLength(1);
    expect(run()).toBe("one");
    expect(caches().map(inode)).toEqual(before);
  });

  it("leaves compiled code behind itself where the build has none for this version of Node", () => {
    write("one");
    expect(run()).toBe("one");
    const left = caches().map(inode);
    expect(left).toHaveLength(1);
    expect(run()).toBe("one");
    expect(caches().map(inode)).toEqual(left);
  });

  it("leaves none where the environment says so, or too little or too much has happened since the start", () => {
    write("one");
    const load = `loadBundle(${JSON.stringify(bundle)})`;
    evaluate(load, { NODE_DISABLE_COMPILE_CACHE: "1" });
    for (const seconds of [0.9, 300]) evaluate(`process.uptime = () => ${seconds}; ${load}`);
    expect(readdirSync(dir)).toEqual(["plinth.cjs"]);
    evaluate(`process.uptime = () => 0; loadBundle(${JSON.stringify(bundle)}, undefined, 0)`);
    expect(caches()).toHaveLength(1);
  });

  it("leaves it a second after a test has loaded it, which may be killed at its end", () => {
    write("one");
    const killed = `process.kill(process.pid, "SIGKILL")`;
    const later = "globalThis.setTimeout = (work, ms) => (ms === 1_000 && setImmediate(work), { unref() {} })";
    const load = `${later}; loadBundle(${JSON.stringify(bundle)}, {}); setImmediate(() => setImmediate(() => ${killed}))`;
    expect(() => evaluate(load)).toThrow();
    expect(caches()).toHaveLength(1);
  });

  it("runs where it may not leave any", () => {
    write("one");
    run();
    const [cache] = caches();
    rmSync(join(dir, cache!));
    // Not even root puts a file in the place of a folder.
    mkdirSync(join(dir, cache!));
    expect(run()).toBe("one");
    expect(readdirSync(dir).sort()).toEqual([cache, "plinth.cjs"].sort());
  });

  it("does not take the compiled code of a bundle of the same length", () => {
    write("one");
    keepCode();
    write("two", 1);
    expect(run()).toBe("two");
  });

  it("takes its compiled code also where it was installed, with other times", () => {
    write("one");
    keepCode();
    write("two");
    utimesSync(bundle, new Date(), new Date(Date.now() + 5_000));
    // V8 compares lengths alone.
    expect(run()).toBe("one");
  });

  it("takes no compiled code for a bundle that does not say when it was built", () => {
    writeFileSync(bundle, 'exports.main = () => "one";\n');
    expect([run(), caches()]).toEqual(["one", []]);
    keepCode();
    writeFileSync(bundle, 'exports.main = () => "two";\n');
    expect(run()).toBe("two");
  });

  it("runs without compiled code when it is damaged", () => {
    write("one");
    keepCode();
    writeFileSync(join(dir, caches()[0]!), "rubbish");
    expect(run()).toBe("one");
  });

  it("says what to do when nothing was built", () => {
    const script = `require(${JSON.stringify(LOADER)}).loadBundle(${JSON.stringify(bundle)})`;
    const { status, stderr } = spawnSync(process.execPath, ["-e", script], { encoding: "utf8" });
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^plinth: not built yet: run `npm run build`.*\n$/)]);
  });

  it("asks for one arena of memory for all threads, unless the environment says otherwise", () => {
    const tell = join(dir, "tell.cjs");
    writeFileSync(tell, "process.stdout.write(process.env.MALLOC_ARENA_MAX); process.exit();");
    const arenas = (env: Record<string, string>) =>
      execFileSync(join(import.meta.dirname, "../../bin/plinth"), {
        encoding: "utf8",
        env: { PATH: process.env["PATH"], NODE_OPTIONS: `--require=${tell}`, ...env },
      });
    expect([arenas({}), arenas({ MALLOC_ARENA_MAX: "4" })]).toEqual(["1", "4"]);
  });

  it("lets Node read further authorities only where pctl needs them from it, and shows them to all that it starts", () => {
    const tell = join(dir, "tell.cjs");
    const shown = "String(process.env.NODE_EXTRA_CA_CERTS)";
    writeFileSync(tell, `const first = ${shown}; process.on("exit", () => console.error(first, ${shown}));`);
    const told = (env: Record<string, string>, ...flags: string[]) =>
      spawnSync(join(import.meta.dirname, "../../bin/pctl"), ["config", "view", ...flags], {
        encoding: "utf8",
        env: { PATH: process.env["PATH"], HOME: dir, NODE_OPTIONS: `--require=${tell}`, ...env },
      }).stderr.trim();
    const extra = { NODE_EXTRA_CA_CERTS: "/etc/hostname" };
    expect([told({}), told(extra), told(extra, "--allow-urls")]).toEqual([
      "undefined undefined",
      "undefined /etc/hostname",
      expect.stringMatching(/\/etc\/hostname \/etc\/hostname$/),
    ]);
  });
});
