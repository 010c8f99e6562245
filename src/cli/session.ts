// What a command works with: the server it talks to, what that server serves, and the terminal.

import { homedir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import type { Json } from "../base/json.ts";
import { didYouMean } from "../base/nearest-word.ts";
import { readApiError } from "../client/api-error.ts";
import type { Client } from "../client/client.ts";
import { type DiscoveredResource, type Discovery, discover, findResource } from "../client/discovery.ts";
import { HTTPS_LIMITS, type HttpsLimits, HttpsTransport } from "../client/https-transport.ts";
import type { Connection } from "../client/kubeconfig.ts";
import { loadConnection } from "../client/load-connection.ts";
import type { ApiRequest, Transport, UpgradeAnswer, UpgradeRequest } from "../client/transport.ts";
import { decodeJson } from "../codec/json.ts";
import { parseDuration } from "../meta/duration.ts";
import { VERSION_INFO } from "../meta/version.ts";
import { connectionOptions } from "./connection-flags.ts";
import { errorText } from "./error-text.ts";
import { FileCache } from "./file-cache.ts";
import { CliError, type Flags } from "./flags.ts";
import { loggedTransport } from "./logged-transport.ts";
import { matchedVersion } from "./matched-version.ts";
import type { Parts } from "./offline-server.ts";
import { ProgressLine } from "./progress.ts";

export interface Terminal {
  readonly env: NodeJS.ProcessEnv;
  /** The whole of standard input. */
  readonly readInput: () => Promise<Uint8Array>;
  /** Text is made safe for a terminal on the way; bytes go as they are. */
  readonly write: (text: string | Uint8Array) => void;
  readonly writeError: (text: string | Uint8Array) => void;
  /** Standard input as it comes; `raw`: every key by itself, where it is a terminal. */
  readonly openInput: (raw: boolean) => OpenInput;
  /** Whether somebody looks at standard output, and at standard error. */
  readonly isTerminal: boolean;
  readonly errorIsTerminal: boolean;
  /** Whether somebody types. */
  readonly inputIsTerminal: boolean;
  /** Aborts when the user has had enough. */
  readonly interrupted: AbortSignal;
}

export interface OpenInput {
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Of the terminal; undefined when it is none. */
  size(): { readonly width: number; readonly height: number } | undefined;
  /** Told whenever the size is another, until it is closed. */
  onResize(listener: () => void): void;
  close(): void;
}

interface SessionOptions {
  readonly terminal: Terminal;
  /** Those of the connection. */
  readonly flags: Flags;
  readonly clock: Clock;
  readonly parts: Parts;
}

export class Session {
  readonly terminal: Terminal;
  readonly progress: ProgressLine;
  readonly clock: Clock;
  readonly parts: Parts;
  readonly #flags: Flags;
  #connection: Connection | undefined;
  #sockets: HttpsTransport | undefined;
  #transport: Transport | undefined;
  #discovery: Promise<Discovery> | undefined;
  /** Why a credential plug-in cannot ask the user. */
  #stdinTakenBy: string | undefined;
  /** How often a quiet connection is looked after; undefined for as often as is usual. */
  #keepAliveMs: number | undefined;
  #exitCode = 0;
  #warnings = 0;

  constructor({ terminal, flags, clock, parts }: SessionOptions) {
    this.progress = new ProgressLine(terminal, clock);
    this.terminal = this.progress.roomFor(terminal);
    this.clock = clock;
    this.parts = parts;
    this.#flags = flags;
  }

  /** The one to use where objects and flags name none. */
  get namespace(): string {
    return this.connection.namespace || "default";
  }

  /** The one that the command line names. */
  get givenNamespace(): string | undefined {
    return this.#flags.text("namespace") || undefined;
  }

  get connection(): Connection {
    this.#connection ??= loadConnection({ ...connectionOptions(this.#flags), env: this.terminal.env });
    return this.#connection;
  }

  get transport(): Transport {
    this.#transport ??= this.#matched(this.#shown(this.#interruptible(this.#logged(this.#https))));
    return this.#transport;
  }

  /** Asks for another protocol on a connection of its own. Fails with TransportError. */
  upgrade(request: UpgradeRequest): Promise<UpgradeAnswer> {
    return this.#https.upgrade(request);
  }

  get #https(): HttpsTransport {
    this.#sockets ??= new HttpsTransport({
      connection: this.connection,
      env: this.terminal.env,
      clock: this.clock,
      userAgent: `pctl/${VERSION_INFO.gitVersion} (${VERSION_INFO.platform})`,
      terminal: {
        onErrorOutput: this.terminal.writeError,
        ...(this.#stdinTakenBy === undefined ? {} : { stdinUnavailable: this.#stdinTakenBy }),
      },
      limits: {
        ...timeLimits(this.#flags),
        ...(this.#keepAliveMs === undefined ? {} : { pingIntervalMs: this.#keepAliveMs || NEVER_MS }),
      },
    });
    return this.#sockets;
  }

  #logged(transport: Transport): Transport {
    if ((this.#flags.number("v") ?? 0) < TELLING_LEVEL) return transport;
    const { server } = this.connection.cluster;
    return loggedTransport({ transport, server, clock: this.clock, log: this.terminal.writeError });
  }

  /**
   * What is under way ends when the user has had enough, whatever server it waits for. What a command still asks for after
   * that, to leave nothing behind, does not.
   */
  #interruptible(transport: Transport): Transport {
    const { interrupted } = this.terminal;
    const untilThen = (signal: AbortSignal | undefined): { readonly signal?: AbortSignal } => {
      if (interrupted.aborted || signal === interrupted) return signal === undefined ? {} : { signal };
      return { signal: signal === undefined ? interrupted : AbortSignal.any([signal, interrupted]) };
    };
    return {
      request: (request) => transport.request({ ...request, ...untilThen(request.signal) }),
      connect: (request) => transport.connect({ ...request, ...untilThen(request.signal) }),
      close: () => transport.close(),
    };
  }

  /** A server that does not answer is a long wait too. */
  #shown(transport: Transport): Transport {
    const what = () => `waiting for ${this.connection.cluster.server}`;
    return {
      request: (request) => this.progress.during(what, () => transport.request(request)),
      connect: (request) => transport.connect(request),
      close: () => transport.close(),
    };
  }

  #matched(transport: Transport): Transport {
    return this.#flags.switch("match-server-version") ? matchedVersion(transport, VERSION_INFO.gitVersion) : transport;
  }

  /** How long one request may last, a watch included; undefined for as long as it takes. Fails with CliError. */
  get requestTimeoutMs(): number | undefined {
    return requestTimeoutMs(this.#flags);
  }

  /** Before another look. Fails with the reason when the user has had enough. */
  pause(ms: number): Promise<void> {
    return this.clock.sleep(ms, this.terminal.interrupted);
  }

  /** Whether something went wrong on the way. */
  get failed(): boolean {
    return this.#exitCode !== 0;
  }

  get exitCode(): number {
    return this.#exitCode;
  }

  /** Told by the exit code alone: the answer is no, or what ran somewhere else has failed. */
  fail(exitCode = 1): void {
    this.#exitCode = exitCode;
  }

  /** With the types of built-in kinds, which take a moment to load. */
  async client(): Promise<Client> {
    const { Client } = await import("../client/client.ts");
    const { dialect } = await this.discovery();
    return new Client({
      transport: this.transport,
      dialect,
      clock: this.clock,
      fieldManager: "pctl",
      onWarning: (warning) => this.warn(warning),
    });
  }

  /** Of several things one went wrong: it is told of, and the others go on, unless the user has had enough. */
  report(error: unknown): void {
    const { interrupted } = this.terminal;
    if (interrupted.aborted && error === interrupted.reason) throw error;
    this.#exitCode = 1;
    this.terminal.writeError(`${errorText(error)}\n`);
  }

  /** Of what a server says that goes well, but should be known. */
  warn(warning: string): void {
    this.#warnings += 1;
    this.terminal.writeError(`Warning: ${warning}\n`);
  }

  /** How many there have been. */
  get warnings(): number {
    return this.#warnings;
  }

  /** Undefined unless --warnings-as-errors makes warnings a failure. */
  get warningsText(): string | undefined {
    if (this.#warnings === 0 || !this.#flags.switch("warnings-as-errors")) return undefined;
    return `${this.#warnings} warning${this.#warnings === 1 ? "" : "s"} received`;
  }

  /** To be said before the first request. */
  takeStdin(by: string): void {
    this.#stdinTakenBy = by;
  }

  /** How often a quiet connection is looked after; 0 for never. To be said before the first request. */
  keepAlive(everyMs: number): void {
    this.#keepAliveMs = everyMs;
  }

  /** `mayBeOld`: what was kept of the last time will do. */
  discovery({ mayBeOld = false } = {}): Promise<Discovery> {
    const folder = this.#flags.text("cache-dir") ?? join(this.terminal.env["HOME"] ?? homedir(), ".cache/pctl");
    const cache = new FileCache(folder, this.connection.cluster.server);
    this.#discovery ??= discover(this.transport, { cache, mayBeOld });
    return this.#discovery;
  }

  /** The server may serve something else by now. */
  forgetDiscovery(): void {
    this.#discovery = undefined;
  }

  /** By a word of the user. Fails with CliError. */
  async resource(word: string): Promise<DiscoveredResource> {
    const discovery = await this.discovery();
    const found = findResource(discovery, word);
    if (found !== undefined) return found;
    const names = discovery.resources.flatMap(({ resource, singular, shortNames }) => [
      resource,
      singular,
      ...shortNames,
    ]);
    const hint = didYouMean(word.toLowerCase(), names);
    throw new CliError(`the server doesn't have a resource type ${JSON.stringify(word)}${hint}`);
  }

  /** Shows warnings, unless they are not about what was asked for. Fails with ApiError unless the answer is a success. */
  async send(request: ApiRequest, { quiet = false, untilMs }: SendOptions = {}): Promise<Uint8Array> {
    const response = await this.transport.request({ ...request, ...this.#timeLeft(untilMs) });
    for (const warning of quiet ? [] : response.warnings) this.warn(warning);
    if (response.status >= 300) throw await readApiError(request, response);
    return response.bytes();
  }

  async sendForJson(request: ApiRequest, options: SendOptions = {}): Promise<Json> {
    return decodeJson(await this.send(request, options)).value;
  }

  #timeLeft(untilMs = Number.POSITIVE_INFINITY): Pick<ApiRequest, "timeoutMs"> {
    const leftMs = Math.max(Math.ceil(untilMs - this.clock.monotonicMs()), LEAST_ANSWER_MS);
    return leftMs < (this.requestTimeoutMs ?? HTTPS_LIMITS.requestTimeoutMs) ? { timeoutMs: leftMs } : {};
  }

  /** Asks as the user of the connection, whoever is to be acted as. To be closed by the caller. */
  asMyself(): Session {
    const flags = this.#flags.without(["as", "as-group", "as-uid"]);
    return new Session({ terminal: this.terminal, flags, clock: this.clock, parts: this.parts });
  }

  async close(): Promise<void> {
    await this.#sockets?.close();
  }
}

interface SendOptions {
  readonly quiet?: boolean;
  /**
   * When a command with a time limit gives up, by the monotonic clock: no longer is waited for an answer, nor for a server
   * that asks to come back later.
   */
  readonly untilMs?: number;
}

/** A last look has this long, however little is left. */
const LEAST_ANSWER_MS = 1_000;

/** As far away as a timer can be. */
const NEVER_MS = 2 ** 31 - 1;

/** From which on `-v` tells of requests, as kubectl's does. */
const TELLING_LEVEL = 6;

/** Fails with CliError. */
function timeLimits(flags: Flags): Partial<HttpsLimits> {
  const timeoutMs = requestTimeoutMs(flags);
  return timeoutMs === undefined ? {} : { requestTimeoutMs: timeoutMs, execTimeoutMs: timeoutMs };
}

/** Undefined for as long as it takes. Fails with CliError. */
function requestTimeoutMs(flags: Flags): number | undefined {
  const given = flags.text("request-timeout");
  if (given === undefined || given === "0") return undefined;
  // A bare number is seconds.
  const nanos = parseDuration(/^\d+$/.test(given) ? `${given}s` : given);
  if (typeof nanos === "string" || nanos <= 0n) throw new CliError(`--request-timeout: not a duration: ${given}`);
  return Number(nanos / 1_000_000n);
}
