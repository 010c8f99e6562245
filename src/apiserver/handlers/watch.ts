// Handler: a stream of changes. Requirements: document 1, "Events", "Streaming initial state".

import { nextTurn } from "../../base/next-turn.ts";
import { nextWorkTurn, turnIsOver } from "../../base/work-turns.ts";
import { contentTypeOf, negotiateOutput, negotiateWatch, type Output } from "../../codec/negotiate.ts";
import type { BodyWriter, Response, StreamBody } from "../../http/message.ts";
import { streamToWebSocket, type WebSocketFrames, wantsWebSocket } from "../../http/websocket.ts";
import type { FieldSelector } from "../../meta/field-selector.ts";
import { badRequest, expired } from "../../meta/status-error.ts";
import { type EventEncoder, eventEncoder } from "../../registry/encoding/encode-event.ts";
import { convertItemsOnce } from "../../registry/encoding/shared-conversions.ts";
import type { CacheItem, CacheSnapshot, Requirement, Revision } from "../../registry/items.ts";
import { type ListQuery, matcherOf, readListQuery, requirementsOf, splitQuery } from "../../registry/list-query.ts";
import type { ObjectStore } from "../../registry/object-store.ts";
import type { ResourceRequest } from "../../registry/resource-request.ts";
import { waitForNewest, waitForRevision } from "../../registry/wait-for-revision.ts";
import type { Conversion } from "./converted-events.ts";
import { acceptHeaders, endpointOf, type HandlerContext } from "./handler-context.ts";
import { WatchSession } from "./watch-session.ts";

const BOOKMARK_INTERVAL_MS = 55_000;
/** So many objects are held against a selector before others have their turn. */
const MAX_LOOKED_AT = 10_000;

/** Messages say themselves how long they are: protobuf needs no length before each event there. */
const WEB_SOCKET_FRAMES: Readonly<Record<Output["mediaType"], WebSocketFrames>> = {
  json: { binary: false, skippedBytes: 0 },
  yaml: { binary: false, skippedBytes: 0 },
  cbor: { binary: true, skippedBytes: 0 },
  protobuf: { binary: true, skippedBytes: 4 },
};

export async function watch(context: HandlerContext, resourceRequest: ResourceRequest): Promise<Response> {
  const { request, target, resource } = resourceRequest;
  const output = watchOutput(context, resourceRequest);
  const query = readListQuery(request.query, {
    names: context.names,
    kind: resource.kind,
    watch: true,
    watchListEnabled: context.gateEnabled("WatchList"),
  });
  checkName(query, target.name);
  const store = resource.store!;
  await store.cache.ready();
  const plan = await startOf(store, query, request);
  // The watch stands, and its first event says that it cannot go on: as upstream's cache answers.
  const tooOld = !plan.synthetic && plan.after < context.ages.oldestWatched;
  const stream = new WatchStream(context, resourceRequest, output, query, plan, tooOld);
  const body: StreamBody = { stream: (writer) => stream.run(writer) };
  if (wantsWebSocket(request)) return streamToWebSocket(request, body, WEB_SOCKET_FRAMES[output.mediaType]);
  return {
    status: 200,
    headers: { "content-type": contentTypeOf(output, context.names) },
    body,
  };
}

/** Fails with 406, which names what a list can be where not even that is asked for. */
function watchOutput(context: HandlerContext, { request, resource }: ResourceRequest): Output {
  const wishes = acceptHeaders(request);
  const endpoint = endpointOf(context, resource, true);
  try {
    return negotiateWatch(wishes, context.names, endpoint);
  } catch (refused) {
    negotiateOutput(wishes, context.names, endpoint);
    throw refused;
  }
}

interface Start {
  /** Existing objects come first, as ADDED. */
  readonly synthetic: boolean;
  readonly after: Revision;
}

/** Where the stream begins, waiting for the cache where the client asks for something newer. */
async function startOf(store: ObjectStore, query: ListQuery, reader: { readonly signal: AbortSignal }): Promise<Start> {
  const { revision, sendInitialEvents } = query;
  const wantsState = sendInitialEvents ?? (revision === undefined || revision === 0);
  if (!wantsState && revision !== undefined && revision > 0) return { synthetic: false, after: revision };
  if (revision === undefined) await waitForNewest(store, reader);
  else if (revision > 0) await waitForRevision(store, revision, reader);
  return { synthetic: wantsState, after: store.cache.revision };
}

function checkName(query: ListQuery, name: string): void {
  if (name === "") return;
  const selected = query.fields?.exact("metadata.name");
  if (selected !== undefined && selected !== name)
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
}

class WatchStream {
  readonly #context: HandlerContext;
  readonly #resourceRequest: ResourceRequest;
  readonly #query: ListQuery;
  readonly #start: Start;
  readonly #encode: EventEncoder;
  readonly #tooOld: boolean;
  readonly #scope: string;
  /** What the cache selects by, and what only converted objects tell. */
  readonly #stored: ListQuery;
  readonly #served: FieldSelector | undefined;
  readonly #matches: ((item: CacheItem) => boolean) | undefined;
  readonly #requires: readonly Requirement[];

  constructor(
    context: HandlerContext,
    resourceRequest: ResourceRequest,
    output: Output,
    query: ListQuery,
    start: Start,
    tooOld: boolean,
  ) {
    this.#tooOld = tooOld;
    this.#context = context;
    this.#resourceRequest = resourceRequest;
    this.#query = query;
    this.#start = start;
    this.#encode = eventEncoder(context, resourceRequest, output);
    this.#scope = scopeOf(resourceRequest, query);
    const { stored, served } = splitQuery(query, resourceRequest.resource);
    this.#stored = stored;
    this.#served = served;
    this.#matches = matcherOf(stored);
    this.#requires = requirementsOf(stored);
  }

  run(writer: BodyWriter): Promise<void> {
    return new Promise((resolve) => {
      const session = new WatchSession(this.#context.clock, writer, this.#encode, resolve, this.#conversion());
      session.endAfter(this.#timeoutMs());
      this.#begin(session).catch((error: unknown) => session.fail(error));
    });
  }

  async #begin(session: WatchSession): Promise<void> {
    const { cache } = this.#resourceRequest.resource.store!;
    let { after } = this.#start;
    if (this.#tooOld) throw expired(`too old resource version: ${after} (${this.#context.ages.oldestWatched})`);
    if (this.#start.synthetic) {
      after = cache.revision;
      const selected = cache.select({
        scope: this.#scope,
        requires: this.#requires,
        ...(this.#matches === undefined ? {} : { matches: this.#matches }),
      });
      const initial = selected === undefined ? this.#found(cache.snapshot()!, session) : inPieces(selected, session);
      // The watch begins before the state is sent, so that nothing is missed however long that takes.
      session.hold();
      this.#follow(session, after);
      for (const batch of initial) {
        if (session.over) break;
        // A selector may look at very many objects and find none, and a client may take very many at once.
        await (batch.length === 0 ? nextTurn() : session.initial(batch));
        if (turnIsOver()) await nextWorkTurn();
      }
      if (this.#marksEnd()) {
        session.send(this.#encode.bookmark(after, { [this.#context.names.initialEventsEndAnnotation]: "true" }));
      }
      session.release();
    } else {
      this.#follow(session, after);
    }
    if (this.#query.allowBookmarks) session.bookmarkEvery(BOOKMARK_INTERVAL_MS);
  }

  /** The selected objects of a state, in pieces that one write can hold. */
  *#found(snapshot: CacheSnapshot, session: WatchSession): Generator<CacheItem[]> {
    let last: string | undefined;
    for (let more = true; more; ) {
      const batch: CacheItem[] = [];
      let size = 0;
      let looked = 0;
      more = false;
      snapshot.visit(this.#scope, last, (item) => {
        if (size >= session.chunkBytes || looked >= MAX_LOOKED_AT) {
          more = true;
          return false;
        }
        last = item.key;
        looked += 1;
        // What cannot be read may be what was selected.
        if (item.corrupt === undefined && this.#matches?.(item) === false) return true;
        batch.push(item);
        size += item.bytes.length;
        return true;
      });
      yield batch;
    }
  }

  #follow(session: WatchSession, after: Revision): void {
    const { labels, fields } = this.#stored;
    const requires = this.#requires.find(({ values }) => values.length === 1);
    const watch = this.#resourceRequest.resource.store!.cache.watch({
      scope: this.#scope,
      after,
      sink: session,
      ...(this.#matches === undefined
        ? {}
        : { matches: this.#matches, selectorKey: `${labels?.text ?? ""}\n${fields?.text ?? ""}` }),
      ...(requires === undefined ? {} : { requires }),
    });
    session.attach(watch);
  }

  /**
   * Whether a bookmark says where the initial events end. As upstream: with streaming lists, a watch from no version or
   * from 0 counts as one that asks for them, unless it says how its version is meant.
   */
  #marksEnd(): boolean {
    const { sendInitialEvents, match, allowBookmarks } = this.#query;
    const asks = sendInitialEvents ?? (match === "" && this.#context.gateEnabled("WatchList"));
    return asks && allowBookmarks;
  }

  #conversion(): Conversion | undefined {
    const { resource } = this.#resourceRequest;
    if (!resource.convertsByWebhook) return undefined;
    const convert: Conversion["convert"] = (items) => convertItemsOnce(resource, items);
    const served = this.#served;
    return served === undefined ? { convert } : { convert, selects: ({ fields }) => served.matches(fields) };
  }

  #timeoutMs(): number {
    const { timeoutSeconds } = this.#query;
    // As upstream: 0 is no wish, and a time that is over already ends the watch at once.
    if (timeoutSeconds !== undefined && timeoutSeconds !== 0) return Math.max(0, timeoutSeconds) * 1000;
    // Spread, so that a crowd of watchers that began together does not come back together.
    return this.#context.minWatchSeconds * 1000 * (1 + Math.random());
  }
}

function* inPieces(items: readonly CacheItem[], { chunkBytes }: WatchSession): Generator<CacheItem[]> {
  let batch: CacheItem[] = [];
  let size = 0;
  for (const item of items) {
    if (size >= chunkBytes) {
      yield batch;
      [batch, size] = [[], 0];
    }
    batch.push(item);
    size += item.bytes.length;
  }
  yield batch;
}

/** As narrow as can be told: of one object that is named by its path or by the selector, its key. */
function scopeOf({ resource, target }: ResourceRequest, query: ListQuery): string {
  const store = resource.store!;
  const namespaced = resource.kind.scope === "Namespaced";
  const namespace = namespaced ? target.namespace : "";
  const name = target.name === "" ? (query.fields?.exact("metadata.name") ?? "") : target.name;
  return name === "" || (namespaced && namespace === "") ? store.scopeOf(namespace) : store.keyOf(namespace, name);
}
