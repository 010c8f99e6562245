// Kept TLS connections to other servers, by target: their number is bounded, and the targets that were not used for the
// longest time are forgotten first, though never under a call that is under way.

import type { Agent as HttpAgent } from "node:http";
import { Agent } from "node:https";
import { BoundedCache } from "../../base/bounded-cache.ts";
import { type HttpsTarget, hostTrust, secureContextInTurns, tlsOptions } from "../tls-target.ts";
import { EgressHttpsAgent } from "./egress.ts";

export interface HttpsPoolLimits {
  readonly maxSocketsPerTarget: number;
  /** Connections to so many targets are kept. */
  readonly maxTargets: number;
  /** Connections stay open for the next call; true when not given. */
  readonly keepAlive?: boolean;
}

/** Connections to one target, for as long as they are held. */
export interface HeldConnections<A extends HttpAgent = Agent> {
  readonly agent: A;
  release(): void;
}

interface Entry {
  readonly agent: Promise<Agent>;
  holders: number;
  forgotten: boolean;
}

/** How long an idle connection is kept. */
const IDLE_MS = 90_000;

export class HttpsPool {
  readonly #limits: HttpsPoolLimits;
  readonly #entries: BoundedCache<string, Entry>;

  constructor(limits: HttpsPoolLimits) {
    this.#limits = limits;
    this.#entries = new BoundedCache({
      maxEntries: limits.maxTargets,
      onEvict: (_, entry) => forget(entry),
    });
  }

  /** Fails when what is to be shown to the target is no certificate with its key. */
  async hold(target: HttpsTarget): Promise<HeldConnections> {
    const entry = this.#entryOf(target);
    entry.holders += 1;
    let held = true;
    const release = () => {
      if (!held) return;
      held = false;
      entry.holders -= 1;
      if (entry.forgotten && entry.holders === 0) destroy(entry);
    };
    try {
      return { agent: await entry.agent, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  close(): void {
    for (const [, entry] of this.#entries.entries()) {
      entry.forgotten = true;
      destroy(entry);
    }
    this.#entries.clear();
  }

  #entryOf(target: HttpsTarget): Entry {
    const make = () => ({ agent: this.#agentFor(target), holders: 0, forgotten: false });
    return this.#entries.getOrMake(keyOf(target), make);
  }

  async #agentFor(target: HttpsTarget): Promise<Agent> {
    const { authority, identity, insecure } = target;
    const isHostTrust = authority === undefined && identity === undefined && insecure !== true;
    const options = {
      keepAlive: this.#limits.keepAlive ?? true,
      maxSockets: this.#limits.maxSocketsPerTarget,
      timeout: IDLE_MS,
      ...tlsOptions(target, await (isHostTrust ? hostTrust() : secureContextInTurns(target))),
    };
    return target.egress === undefined ? new Agent(options) : new EgressHttpsAgent(target.egress, options);
  }
}

function forget(entry: Entry): void {
  entry.forgotten = true;
  if (entry.holders === 0) destroy(entry);
}

function destroy({ agent }: Entry): void {
  agent.then(
    (made) => made.destroy(),
    () => undefined,
  );
}

function keyOf({ host, port, serverName, authority, identity, insecure, egress }: HttpsTarget): string {
  return [host, port, serverName, insecure === true, authority, identity?.certificatePem, egress?.name].join(" ");
}
