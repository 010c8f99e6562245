// Runs the commands as processes of their own: from what was built, or, where that is older than the sources, from a bundle
// made for the tests.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import https from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterEach, beforeEach } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const START_TIMEOUT_MS = 20_000;

let launcher: Promise<string> | undefined;

/** The script that starts commands. */
export function launcherPath(): Promise<string> {
  launcher ??= findLauncher();
  return launcher;
}

async function findLauncher(): Promise<string> {
  const { isBuilt } = (await import(join(ROOT, "scripts/project.mjs"))) as { isBuilt(): boolean };
  return isBuilt() ? join(ROOT, "bin/plinth") : await bundle();
}

/** In a folder of the project: it must find the packages that it does not contain. */
async function bundle(): Promise<string> {
  const { buildOptions } = (await import(join(ROOT, "scripts/build.mjs"))) as {
    buildOptions(outdir: string): Parameters<typeof build>[0];
  };
  mkdirSync(join(ROOT, "dist"), { recursive: true });
  const outdir = mkdtempSync(join(ROOT, "dist/test-"));
  process.once("exit", () => rmSync(outdir, { recursive: true, force: true }));
  await build(buildOptions(outdir));
  const script = join(outdir, "run.cjs");
  writeFileSync(script, 'require("./plinth.cjs").main(process.argv.slice(2));\n');
  return script;
}

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly process: ChildProcess;
  readonly output: { stdout: string; stderr: string };
  readonly ended: Promise<Outcome>;
  /** SIGTERM, and what came of it. */
  stop(): Promise<Outcome>;
}

/** `within` is a command that runs the rest of its line elsewhere: in another network, say. */
export async function startCommand(
  args: readonly string[],
  cwd = tmpdir(),
  within: readonly string[] = [],
): Promise<Running> {
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const line = [...within, process.execPath, await launcherPath(), ...args];
  const child = spawn(line[0]!, line.slice(1), { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output.stderr += chunk;
  });
  const ended = new Promise<Outcome>((resolve) => child.on("close", (code) => resolve({ code, ...output })));
  return {
    process: child,
    output,
    ended,
    stop() {
      child.kill("SIGTERM");
      return ended;
    },
  };
}

export async function runCommand(...args: string[]): Promise<Outcome> {
  return (await startCommand(args)).ended;
}

export const ADMIN_TOKEN = "admin-token";

export class TestFolder {
  readonly path = mkdtempSync(join(tmpdir(), "plinth-cmd-"));

  file(name: string, text: string): string {
    const path = join(this.path, name);
    writeFileSync(path, text);
    return path;
  }

  read(name: string): string {
    return readFileSync(join(this.path, name), "utf8");
  }

  /** Flags for a server whose files are all in this folder, on a free port. */
  serverFlags(): string[] {
    const tokens = this.file("tokens.csv", `${ADMIN_TOKEN},admin,1,"system:masters"\n`);
    return [
      `--data-dir=${join(this.path, "data")}`,
      "--secure-port=0",
      `--token-auth-file=${tokens}`,
      "--authorization-mode=RBAC",
    ];
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** For every test of a file: a folder of its own, and processes that end with it. */
export function useCommands(): { folder: TestFolder; readonly running: Running[] } {
  const test = { folder: undefined as unknown as TestFolder, running: [] as Running[] };
  beforeEach(() => {
    test.folder = new TestFolder();
  });
  afterEach(async () => {
    for (const each of test.running.splice(0)) {
      each.process.kill("SIGKILL");
      await each.ended;
    }
    test.folder.remove();
  });
  return test;
}

/** The address that a server prints when it is ready. */
export async function readyUrl(running: Running): Promise<string> {
  const deadlineMs = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const url = /https:\/\/[^"\s]+/.exec(running.output.stdout + running.output.stderr)?.[0];
    if (url !== undefined) return url;
    if (running.process.exitCode !== null || Date.now() > deadlineMs) {
      throw new Error(`the server did not start: ${running.output.stderr}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

interface AskOptions extends Pick<https.RequestOptions, "ca" | "cert" | "key"> {
  readonly method?: string;
  readonly body?: object;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function ask(url: string, options: AskOptions = {}): Promise<{ status: number; text: string }> {
  const { method = "GET", body, token, headers: more, ...tlsOptions } = options;
  return new Promise((resolve, reject) => {
    const headers = {
      ...more,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    const request = https.request(
      url,
      { method, headers, agent: false, rejectUnauthorized: tlsOptions.ca !== undefined, ...tlsOptions },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk) => {
          text += chunk;
        });
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
        response.on("error", reject);
      },
    );
    request.on("error", reject);
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
