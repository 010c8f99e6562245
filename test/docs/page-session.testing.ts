// Where the shell blocks of one page run, one after the other: a folder of their own in which `bin/plinth`, `bin/pctl` and
// `npm start` are this project's, on a port of their own.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ROOT } from "../house/sources.testing.ts";

/** As the pages write it. */
const USUAL_PORT = "6443";
const USUAL_FOLDER = "/etc/plinth";
const PATIENCE_MS = 60_000;

export class PageSession {
  readonly folder = mkdtempSync(join(tmpdir(), "plinth-docs-"));
  readonly #port: number;
  readonly #background: ChildProcess[] = [];

  static async start(tools: readonly string[]): Promise<PageSession> {
    return new PageSession(await freePort(), tools);
  }

  private constructor(port: number, tools: readonly string[]) {
    this.#port = port;
    mkdirSync(join(this.folder, "bin"));
    mkdirSync(join(this.folder, ".tools"));
    this.#program(
      "bin/plinth",
      `case "$1 $*" in *--secure-port*|*--help*) ;; up\\ *|apiserver\\ *) set -- "$@" --secure-port=${port};; esac
exec ${process.execPath} ${join(ROOT, "bin/plinth")} "$@"`,
    );
    this.#program("bin/pctl", `exec ${process.execPath} ${join(ROOT, "bin/pctl")} "$@"`);
    this.#program(
      ".tools/npm",
      `[ "$1" = start ] || { echo "npm $* does not run here" >&2; exit 1; }
shift; [ "\${1:-}" != -- ] || shift
exec ${join(this.folder, "bin/plinth")} up "$@"`,
    );
    for (const tool of tools)
      this.#program(
        `.tools/${tool
          .split("/")
          .at(-1)
          ?.replace(/\.\d.*/, "")}`,
        `exec ${tool} "$@"`,
      );
  }

  /** Returns the path. */
  write(name: string, text: string): string {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, this.#localized(text));
    return path;
  }

  /** What it prints on both streams; rejects with that when it fails. */
  async run(text: string): Promise<string> {
    const child = this.#spawn(`set -euo pipefail
if [ -f .session ]; then . ./.session; fi
${this.#localized(text)}
export -p | grep -v ' PWD=' > "${join(this.folder, ".session")}"`);
    const output = outputOf(child);
    const timer = setTimeout(() => end(child), PATIENCE_MS);
    const [code] = (await once(child, "close")) as [number | null];
    clearTimeout(timer);
    if (code !== 0) throw new Error(`exit code ${code}:\n${output.text}`);
    return output.text.replaceAll(String(this.#port), USUAL_PORT);
  }

  /** Runs until close(), or the next that is not beside it; resolves once the server in it, if any, is ready. */
  async runOn(text: string, beside: boolean): Promise<void> {
    if (!beside) await this.#endAll();
    const child = this.#spawn(`if [ -f .session ]; then . ./.session; fi\n${this.#localized(text)}`);
    this.#background.push(child);
    const output = outputOf(child);
    if (!/plinth (up|apiserver)|npm start/.test(text)) return;
    const deadlineMs = Date.now() + PATIENCE_MS;
    // `plinth up` has written the kubeconfig when it says so; an API server alone says nothing.
    const isUp = /plinth up|npm start/.test(text);
    while (isUp ? !output.text.includes("Plinth is ready") : !(await isReady(this.#port))) {
      if (child.exitCode !== null) throw new Error(`the server ended:\n${output.text}`);
      if (Date.now() > deadlineMs) throw new Error(`the server did not get ready:\n${output.text}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async close(): Promise<void> {
    await this.#endAll();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #endAll(): Promise<void> {
    for (const child of this.#background.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const closed = once(child, "close");
      end(child);
      await closed;
    }
  }

  #spawn(script: string): ChildProcess {
    const { NODE_EXTRA_CA_CERTS: _, KUBECONFIG: __, ...env } = process.env;
    const path = [join(this.folder, ".tools"), join(this.folder, "bin"), env["PATH"]].join(":");
    // A group of its own, so that what it starts ends with it.
    return spawn("bash", ["-c", script], {
      cwd: this.folder,
      env: { ...env, PATH: path, HOME: this.folder },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
  }

  #program(name: string, script: string): void {
    writeFileSync(join(this.folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }

  #localized(text: string): string {
    return text.replaceAll(USUAL_PORT, String(this.#port)).replaceAll(USUAL_FOLDER, this.folder);
  }
}

/** The group, asked to end in order. */
function end(child: ChildProcess): void {
  if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
}

function outputOf(child: ChildProcess): { readonly text: string } {
  const output = { text: "" };
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (piece: string) => {
      output.text += piece;
    });
  }
  return output;
}

function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ host: "127.0.0.1", port, path: "/readyz", rejectUnauthorized: false, agent: false });
    request.on("response", (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on("error", () => resolve(false));
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
