// A chain that follows its configuration file: a good new content takes over, a bad one leaves the old in force.
// Requirements: document 2, "AuthorizationConfiguration file", "Reload".

import type { Clock } from "../../base/clock.ts";
import { FollowedFile } from "../../base/follow-file.ts";
import type { Log } from "../../base/log.ts";
import { StartError } from "../../base/start-error.ts";
import { StartFiles } from "../../base/start-files.ts";
import type { AuthorizationMetrics } from "../authorization-metrics.ts";
import { type LinkParts, linksOfSettings } from "../build-links.ts";
import type { AuthorizerChain, ChainLink } from "../chain.ts";
import { type AuthorizerSettings, type ConfigContext, parseAuthorizationConfig } from "./authorization-config.ts";

const RELOAD_INTERVAL_MS = 60_000;
/** Requests that were being decided by webhooks of the old content are over by then. */
const RETIRE_MS = 60_000;

interface ConfiguredChainDeps {
  readonly path: string;
  readonly context: ConfigContext;
  readonly parts: Omit<LinkParts, "readStartFile">;
  readonly startFiles: StartFiles;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: AuthorizationMetrics | undefined;
}

export class AuthorizationConfigFile {
  readonly #deps: ConfiguredChainDeps;
  readonly #first: Uint8Array;
  readonly #builtIn: string;
  /** The authorizers in force. */
  links: readonly ChainLink[];
  #followed: FollowedFile | undefined;

  /** Fails with StartError when the file cannot be used. */
  constructor(deps: ConfiguredChainDeps) {
    this.#deps = deps;
    try {
      this.#first = deps.startFiles.read(deps.path);
      const settings = parseAuthorizationConfig(this.#first, { ...deps.context, contents: deps.startFiles.contents });
      this.#builtIn = builtInTypes(settings);
      this.links = linksOfSettings(settings, { ...deps.parts, readStartFile: deps.startFiles.read });
    } catch (error) {
      throw new StartError(`flag --authorization-config: ${deps.path}: ${(error as Error).message}`);
    }
  }

  /** From now on the chain follows the file. */
  follow(chain: AuthorizerChain): void {
    const { path, clock, log, metrics } = this.#deps;
    metrics?.configured(this.#first);
    this.#followed = new FollowedFile(path, {
      clock,
      known: this.#first,
      intervalMs: RELOAD_INTERVAL_MS,
      onContent: (content) => this.#reload(content, chain),
      onError: (error) =>
        log.warn({ err: error, file: path }, "the authorization configuration could not be read; the old one stays"),
    });
    // It may have changed since it was read, by whoever did.
    void this.#followed.look();
  }

  close(): void {
    this.#followed?.close();
    closeAll(this.links);
  }

  #reload(content: Uint8Array, chain: AuthorizerChain): void {
    const { path, context, parts, startFiles, log, metrics, clock } = this.#deps;
    // What the new content names is read as it is, and stays out of force with it.
    const read = new StartFiles(new Map([[path, content]]));
    try {
      const settings = parseAuthorizationConfig(content, context);
      if (builtInTypes(settings) !== this.#builtIn) {
        throw new Error(`authorizers of the types ${this.#builtIn} cannot be added or removed while the server runs`);
      }
      const links = linksOfSettings(settings, { ...parts, readStartFile: read.read });
      const retired = this.links;
      this.links = links;
      chain.replace(links);
      startFiles.keep(read.contents);
      clock.setTimer(RETIRE_MS, () => closeAll(retired));
      metrics?.configured(content);
      metrics?.reloaded(true, clock.nowMs());
      log.info({ file: path }, "the authorization configuration was reloaded");
    } catch (error) {
      metrics?.reloaded(false, clock.nowMs());
      log.error({ err: error, file: path }, "the new authorization configuration cannot be used; the old one stays");
    }
  }
}

function closeAll(links: readonly ChainLink[]): void {
  for (const link of links) link.close?.();
}

/** The order may change, the set may not. */
function builtInTypes(settings: readonly AuthorizerSettings[]): string {
  return settings
    .filter(({ type }) => type !== "Webhook")
    .map(({ type }) => type)
    .sort()
    .join(", ");
}
