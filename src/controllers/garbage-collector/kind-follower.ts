// Follows the metadata of every object that can be collected, kind by kind, into the graph. Kinds come and go with
// discovery.

import { BackgroundLoop } from "../../base/background-loop.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { nextTurn } from "../../base/next-turn.ts";
import type { Client } from "../../client/client.ts";
import { type DiscoveredResource, type Discovery, discover } from "../../client/discovery.ts";
import { type Informer, keyOf, type Stored } from "../../client/informer.ts";
import type { Change } from "../../client/resource-client.ts";
import type { SharedInformers } from "../../client/shared-informers.ts";
import { unlessAborted } from "../../client/unless-aborted.ts";
import { type GraphKind, type LooseMetadata, type ObservedObject, observe } from "./graph-node.ts";
import type { OwnerGraph } from "./owner-graph.ts";
import { ServedKinds } from "./served-kinds.ts";

interface KindFollowerParts {
  readonly client: Client;
  /** What other controllers follow already is not asked for, sent and decoded once more. */
  readonly informers: SharedInformers;
  readonly graph: OwnerGraph;
  readonly clock: Clock;
  readonly log: Log;
  /** Told of every object that was seen, and of every one that was there and is not any more. */
  readonly onSeen: (object: ObservedObject) => void;
  readonly onGone: (object: ObservedObject) => void;
  /** Told before the state of a kind is taken anew of which changes were missed. */
  readonly onMissed: () => void;
  /** Kinds could not be discovered, or the objects of one not be read. */
  readonly onFailure: () => void;
}

/** How often discovery is asked, beside when definitions of kinds change. */
const REFRESH_MS = 30_000;
/** A definition is served, or no longer, shortly after it has changed. */
const SETTLE_MS = 500;
/** A kind whose objects cannot be read does not keep all others waiting for longer than this. */
const MAX_SYNC_MS = 30_000;
/** Objects taken into the graph in one turn of the event loop. */
const PER_TURN = 1_000;

interface Followed {
  readonly kind: GraphKind;
  readonly stop: AbortController;
  readonly synced: Promise<void>;
}

export class KindFollower {
  readonly #parts: KindFollowerParts;
  readonly #followed = new Map<string, Followed>();
  readonly #definitionGroups: ReadonlySet<string>;
  #kinds: ServedKinds | undefined;
  #refreshes: BackgroundLoop | undefined;
  /** Before, everything is looked at once more when all kinds have been read. */
  #hasStarted = false;

  constructor(parts: KindFollowerParts) {
    this.#parts = parts;
    const { names } = parts.client;
    this.#definitionGroups = new Set([names.group("apiextensions"), names.group("apiregistration")]);
  }

  /** Undefined before the first answer of discovery. */
  get kinds(): ServedKinds | undefined {
    return this.#kinds;
  }

  /** Resolves when the graph holds everything, or what could be had of it in time. */
  async start(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    const refreshes = this.#refreshLoop(signal);
    this.#refreshes = refreshes;
    signal.addEventListener("abort", () => this.#close(signal.reason), { once: true });
    while (this.#kinds === undefined) {
      await refreshes.settle();
      if (this.#kinds === undefined) await clock.sleep(SETTLE_MS, signal);
    }
    const all = Promise.all([...this.#followed.values()].map(({ synced }) => synced));
    const late = new AbortController();
    try {
      await Promise.race([all, clock.sleep(MAX_SYNC_MS, AbortSignal.any([signal, late.signal]))]);
    } finally {
      late.abort();
    }
    this.#hasStarted = true;
  }

  #close(reason: unknown): void {
    this.#refreshes?.close();
    for (const { stop } of this.#followed.values()) stop.abort(reason);
  }

  #refreshLoop(signal: AbortSignal): BackgroundLoop {
    const { clock, log, onFailure } = this.#parts;
    return new BackgroundLoop({
      clock,
      settleMs: SETTLE_MS,
      everyMs: REFRESH_MS,
      reconcile: async () => {
        await this.#followServed(signal);
        return "done";
      },
      onError: (error) => {
        onFailure();
        log.warn({ err: error }, "kinds to collect could not be discovered");
      },
    });
  }

  async #followServed(signal: AbortSignal): Promise<void> {
    const kinds = new ServedKinds(await this.#served(signal), this.#parts.client.names);
    // What is not followed yet, nobody would stop any more.
    signal.throwIfAborted();
    this.#kinds = kinds;
    const gone = new Map(this.#followed);
    for (const served of kinds.collectable()) {
      const id = `${served.group}/${served.resource}`;
      const known = this.#followed.get(id);
      gone.delete(id);
      if (known !== undefined && isSame(known.kind, served)) continue;
      known?.stop.abort();
      this.#follow(id, served, known?.kind);
    }
    for (const [id, { kind, stop }] of gone) {
      // A server that does not answer at present has not lost its objects.
      if (kinds.isUnknown(kind.group)) continue;
      stop.abort();
      this.#followed.delete(id);
      for (const object of this.#parts.graph.ofKind(kind)) this.#parts.graph.remove(object.uid);
    }
  }

  /** At the start the informers have just asked. */
  async #served(signal: AbortSignal): Promise<Discovery> {
    const { client, informers } = this.#parts;
    const known = this.#kinds === undefined ? await unlessAborted(informers.served(), signal) : undefined;
    return known ?? discover(client.transport, { signal });
  }

  #follow(id: string, served: DiscoveredResource, before: GraphKind | undefined): void {
    const { group, version, resource, namespaced } = served;
    const kept = before !== undefined && before.kind === served.kind && before.namespaced === namespaced;
    const kind = kept ? before : { group, version, resource, kind: served.kind, namespaced };
    kind.version = version;
    const stop = new AbortController();
    const { signal } = stop;
    const shared = this.#parts.informers.following(group, resource);
    const synced = new Promise<void>((resolve) => {
      const running =
        shared === undefined ? this.#run(kind, signal, resolve) : this.#runAlong(kind, shared, signal).then(resolve);
      void running.catch((error: unknown) => {
        if (!signal.aborted) this.#parts.log.warn({ err: error, resource, group }, "a kind is no longer followed");
        if (this.#followed.get(id)?.stop === stop) this.#followed.delete(id);
        resolve();
      });
    });
    this.#followed.set(id, { kind, stop, synced });
  }

  async #run(kind: GraphKind, signal: AbortSignal, onSynced: () => void): Promise<void> {
    const { client, log, onFailure } = this.#parts;
    const changes = client.named({ ...kind, metadataOnly: true }).watch({
      keepTrying: true,
      signal,
      // Whoever refers to one of the others has it asked for: the graph need not know of it before it changes.
      onlyOwned: true,
      transform: smaller,
      onRetry: (error) => {
        onFailure();
        log.debug({ err: error, resource: kind.resource }, "a kind is followed anew");
      },
    });
    let isSynced = false;
    for await (const change of changes as AsyncGenerator<Change<object>>) {
      if (change.type === "SYNC" && isSynced) this.#parts.onMissed();
      await this.#take(kind, change, signal);
      if (change.type !== "SYNC") continue;
      isSynced = true;
      onSynced();
    }
  }

  /** With an informer of others. Resolves when what it holds is in the graph; changes go on coming. */
  async #runAlong(kind: GraphKind, informer: Informer<object>, signal: AbortSignal): Promise<void> {
    const put = ({ metadata }: Stored<object>): void => {
      this.#put(kind, metadata);
      this.#noteChange(kind);
    };
    const deleted = ({ metadata }: Stored<object>): void => {
      this.#remove(metadata.uid);
      this.#noteChange(kind);
    };
    const missed = () => this.#parts.onMissed();
    const registration = informer.addHandlers({ added: put, updated: put, deleted, missed }, { onlyChanges: true });
    signal.addEventListener("abort", () => registration.remove(), { once: true });
    await informer.whenSynced();
    const { graph } = this.#parts;
    const { cache } = informer;
    for (const [index, { metadata }] of cache.list().entries()) {
      // What has changed meanwhile, the handlers have heard of.
      const now = cache.get(keyOf({ metadata }))?.metadata;
      if (now?.uid === metadata.uid) this.#put(kind, now);
      if (index % PER_TURN === PER_TURN - 1) await nextTurn();
    }
    signal.throwIfAborted();
    for (const object of graph.ofKind(kind))
      if (cache.get(object)?.metadata.uid !== object.uid) this.#remove(object.uid);
    if (this.#hasStarted) graph.seenAll(kind);
    this.#noteChange(kind);
  }

  async #take(kind: GraphKind, change: Change<object>, signal: AbortSignal): Promise<void> {
    switch (change.type) {
      case "SYNC":
        await this.#replace(kind, change.items, signal);
        break;
      case "ADDED":
      case "MODIFIED":
        this.#put(kind, change.object.metadata);
        break;
      case "DELETED":
        this.#remove(change.object.metadata.uid);
        break;
      case "BOOKMARK":
        return;
    }
    this.#noteChange(kind);
  }

  #noteChange({ group }: GraphKind): void {
    if (this.#definitionGroups.has(group)) this.#refreshes?.enqueue();
  }

  async #replace(kind: GraphKind, items: readonly Stored<object>[], signal: AbortSignal): Promise<void> {
    const { graph } = this.#parts;
    const present = new Set<string>();
    for (const [index, { metadata }] of items.entries()) {
      present.add(metadata.uid);
      this.#put(kind, metadata);
      if (index % PER_TURN === PER_TURN - 1) await nextTurn();
    }
    signal.throwIfAborted();
    for (const { uid } of graph.ofKind(kind)) if (!present.has(uid)) this.#remove(uid);
    if (this.#hasStarted) graph.seenAll(kind);
  }

  #put(kind: GraphKind, metadata: LooseMetadata): void {
    const object = observe(kind, metadata);
    if (object === undefined) return;
    this.#parts.onSeen(object);
    this.#parts.graph.put(object);
  }

  #remove(uid: string): void {
    const { graph, onGone } = this.#parts;
    const object = graph.get(uid);
    if (object === undefined) return;
    onGone(object);
    graph.remove(uid);
  }
}

function isSame(kind: GraphKind, { version, kind: word, namespaced }: DiscoveredResource): boolean {
  return kind.version === version && kind.kind === word && kind.namespaced === namespaced;
}

/** What the graph reads, before a long list of it is held. */
function smaller(object: Stored<object>): Stored<object> {
  const { name, namespace, uid, resourceVersion, creationTimestamp, ownerReferences, finalizers, deletionTimestamp } =
    object.metadata;
  return {
    metadata: {
      name,
      uid,
      resourceVersion,
      creationTimestamp,
      ...(namespace === undefined ? {} : { namespace }),
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    },
  };
}
