// The Lease by which a server of a cluster tells the others that it is there, and the end of those that told so and have gone.
// As upstream; renewed less often, because its term is an hour.

import { hostname } from "node:os";
import type { Background } from "../../base/background.ts";
import type { Clock } from "../../base/clock.ts";
import { inTurns } from "../../base/steps.ts";
import { nextWorkTurn, turnIsOver } from "../../base/work-turns.ts";
import type { Lease } from "../../kinds/coordination/lease.ts";
import { labelValueProblems } from "../../meta/name-formats.ts";
import type { ApiObject } from "../../meta/object.ts";
import { timeOfMs } from "../../meta/time.ts";
import type { Catalog } from "../../registry/catalog.ts";
import type { ObjectStore } from "../../registry/object-store.ts";
import type { ServedResource } from "../../registry/served-resource.ts";
import { deleteAsServer, ensureAsServer } from "../../registry/server-writes.ts";
import { newUid, type WriteDeps } from "../../registry/write.ts";

interface IdentityLeaseParts {
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly background: Background;
  /** Empty: this server has none, and keeps no lease. */
  readonly serverId: string;
  readonly host?: string;
  /** Of the server whose place this one takes; a new one when not given. */
  readonly holder?: string | undefined;
}

const LEASE_SECONDS = 3600;
const RENEW_EVERY_MS = 600_000;
const LEASES_AT_A_TIME = 25;

type StoredEntry = Parameters<ObjectStore["readEntry"]>[0];
const IDENTITY = "kube-apiserver";

export class IdentityLease {
  readonly #parts: IdentityLeaseParts;
  readonly #host: string;
  /** Tells this server from one of the same name before it. */
  readonly holder: string;

  constructor(parts: IdentityLeaseParts) {
    this.#parts = parts;
    this.#host = parts.host ?? hostname();
    this.holder = parts.holder ?? `${parts.serverId}_${newUid()}`;
  }

  /** What the lease says; undefined where there is none, or none with a name of the machine that labels cannot have. */
  get identity(): { readonly serverId: string; readonly host: string; readonly holder: string } | undefined {
    const { serverId } = this.#parts;
    if (serverId === "" || labelValueProblems(this.#host).length > 0) return undefined;
    return { serverId, host: this.#host, holder: this.holder };
  }

  /** Nobody waits for the lease. */
  async start(deps: WriteDeps): Promise<void> {
    const { background, catalog, serverId } = this.#parts;
    const resource = catalog.own(deps.names.group("coordination"), "v1", "leases");
    if (serverId === "" || resource?.store === undefined) return;
    const loop = background.loop({
      name: "identity-lease",
      oncePerStore: true,
      failure: "the lease of this server's identity cannot be kept, trying again",
      everyMs: RENEW_EVERY_MS,
      retryMs: { first: 1_000, max: RENEW_EVERY_MS },
      reconcile: async () => {
        await this.#renew(deps, resource);
        await this.#endExpired(deps, resource);
        return "done";
      },
    });
    loop.enqueue();
  }

  async #renew(deps: WriteDeps, resource: ServedResource): Promise<void> {
    const { names } = deps;
    const { clock, serverId: name } = this.#parts;
    const labels = { [names.serverIdentityLabel]: IDENTITY, [names.hostnameLabel]: this.#host };
    const spec = {
      holderIdentity: this.holder,
      leaseDurationSeconds: LEASE_SECONDS,
      renewTime: timeOfMs(clock.nowMs(), "micros"),
    };
    const write = { resource, namespace: names.systemNamespace, name, manager: IDENTITY };
    await ensureAsServer(deps, write, { metadata: { labels }, spec }, (lease) => {
      if (this.#isFresh(lease["spec"] as Lease["spec"])) return false;
      lease.metadata.labels = { ...lease.metadata.labels, ...labels };
      lease["spec"] = { ...(lease["spec"] as object), ...spec };
      return true;
    });
  }

  async #endExpired(deps: WriteDeps, resource: ServedResource): Promise<void> {
    const { names } = deps;
    const store = resource.store!;
    const scope = store.scopeOf(names.systemNamespace);
    const own = store.keyOf(names.systemNamespace, this.#parts.serverId);
    // Users may have laid many others there, and large ones.
    for (let after = scope; ; ) {
      const { entries, more } = await store.engine.list(scope, { after, limit: LEASES_AT_A_TIME });
      for (const entry of entries) {
        if (turnIsOver()) await nextWorkTurn();
        if (entry.key !== own) await this.#endIfExpired(deps, resource, entry);
      }
      if (!more) return;
      after = entries.at(-1)!.key;
    }
  }

  async #endIfExpired(deps: WriteDeps, resource: ServedResource, entry: StoredEntry): Promise<void> {
    const { names } = deps;
    const store = resource.store!;
    const { labels, corrupt } = await store.readEntry(entry);
    if (corrupt !== undefined || labels?.[names.serverIdentityLabel] !== IDENTITY) return;
    const { metadata, spec } = (await inTurns(store.decodeInSteps(entry))) as ApiObject & Pick<Lease, "spec">;
    if (!this.#isExpired(spec)) return;
    const { name = "", uid = "", resourceVersion = "" } = metadata;
    const write = { resource, namespace: names.systemNamespace, name };
    await deleteAsServer(deps, write, { preconditions: { uid, resourceVersion } });
  }

  /** Written since this server began, and not long ago: it was laid with all that is there from the beginning. */
  #isFresh({ holderIdentity, renewTime = "" }: Lease["spec"]): boolean {
    return holderIdentity === this.holder && Date.parse(renewTime) + RENEW_EVERY_MS / 2 > this.#parts.clock.nowMs();
  }

  /** Also one that never says until when. */
  #isExpired({ renewTime, leaseDurationSeconds }: Lease["spec"]): boolean {
    if (renewTime === undefined || leaseDurationSeconds === undefined) return true;
    return Date.parse(renewTime) + leaseDurationSeconds * 1000 < this.#parts.clock.nowMs();
  }
}
