// Issuers and anonymous access that follow the authentication configuration file: a good new content takes over, a bad
// one leaves the old in force. Requirements: document 2, "Authentication configuration file".

import type { Clock } from "../../base/clock.ts";
import { FollowedFile } from "../../base/follow-file.ts";
import type { Log } from "../../base/log.ts";
import type { AuthenticationMetrics } from "../authentication-metrics.ts";
import type { AnonymousRules } from "../authenticators.ts";
import type { AuthenticationSettings } from "./authentication-config.ts";
import type { JwtAuthenticators } from "./jwt-authenticators.ts";

const RELOAD_INTERVAL_MS = 60_000;
/** How long new issuers may take to be reachable before that is reported; then they are waited for again. */
const READY_TIMEOUT_MS = 60_000;

interface ConfigFileDeps {
  readonly path: string;
  /** What the server has started with. */
  readonly first: Uint8Array;
  /** Fails with a sentence when the content cannot be used. */
  readonly parse: (content: Uint8Array) => AuthenticationSettings;
  /** Told of what is in force. */
  readonly keep: (content: Uint8Array) => void;
  readonly issuers: JwtAuthenticators;
  readonly onAnonymous: (rules: AnonymousRules | undefined) => void;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: AuthenticationMetrics | undefined;
}

export interface FollowedConfig {
  close(): void;
}

export function followConfigFile(deps: ConfigFileDeps): FollowedConfig {
  const { path, log, metrics, clock } = deps;
  // A change that comes while another waits for its issuers takes its place.
  let current = new AbortController();
  const reload = async (content: Uint8Array) => {
    current.abort();
    current = new AbortController();
    const { signal } = current;
    const failed = (error: unknown, message: string) => {
      metrics?.reloaded(false, clock.nowMs());
      log.error({ file: path, why: (error as Error).message }, message);
    };
    let settings: AuthenticationSettings;
    try {
      settings = deps.parse(content);
    } catch (error) {
      failed(error, "the new authentication configuration cannot be used; the old one stays");
      return;
    }
    // Issuers may be down for a while: what the file says is wanted until it says something else.
    while (!signal.aborted) {
      try {
        await deps.issuers.replace(settings.jwt, READY_TIMEOUT_MS, signal);
        break;
      } catch (error) {
        if (signal.aborted) return;
        failed(error, "new issuers cannot be reached; the old authentication configuration stays until they can");
      }
    }
    deps.onAnonymous(settings.anonymous);
    deps.keep(content);
    metrics?.configured(content);
    metrics?.reloaded(true, clock.nowMs());
    log.info({ file: path }, "the authentication configuration was reloaded");
  };
  const followed = new FollowedFile(path, {
    clock,
    known: deps.first,
    intervalMs: RELOAD_INTERVAL_MS,
    onContent: (content) => void reload(content),
    onError: (error) =>
      log.warn({ err: error, file: path }, "the authentication configuration could not be read; the old one stays"),
  });
  // It may have changed since it was read, by whoever did.
  void followed.look();
  return {
    close() {
      followed.close();
      current.abort();
    },
  };
}
