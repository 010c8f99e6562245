// Programs in PATH that are commands of pctl.

import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runPctl } from "./pctl.ts";
import { findPlugin } from "./plugins.ts";
import type { Terminal } from "./session.ts";

let root: string;
let told: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pctl-plugins-"));
  told = join(root, "told");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A program that tells its name and words, and ends with code 3. */
function program(folder: string, name: string, mode = 0o755): string {
  const file = join(root, folder, name);
  mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(file, `#!/bin/sh\necho "${name} $*" > ${told}\nexit 3\n`);
  chmodSync(file, mode);
  return file;
}

async function pctl(line: string, folders = ["a", "b"]) {
  const written = { out: "", err: "" };
  const terminal: Terminal = {
    env: { HOME: root, KUBECONFIG: "/dev/null", PATH: [...folders.map((each) => join(root, each)), "/bin"].join(":") },
    readInput: async () => Buffer.from(""),
    write: (text) => {
      written.out += text;
    },
    writeError: (text) => {
      written.err += text;
    },
    openInput: () => {
      throw new Error("nobody types");
    },
    isTerminal: false,
    errorIsTerminal: false,
    inputIsTerminal: false,
    interrupted: new AbortController().signal,
  };
  const code = await runPctl(line.split(" "), terminal);
  return { code, ...written, told: existsSync(told) ? readFileSync(told, "utf8") : undefined };
}

it.each([
  ["a program of kubectl's", ["kubectl-hello"], "hello x --flag y", "kubectl-hello x --flag y\n"],
  ["one for pctl before one of kubectl's", ["kubectl-hello", "pctl-hello"], "hello", "pctl-hello \n"],
  ["the one with most of the words", ["kubectl-hello", "kubectl-hello-you"], "hello you x", "kubectl-hello-you x\n"],
  ["words with dashes, as underscores", ["kubectl-say_it"], "say-it now", "kubectl-say_it now\n"],
])("runs %s", async (_what, names, line, said) => {
  for (const name of names) program("b", name);
  expect(await pctl(line)).toEqual({ code: 3, out: "", err: "", told: said });
});

it("never runs one in the place of an own command", async () => {
  for (const name of ["kubectl-version", "pctl-version", "kubectl-help", "pctl-version---client"]) program("a", name);
  const ran = await pctl("version --client");
  expect([ran.code, ran.told]).toEqual([0, undefined]);
  expect((await pctl("help version")).told).toBeUndefined();
});

it("passes over folders that depend on where one stands, words that lead elsewhere, and files that do not run", async () => {
  program("a", "pctl-hello", 0o644);
  program("elsewhere", "tool");
  const { code, err, told: said } = await pctl("hello");
  expect([code, err, said]).toEqual([1, expect.stringContaining('unknown command "hello"'), undefined]);
  expect(findPlugin(["hello"], { PATH: ".:a:" })).toBeUndefined();
  mkdirSync(join(root, "a", "pctl-x"));
  expect(findPlugin(["x/../../elsewhere/tool"], { PATH: join(root, "a") })).toBeUndefined();
});

it("plugin list shows them, and what is wrong with them", async () => {
  expect((await pctl("plugin list")).err).toMatch(/^error: no plug-ins are in PATH/);
  const first = program("a", "kubectl-hello");
  expect(await pctl("plugin list")).toMatchObject({
    code: 0,
    out: `The following plug-ins are there:\n\n${first}\n`,
    err: "",
  });
  expect((await pctl("plugin list --name-only")).out).toMatch(/\n\nkubectl-hello\n$/);
  const [second, own, idle] = [program("b", "kubectl-hello"), program("b", "pctl-get"), program("b", "pctl-x", 0o644)];
  const { code, err } = await pctl("plugin list");
  expect([code, err]).toEqual([
    1,
    `  - warning: ${second} is overshadowed by ${first}\n` +
      `  - warning: ${own} has the name of a command of pctl, which is run instead\n` +
      `  - warning: ${idle} is not executable\n` +
      "error: 3 plug-in warnings\n",
  ]);
});

it("completes their names, and their words as their own programs say", async () => {
  program("a", "kubectl-hello");
  program("a", "pctl-hello_you-all");
  program("a", "kubectl-hidden", 0o644);
  const completer = program("b", "kubectl_complete-hello");
  writeFileSync(completer, '#!/bin/sh\necho "$*" > "$0.told"\nprintf "one\\twhat it is\\ntwo\\n:4\\n"\n');
  const words = async (...line: string[]) =>
    (await pctl(["__complete", ...line].join(" "))).out.split("\n").slice(0, -1);
  expect(await words("hel")).toEqual(["hello", "hello-you"]);
  expect(await words("hello", "x", "")).toEqual(["one", "two"]);
  expect(readFileSync(`${completer}.told`, "utf8")).toBe("x \n");
  expect(await words("hello", "t")).toEqual(["two"]);
  expect(await words("hello-you", "all", "")).toEqual([]);
});
