// The directory where plug-ins place their sockets: each is asked what it is, handed to who looks after its kind, and told
// the result. Requirements: document 3, "Node-agent local files and sockets" (plugin registry).

import { type FSWatcher, watch } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { BackgroundLoop, type Outcome } from "../../base/background-loop.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { GrpcChannel } from "../grpc/channel.ts";
import { type PluginInfo, registrationProcedures } from "./registration-messages.ts";

/** What looks after the plug-ins of one type. */
export interface PluginHandler {
  /** Fails with the reason why the plug-in is not taken; it is told that. */
  register(plugin: FoundPlugin): Promise<void>;
  unregister(name: string): void;
}

export interface FoundPlugin extends Pick<PluginInfo, "name" | "supportedVersions"> {
  /** Where it serves. */
  readonly socketPath: string;
}

interface PluginRegistryOptions {
  readonly directory: string;
  /** By the type that plug-ins say they are. */
  readonly handlers: ReadonlyMap<string, PluginHandler>;
  readonly clock: Clock;
  readonly log: Log;
}

/** A socket as it was last dealt with; one that was made anew has another stamp. */
interface KnownSocket {
  readonly stamp: string;
  readonly registered: { readonly type: string; readonly name: string } | undefined;
}

const LOOK_MS = 1_000;
const TIMEOUT_MS = 10_000;
const RETRY_MS = { first: 500, max: 120_000 };
/** More than these are not looked at: a node has a handful. */
const MAX_SOCKETS = 1_000;
const MAX_ERROR_CHARACTERS = 1_000;

export class PluginRegistry {
  readonly #options: PluginRegistryOptions;
  readonly #known = new Map<string, KnownSocket>();
  readonly #looking: BackgroundLoop;
  /** By the paths of sockets. */
  readonly #sockets: BackgroundLoop;
  #seen = new Map<string, string>();
  #watcher: FSWatcher | undefined;

  constructor(options: PluginRegistryOptions) {
    this.#options = options;
    const { clock, log, directory } = options;
    this.#looking = new BackgroundLoop({
      clock,
      everyMs: LOOK_MS,
      reconcile: () => this.#look(),
      onError: (error) => log.warn({ err: error, directory }, "the directory of plug-ins cannot be read"),
    });
    this.#sockets = new BackgroundLoop({
      clock,
      maxAtOnce: 10,
      retryMs: RETRY_MS,
      reconcile: (path, signal) => this.#deal(path, signal),
      onError: (error, path) => log.warn({ err: error, path }, "a plug-in could not be registered; trying again"),
    });
  }

  start(): void {
    try {
      this.#watcher = watch(this.#options.directory, { persistent: false }, () => this.#looking.enqueue());
      this.#watcher.on("error", () => this.#watcher?.close());
    } catch {
      // Where the system cannot watch, the interval finds sockets too.
    }
    this.#looking.enqueue();
  }

  close(): void {
    this.#watcher?.close();
    this.#looking.close();
    this.#sockets.close();
  }

  async #look(): Promise<Outcome> {
    const before = this.#seen;
    this.#seen = await socketsIn(this.#options.directory);
    // What has not changed waits for its own next try, if any.
    for (const [path, stamp] of this.#seen) if (before.get(path) !== stamp) this.#sockets.enqueue(path);
    for (const path of before.keys()) if (!this.#seen.has(path)) this.#sockets.enqueue(path);
    return "done";
  }

  async #deal(path: string, signal: AbortSignal): Promise<Outcome> {
    const stamp = this.#seen.get(path);
    const before = this.#known.get(path);
    if (before !== undefined && before.stamp !== stamp) this.#forget(path, before);
    if (stamp === undefined || before?.stamp === stamp) return "done";
    const channel = new GrpcChannel({ socketPath: path, timeoutMs: TIMEOUT_MS, clock: this.#options.clock });
    try {
      const info = await channel.call(registrationProcedures.info, {}, { signal });
      const error = await this.#register(path, info);
      const registered = error === undefined ? { type: info.type, name: info.name } : undefined;
      this.#known.set(path, { stamp, registered });
      const answer = { pluginRegistered: error === undefined, error: error?.slice(0, MAX_ERROR_CHARACTERS) };
      await channel.call(registrationProcedures.notify, answer, { signal });
      return "done";
    } catch (error) {
      // Whoever was not told is asked again.
      const known = this.#known.get(path);
      if (known !== undefined) this.#forget(path, known);
      throw error;
    } finally {
      channel.close();
    }
  }

  /** Gives the reason why the plug-in is not taken. */
  async #register(path: string, { type, name, endpoint, supportedVersions }: PluginInfo): Promise<string | undefined> {
    const { handlers, log } = this.#options;
    const handler = handlers.get(type);
    if (handler === undefined) return `no handler registered for plugin type: ${type} at socket ${path}`;
    try {
      await handler.register({ name, supportedVersions, socketPath: endpoint === "" ? path : endpoint });
      return undefined;
    } catch (error) {
      log.warn({ err: error, path }, "a plug-in is not taken");
      return `plugin registration failed: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  #forget(path: string, { registered }: KnownSocket): void {
    this.#known.delete(path);
    if (registered !== undefined) this.#options.handlers.get(registered.type)?.unregister(registered.name);
  }
}

/** By path, what tells a socket from another of the same name. Those that begin with a dot are not ready. */
async function socketsIn(directory: string): Promise<Map<string, string>> {
  const sockets = new Map<string, string>();
  for (const name of await readdir(directory)) {
    if (name.startsWith(".") || sockets.size >= MAX_SOCKETS) continue;
    const path = join(directory, name);
    const found = await lstat(path).catch(() => undefined);
    if (found?.isSocket()) sockets.set(path, `${found.ino} ${found.birthtimeMs}`);
  }
  return sockets;
}
