// Kept TLS connections to other servers, by target: their number is bounded, and the targets that were not used for the
// longest time are forgotten first, though never under a call that is under way.

import { Agent } from "node:https";
import { isIP } from "node:net";
import { type ConnectionOptions, checkServerIdentity, type SecureContext } from "node:tls";
import { BoundedCache } from "../../base/bounded-cache.ts";

/** A server, and how to know that it is the right one. */
export interface HttpsTarget {
  /** Where connections go. */
  readonly host: string;
  readonly port: number;
  /** The name that its certificate must have; the host when not given. */
  readonly serverName?: string;
  /** PEM; the system's authorities when not given. */
  readonly authority?: string;
  /** Shown to the server when it asks. */
  readonly identity?: ClientIdentity;
  /** Any certificate is good. */
  readonly insecure?: boolean;
  /** Made by the owner, instead of authority and identity. It stands for the target's settings: one owner, one context. */
  readonly secureContext?: SecureContext;
}

export interface ClientIdentity {
  readonly certificatePem: string;
  readonly keyPem: string;
}

export interface HttpsPoolLimits {
  readonly maxSocketsPerTarget: number;
  /** Connections to so many targets are kept. */
  readonly maxTargets: number;
  /** Connections stay open for the next call; true when not given. */
  readonly keepAlive?: boolean;
}

/** Connections to one target, for as long as they are held. */
export interface HeldConnections {
  readonly agent: Agent;
  release(): void;
}

interface Entry {
  readonly agent: Agent;
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
      onEvict: (_, entry) => {
        entry.forgotten = true;
        if (entry.holders === 0) entry.agent.destroy();
      },
    });
  }

  hold(target: HttpsTarget): HeldConnections {
    const entry = this.#entryOf(target);
    entry.holders += 1;
    let held = true;
    return {
      agent: entry.agent,
      release: () => {
        if (!held) return;
        held = false;
        entry.holders -= 1;
        if (entry.forgotten && entry.holders === 0) entry.agent.destroy();
      },
    };
  }

  close(): void {
    for (const [, { agent }] of this.#entries.entries()) agent.destroy();
    this.#entries.clear();
  }

  #entryOf(target: HttpsTarget): Entry {
    const make = () => ({ agent: this.#agentFor(target), holders: 0, forgotten: false });
    return this.#entries.getOrMake(keyOf(target), make);
  }

  #agentFor(target: HttpsTarget): Agent {
    return new Agent({
      keepAlive: this.#limits.keepAlive ?? true,
      maxSockets: this.#limits.maxSocketsPerTarget,
      timeout: IDLE_MS,
      ...tlsOptions(target),
    });
  }
}

/** For connections that are not kept: upgraded ones. */
export function tlsOptions({ host, serverName = host, authority, identity, insecure, secureContext }: HttpsTarget) {
  return {
    minVersion: "TLSv1.2" as const,
    rejectUnauthorized: insecure !== true,
    ...nameCheck(serverName),
    ...(secureContext === undefined ? {} : { secureContext }),
    ...(authority === undefined ? {} : { ca: authority }),
    ...(identity === undefined ? {} : { cert: identity.certificatePem, key: identity.keyPem }),
  };
}

/** An address is no name to send; the certificate is held against it all the same. */
function nameCheck(serverName: string): Pick<ConnectionOptions, "servername" | "checkServerIdentity"> {
  if (isIP(serverName) === 0) return { servername: serverName };
  return { servername: "", checkServerIdentity: (_host, certificate) => checkServerIdentity(serverName, certificate) };
}

function keyOf({ host, port, serverName, authority, identity, insecure }: HttpsTarget): string {
  return [host, port, serverName, insecure === true, authority, identity?.certificatePem].join(" ");
}
