// Runs pctl in process against a real server on loopback, of either dialect.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { type ServerInProcess, serverInProcess } from "../apiserver/server.testing.ts";
import { offlineServer } from "../cmd/offline-server.ts";
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

export interface CliServer {
  /** A folder of its own, with the kubeconfig. */
  readonly folder: string;
  /** The environment of commands; tests may add to it. */
  readonly env: Record<string, string>;
  /** Runs a command as user `ann`. */
  run(line: string | readonly string[], stdin?: string, how?: RunOptions): Promise<Run>;
  /** Calls the server directly, where a test needs more objects than it wants to name. */
  readonly call: ServerInProcess["call"];
  /** What commands have asked the server, oldest first: `GET /api/v1/pods`. */
  readonly asked: readonly string[];
  /** Writes a file into the folder. */
  write(name: string, text: string): string;
  close(): Promise<void>;
}

const HOUR_MS = 3_600_000;

interface CliServerOptions {
  /** Rules decide who may do what, and ann is an administrator; else everybody may do everything. */
  readonly rules?: boolean;
}

export async function startCliServer(dialect: Dialect, { rules = false }: CliServerOptions = {}): Promise<CliServer> {
  const folder = mkdtempSync(join(tmpdir(), "pctl-"));
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
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const authority = Buffer.from(certificatePem).toString("base64");
  const kubeconfig = write(
    "config",
    JSON.stringify({
      "current-context": "c",
      clusters: [
        {
          name: "k",
          cluster: { server: `https://127.0.0.1:${listener.port}`, "certificate-authority-data": authority },
        },
      ],
      users: [{ name: "ann", user: { token: "ann" } }],
      contexts: [{ name: "c", context: { cluster: "k", user: "ann" } }],
    }),
  );
  const env: Record<string, string> = { KUBECONFIG: kubeconfig, HOME: folder, PATH: process.env["PATH"] ?? "" };
  return {
    folder,
    env,
    asked,
    call: (method, url, body, headers) => server.call(method, url, body, { authorization: "Bearer ann", ...headers }),
    write,
    async run(line, stdin = "", { interrupted = new AbortController().signal, onOutput, isTerminal = false } = {}) {
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
          close: () => undefined,
        }),
        interrupted,
        isTerminal,
        errorIsTerminal: isTerminal,
      };
      const code = await runPctl(argv, terminal, { offlineServer });
      return { code, out, err };
    },
    async close() {
      await listener.close(0);
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
