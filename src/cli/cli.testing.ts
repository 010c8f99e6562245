// Runs pctl in process against a real server on loopback, of either dialect, or against one that is there already.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect } from "vitest";
import { type ServerInProcess, serverInProcess } from "../apiserver/server.testing.ts";
import { offlineServer } from "../cmd/offline-server.ts";
import { patchObject } from "../cmd/patch-object.ts";
import { decodeYaml } from "../codec/yaml.ts";
import { listen } from "../http/listener.ts";
import { issueCertificate } from "../http/pki/issue-certificate.ts";
import type { Dialect } from "../meta/names.ts";
import { SYSTEM_MASTERS } from "../meta/user.ts";
import { runPctl } from "./pctl.ts";
import type { Terminal } from "./session.ts";

export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface RunOptions {
  /** The user has had enough. */
  readonly interrupted?: AbortSignal;
  /** Told of what is written, as it is. */
  readonly onOutput?: (text: string) => void;
  /** As if somebody looked at it. */
  readonly isTerminal?: boolean;
}

/** Where commands are run. */
export interface CliTarget {
  /** A folder of its own, with the kubeconfig: its context is `c`, of the cluster `k` and the user `ann`. */
  readonly folder: string;
  /** The environment of commands; tests may add to it. */
  readonly env: Record<string, string>;
  /** Runs a command as user `ann`. */
  run(line: string | readonly string[], stdin?: string, how?: RunOptions): Promise<Run>;
  /** What a command writes that has nothing to complain about. */
  out(line: string | readonly string[], stdin?: string): Promise<string>;
  /** Writes a file into the folder. */
  write(name: string, text: string): string;
  close(): Promise<void>;
}

export interface CliServer extends CliTarget {
  /** Calls the server directly, where a test needs more objects than it wants to name. */
  readonly call: ServerInProcess["call"];
  /** What commands have asked the server, oldest first: `GET /api/v1/pods`. */
  readonly asked: readonly string[];
}

const HOUR_MS = 3_600_000;

interface CliServerOptions {
  /** Rules decide who may do what, and ann is an administrator; else everybody may do everything. */
  readonly rules?: boolean;
}

export async function startCliServer(dialect: Dialect, { rules = false }: CliServerOptions = {}): Promise<CliServer> {
  const server = await serverInProcess({
    dialect,
    ...(rules ? { flags: ["--authorization-mode=RBAC"], authorization: "by flags" as const } : {}),
    deps: {
      authenticator: {
        authenticate: ({ headers }) => {
          const name = headers.first("authorization")?.replace("Bearer ", "");
          if (name === undefined || name === "bad") return { result: "none" };
          return {
            result: "user",
            user: { name, groups: ["people", ...(rules && name === "ann" ? [SYSTEM_MASTERS] : [])] },
          };
        },
      },
    },
  });
  const { certificatePem, keyPem } = await issueCertificate({
    subject: { commonName: "server" },
    notBeforeMs: Date.now() - HOUR_MS,
    notAfterMs: Date.now() + HOUR_MS,
    use: "server",
    names: ["127.0.0.1"],
  });
  const asked: string[] = [];
  const listener = await listen({
    bindAddress: "127.0.0.1",
    port: 0,
    tls: { certificatePem, keyPem },
    handler: (request) => {
      asked.push(`${request.method} ${request.path}`);
      return server.handler(request);
    },
    onConnectionError: () => undefined,
  });
  const authority = Buffer.from(certificatePem).toString("base64");
  const target = cliTarget(
    { server: `https://127.0.0.1:${listener.port}`, "certificate-authority-data": authority },
    { token: "ann" },
  );
  return {
    ...target,
    asked,
    call: (method, url, body, headers) => server.call(method, url, body, { authorization: "Bearer ann", ...headers }),
    async close() {
      await listener.close(0);
      await server.close();
      await target.close();
    },
  };
}

/** The server of the current context of a kubeconfig file, which is left as commands leave it. */
export function foreignCliServer(kubeconfig: string): CliTarget {
  const file = decodeYaml(readFileSync(kubeconfig)).value as unknown as Kubeconfig;
  const { context } = file.contexts.find(({ name }) => name === file["current-context"])!;
  const { cluster } = file.clusters.find(({ name }) => name === context.cluster)!;
  const { user } = file.users.find(({ name }) => name === context.user)!;
  return cliTarget(cluster, user);
}

interface Kubeconfig {
  readonly "current-context": string;
  readonly contexts: readonly { readonly name: string; readonly context: { cluster: string; user: string } }[];
  readonly clusters: readonly { readonly name: string; readonly cluster: object }[];
  readonly users: readonly { readonly name: string; readonly user: object }[];
}

function cliTarget(cluster: object, user: object): CliTarget {
  const folder = mkdtempSync(join(tmpdir(), "pctl-"));
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const kubeconfig = write(
    "config",
    JSON.stringify({
      "current-context": "c",
      clusters: [{ name: "k", cluster }],
      users: [{ name: "ann", user }],
      contexts: [{ name: "c", context: { cluster: "k", user: "ann" } }],
    }),
  );
  const env: Record<string, string> = { KUBECONFIG: kubeconfig, HOME: folder, PATH: process.env["PATH"] ?? "" };
  const run: CliTarget["run"] = async (
    line,
    stdin = "",
    { interrupted = new AbortController().signal, onOutput, isTerminal = false } = {},
  ) => {
    const argv = typeof line === "string" ? line.split(" ") : line;
    let [out, err] = ["", ""];
    const terminal: Terminal = {
      env,
      readInput: async () => Buffer.from(stdin),
      write: (text) => {
        out += Buffer.from(text).toString("utf8");
        onOutput?.(out);
      },
      writeError: (text) => {
        err += Buffer.from(text).toString("utf8");
      },
      openInput: () => ({
        pieces: Readable.from([Buffer.from(stdin)]),
        size: () => undefined,
        onResize: () => undefined,
        close: () => undefined,
      }),
      interrupted,
      isTerminal,
      errorIsTerminal: isTerminal,
      inputIsTerminal: isTerminal,
    };
    const code = await runPctl(argv, terminal, { offlineServer, patchObject: async (patch) => patchObject(patch) });
    return { code, out, err };
  };
  return {
    folder,
    env,
    write,
    run,
    async out(line, stdin) {
      const { code, out, err } = await run(line, stdin);
      expect([code, err]).toEqual([0, ""]);
      return out;
    },
    async close() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A node `n` whose agent listens on this port, and the account that pods have. */
export async function makeNode(target: CliTarget, agentPort: number, more: object = {}): Promise<void> {
  await target.out("create serviceaccount default");
  await target.out("create -f -", JSON.stringify({ apiVersion: "v1", kind: "Node", metadata: { name: "n" } }));
  await patchStatus(target, "node", "n", {
    addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
    daemonEndpoints: { kubeletEndpoint: { Port: agentPort } },
    ...more,
  });
}

/** As controllers and agents do. */
export function patchStatus(target: CliTarget, type: string, name: string, status: object): Promise<string> {
  return target.out(["patch", type, name, "--subresource=status", "--type=merge", "-p", JSON.stringify({ status })]);
}
