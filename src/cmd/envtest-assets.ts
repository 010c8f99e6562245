// `plinth envtest-assets DIR`: stand-ins for the two server binaries that other ecosystems' test environments start, so that
// their suites run unmodified, with namespaces that end and owners whose dependents go.
//
//   kube-apiserver   becomes `plinth up --memory`: flags that it does not know are left out, with a word about it
//   etcd             answers that it is well, until it is stopped: the store is in the other process

import { existsSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, join, resolve } from "node:path";
import { type FlagTable, flagName } from "../base/flags.ts";
import { makeDirectory } from "../base/make-directory.ts";
import { StartError, UsageError } from "../base/start-error.ts";
import { UPSTREAM_DIALECT } from "../meta/names.ts";
import { asksForHelp } from "./help-flag.ts";
import { untilSignal } from "./until-signal.ts";

/** The sub-commands behind the two names. */
export const STAND_INS = { "kube-apiserver": "envtest-apiserver", etcd: "envtest-store" } as const;

export async function envtestAssets(args: readonly string[]): Promise<void> {
  const [folder, ...more] = args;
  if (folder === undefined || folder.startsWith("-") || more.length > 0)
    throw new UsageError("write plinth envtest-assets DIR");
  const loader = join(dirname(resolve(process.argv[1] ?? "")), "load.cjs");
  try {
    await makeDirectory(resolve(folder), 0o755);
    for (const [name, command] of Object.entries(STAND_INS)) {
      const path = join(folder, name);
      const call = `require(${JSON.stringify(loader)}).loadBundle().main([${JSON.stringify(command)}, ...process.argv.slice(2)])`;
      await writeFile(path, `#!/usr/bin/env node\n${call};\n`);
      await chmod(path, 0o755);
    }
  } catch (error) {
    throw new StartError(`${folder}: ${(error as Error).message}`);
  }
  process.stdout.write(`export KUBEBUILDER_ASSETS=${resolve(folder)}\n`);
}

export async function envtestApiServer(args: readonly string[]): Promise<void> {
  const { up, upFlags } = await import("./up.ts");
  // Asked before the start, to see which flags there are.
  if (asksForHelp(args)) return up(["--help"]);
  const { known, unknown } = splitFlags(upFlags, args);
  if (unknown.length > 0) process.stderr.write(`flags without a meaning here: ${unknown.join(" ")}\n`);
  const given = ["--memory", `--dialect=${UPSTREAM_DIALECT}`, ...known, ...givenCertificate(args)];
  if (bringsPodsToLife(args)) return up(given);
  const quiet = flagValue(args, "controllers") === undefined ? [`--controllers=${HOUSEKEEPING.join(",")}`] : [];
  await up([...given, ...quiet], { scheduler: false });
}

/**
 * Suites write objects that they have just created, with the version that they know, because nobody else does: no more than
 * this may happen to them unless it is asked for.
 */
const HOUSEKEEPING = ["namespace-controller", "garbage-collector-controller"];

/** All controllers are asked for, or nodes: then pods are to get there. */
function bringsPodsToLife(args: readonly string[]): boolean {
  const controllers = flagValue(args, "controllers")?.split(",") ?? [];
  return controllers.includes("*") || Number(flagValue(args, "simulated-nodes") ?? 0) > 0;
}

/** The environment has put a certificate where the real server would make its own, and trusts only that one. */
function givenCertificate(args: readonly string[]): string[] {
  const folder = flagValue(args, "cert-dir");
  if (folder === undefined || flagValue(args, "tls-cert-file") !== undefined) return [];
  const [certificate, key] = [join(folder, "apiserver.crt"), join(folder, "apiserver.key")];
  const isThere = existsSync(certificate) && existsSync(key);
  return isThere ? [`--tls-cert-file=${certificate}`, `--tls-private-key-file=${key}`] : [];
}

/** The last one counts. */
function flagValue(args: readonly string[], flag: string): string | undefined {
  const start = `--${flag}=`;
  return args.findLast((arg) => arg.startsWith(start))?.slice(start.length);
}

/** Where the store is does not matter to a server that has its own. */
const DROPPED: ReadonlySet<string> = new Set(["etcd-servers", "etcd-prefix", "data-dir"]);

/** Flags are `--name=value`, as those environments write them. */
export function splitFlags(table: FlagTable, args: readonly string[]): { known: string[]; unknown: string[] } {
  const names = new Set(Object.keys(table).map(flagName));
  const known: string[] = [];
  const unknown: string[] = [];
  for (const arg of args) {
    const name = /^--?([^=]+)/.exec(arg)?.[1] ?? "";
    if (DROPPED.has(name)) continue;
    if (names.has(name)) known.push(arg);
    else unknown.push(arg);
  }
  return { known, unknown };
}

export async function envtestStore(args: readonly string[]): Promise<void> {
  if (asksForHelp(args)) {
    process.stdout.write(
      "Usage:\n  etcd [flags]\n\nFlags:\n  --listen-client-urls=URLS   where it says that it is well\n",
    );
    return;
  }
  const urls = flagValue(args, "listen-client-urls") ?? "http://127.0.0.1:2379";
  const { hostname, port } = new URL(urls.split(",")[0]!);
  const stop = untilSignal();
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end('{"health":"true","reason":""}');
  });
  await new Promise<void>((done, failed) => {
    server.once("error", (error) => failed(new StartError(error.message)));
    server.listen(Number(port), hostname, done);
  });
  await stop.asked;
  server.close();
  server.closeAllConnections();
}
