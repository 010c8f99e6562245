// The scripts of `pctl completion`, in the shells that they are for: a line is typed in a real terminal and completed by
// the Tab key. A shell that is not installed is skipped.

import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type CliServer, startCliServer } from "../../src/cli/cli.testing.ts";
import { ROOT } from "../house/sources.testing.ts";

/** `script` gives a shell its terminal. */
const PSEUDO_TERMINAL = "script";
/** Until a shell has an answer. */
const PATIENCE_MS = 30_000;
const isInstalled = (program: string): boolean => spawnSync(program, ["--version"]).status === 0;
const skipUnless = (...programs: readonly string[]) => {
  const missing = programs.find((program) => !isInstalled(program));
  return { missing: missing !== undefined, note: missing === undefined ? "" : ` (skipped: no ${missing} here)` };
};

/** What is typed, and what stands there after the Tab key. */
const LINES: readonly (readonly [typed: string, completed: string])[] = [
  ["pctl api-r", "pctl api-resources "],
  ["pctl rollout st", "pctl rollout status "],
  ["pctl get configm", "pctl get configmaps "],
  ["pctl get cm on", "pctl get cm only-one "],
  ["pctl describe cm/on", "pctl describe cm/only-one "],
  ["pctl get clusterroles shop:r", "pctl get clusterroles shop:reader "],
  ["pctl get --show-man", "pctl get --show-managed-fields "],
  ["pctl get --field-s", "pctl get --field-selector="],
  ["pctl get cm -n sh", "pctl get cm -n shop "],
  ["pctl get cm --namespace=sh", "pctl get cm --namespace=shop "],
  ["pctl -n shop get cm in", "pctl -n shop get cm inside "],
  ["pctl get -l 'a in (b)' cm on", "pctl get -l 'a in (b)' cm only-one "],
  ["pctl config use-context ", "pctl config use-context c "],
];

let server: CliServer;
let env: Record<string, string>;
beforeAll(async () => {
  server = await startCliServer("platform");
  for (const line of ["create cm only-one", "create ns shop", "-n shop create cm inside"])
    expect(await server.run(line)).toMatchObject({ code: 0, err: "" });
  await server.run("create clusterrole shop:reader --verb=get --resource=pods");
  env = { ...server.env, PATH: `${join(ROOT, "bin")}:${server.env["PATH"]}`, TERM: "xterm" };
});
afterAll(() => server.close());

/** Each shows its line when Ctrl-G is typed, between signs that nothing else writes. */
describe.each([
  {
    shell: "bash",
    start: "bash --norc --noprofile -i",
    load: `source <(pctl completion bash); bind -x '"\\C-g": printf "[[%s]]" "$READLINE_LINE"'`,
  },
  {
    shell: "zsh",
    start: "zsh -f -i",
    load:
      "autoload -U compinit; compinit -u -D; source <(pctl completion zsh); " +
      `show() { printf "[[%s]]" "$BUFFER" }; zle -N show; bindkey "^g" show`,
  },
])("pctl in $shell", ({ shell, start, load }) => {
  const { missing, note } = skipUnless(shell, PSEUDO_TERMINAL);
  let typist: Typist | undefined;
  beforeAll(async () => {
    if (missing) return;
    typist = new Typist(start, env);
    await typist.seen(`${load}; printf '[[%s]]' ready\n`, "ready");
  });
  afterAll(() => typist?.close());

  it.skipIf(missing).each(LINES)(`completes %j${note}`, async (typed, completed) => {
    // Then everything before the cursor is taken away.
    expect(await typist?.seen(`${typed}\t\x07\x15`)).toBe(completed);
  });
});

const fish = skipUnless("fish");
describe("fish", () => {
  /** What may come in the place of the last word, line for line. */
  let offered: readonly string[] = [];
  beforeAll(async () => {
    if (fish.missing) return;
    const script = 'pctl completion fish | source; for line in $argv; complete -C $line; echo "[[]]"; end';
    const lines = LINES.map(([typed]) => typed);
    const { stdout } = await promisify(execFile)("fish", ["--no-config", "-c", script, ...lines], { env });
    offered = stdout.split("[[]]\n");
  });

  it.skipIf(fish.missing).each(LINES.map((line, index) => [...line, index] as const))(
    `completes %j${fish.note}`,
    (_typed, completed, index) => {
      expect(offered[index]?.trimEnd().split("\n")).toEqual([completed.trimEnd().split(" ").at(-1)]);
    },
  );
});

/** Somebody at a terminal in which a shell runs. */
class Typist {
  readonly #shell: ChildProcess;
  #shown = "";

  constructor(start: string, env: Record<string, string>) {
    this.#shell = spawn(PSEUDO_TERMINAL, ["-qec", start, "/dev/null"], { env, stdio: ["pipe", "pipe", "ignore"] });
    this.#shell.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#shown += text;
    });
  }

  /** Types, and reads what comes between the signs; only this, where it is known. */
  async seen(keys: string, wanted = "[^%]*?"): Promise<string | undefined> {
    const begin = this.#shown.length;
    this.#shell.stdin?.write(keys);
    const between = new RegExp(`\\[\\[(${wanted})\\]\\]`);
    await vi.waitFor(() => expect(this.#shown.slice(begin)).toMatch(between), { timeout: PATIENCE_MS });
    return between.exec(this.#shown.slice(begin))?.[1];
  }

  close(): void {
    this.#shell.kill("SIGKILL");
  }
}
