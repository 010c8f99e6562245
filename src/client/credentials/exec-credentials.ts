// Credentials of a plug-in: asked for when they are needed, kept until they expire or are refused, one run for all who wait.
// Requirements: document 2, "Client credential plugin".

import { isatty } from "node:tty";
import type { Clock } from "../../base/clock.ts";
import { PluginError, type PluginRun, runPlugin } from "../../base/run-plugin.ts";
import { type ClusterEntry, KubeconfigError } from "../kubeconfig.ts";
import { unlessAborted } from "../unless-aborted.ts";
import { CredentialError, type CredentialSource, type Credentials } from "./credential-source.ts";
import { type ExecCredential, ExecOutputError, readExecCredential } from "./exec-credential.ts";
import { EXEC_INFO_VARIABLES, execInfo } from "./exec-info.ts";
import type { ExecSettings, InteractiveMode } from "./exec-settings.ts";

interface ExecCredentialsOptions {
  readonly userName: string;
  readonly settings: ExecSettings;
  readonly cluster: ClusterEntry;
  readonly clock: Clock;
  readonly env: NodeJS.ProcessEnv;
  readonly terminal: TerminalOptions;
  readonly timeoutMs?: number;
}

/** What plug-ins may have of the terminal. */
export interface TerminalOptions {
  /** Why standard input cannot be used, though it is a terminal: something else reads it. */
  readonly stdinUnavailable?: string | undefined;
  /** Whether standard input is a terminal; asked of the system when not given. */
  readonly stdinIsTerminal?: boolean | undefined;
  /** See PluginRun. */
  readonly onErrorOutput?: PluginRun["onErrorOutput"] | undefined;
}

/** People log in with a browser meanwhile: generous, but not for ever. */
const TIMEOUT_MS = 300_000;

export class ExecCredentials implements CredentialSource {
  readonly #options: ExecCredentialsOptions;
  readonly #closed = new AbortController();
  #cached: ExecCredential | undefined;
  #running: Promise<ExecCredential> | undefined;

  constructor(options: ExecCredentialsOptions) {
    this.#options = options;
  }

  async current(signal?: AbortSignal): Promise<Credentials> {
    signal?.throwIfAborted();
    const cached = this.#cached;
    const { expiresAtMs = Number.POSITIVE_INFINITY } = cached ?? {};
    if (cached !== undefined && this.#options.clock.nowMs() < expiresAtMs) return cached.credentials;
    this.#running ??= this.#ask().finally(() => {
      this.#running = undefined;
    });
    const { credentials } = await unlessAborted(this.#running, signal);
    return credentials;
  }

  refused(credentials: Credentials): void {
    // Those who come late with what has been replaced already cause no further run.
    if (this.#cached?.credentials === credentials) this.#cached = undefined;
  }

  close(): void {
    this.#closed.abort();
  }

  async #ask(): Promise<ExecCredential> {
    const { settings, userName } = this.#options;
    try {
      const output = await this.#run();
      this.#cached = readExecCredential(output, settings.apiVersion);
      return this.#cached;
    } catch (error) {
      const known =
        error instanceof PluginError || error instanceof ExecOutputError || error instanceof KubeconfigError;
      if (!known) throw error;
      const missing = error instanceof PluginError && error.missing;
      const hint = missing && settings.installHint !== "" ? `\n\n${settings.installHint}` : "";
      const command = error.message.includes(settings.command) ? "" : ` (command ${settings.command})`;
      const message = `getting credentials of user ${JSON.stringify(userName)}: ${error.message}${command}${hint}`;
      throw new CredentialError(message, { cause: error });
    }
  }

  async #run(): Promise<Uint8Array> {
    const { settings, cluster, env, clock, terminal, timeoutMs = TIMEOUT_MS } = this.#options;
    const interactive = mayInteract(settings.interactiveMode, terminal);
    const info = execInfo(settings, cluster, interactive);
    const inherited = Object.entries(env).filter(([name]) => !EXEC_INFO_VARIABLES.includes(name));
    return runPlugin({
      command: settings.command,
      args: settings.args,
      env: Object.fromEntries([
        ...inherited,
        ...settings.env.map(({ name, value }) => [name, value] as const),
        [info.name, info.value],
      ]),
      interactive,
      timeoutMs,
      clock,
      signal: this.#closed.signal,
      ...(terminal.onErrorOutput === undefined ? {} : { onErrorOutput: terminal.onErrorOutput }),
    });
  }
}

/** Fails with PluginError where a terminal is needed and there is none. */
function mayInteract(mode: InteractiveMode, terminal: TerminalOptions): boolean {
  const { stdinUnavailable, stdinIsTerminal = isatty(0) } = terminal;
  if (mode === "Never") return false;
  if (mode === "IfAvailable") return stdinIsTerminal && stdinUnavailable === undefined;
  const cannot = "exec plugin cannot support interactive mode";
  if (!stdinIsTerminal) throw new PluginError(`${cannot}: standard input is not a terminal`);
  if (stdinUnavailable === undefined) return true;
  throw new PluginError(`${cannot}: standard input is unavailable: ${stdinUnavailable}`);
}
