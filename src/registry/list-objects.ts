// A collection at one revision: which revision to serve, from the cache or from the store.
// Requirements: document 1, "List and watch semantics", "Chunked lists".

import { inTurns } from "../base/steps.ts";
import { nextWorkTurn, turnIsOver } from "../base/work-turns.ts";
import type { FieldSelector } from "../meta/field-selector.ts";
import type { Names } from "../meta/names.ts";
import { expired } from "../meta/status-error.ts";
import type { Revision } from "../storage/engine.ts";
import { isStorageError, StorageError } from "../storage/storage-error.ts";
import type { CacheItem, CacheList, CacheListOptions, Requirement, WatchCache } from "../storage/watch-cache.ts";
import { decodeContinue, encodeContinue, lastKeyOf } from "./continue-token.ts";
import { type ListQuery, matcherOf, requirementsOf, servedFields, splitQuery } from "./list-query.ts";
import { decodeAllInSteps } from "./object-bytes.ts";
import type { ObjectStore } from "./object-store.ts";
import { corruptObject } from "./read-object.ts";
import type { RevisionAges } from "./revision-ages.ts";
import type { ServedResource } from "./served-resource.ts";
import { toStatusError } from "./storage-errors.ts";
import { type WaitingCaller, waitForNewest, waitForRevision } from "./wait-for-revision.ts";
import { turnOf } from "./write.ts";

export interface ListedObjects {
  readonly items: readonly CacheItem[];
  readonly revision: Revision;
  readonly continueToken?: string;
  readonly remainingItemCount?: number;
}

/** Entries are fetched from the store in pages of this size. */
const STORE_PAGE = 500;

/** What a list needs to know of the server. */
interface ListContext {
  readonly names: Names;
  readonly ages: Pick<RevisionAges, "givenAtMs" | "hasExpired" | "oldestContinued">;
}

export async function listObjects(
  context: ListContext,
  resource: ServedResource,
  namespace: string,
  query: ListQuery,
  reader: WaitingCaller,
): Promise<ListedObjects> {
  const store = resource.store!;
  try {
    const { stored, served } = splitQuery(query, resource);
    const listed = await choose(context, store, namespace, stored, reader);
    for (const item of listed.items) {
      if (item.corrupt !== undefined) throw corruptObject(resource, item.key, item.corrupt);
    }
    return served === undefined ? listed : await selectServed(resource, listed, served, reader);
  } catch (error) {
    throw toStatusError(error, resource.subject, "");
  }
}

/** A page may be left with less than its limit: the client asks for the next one all the same. */
async function selectServed(
  resource: ServedResource,
  { items, remainingItemCount: _, ...page }: ListedObjects,
  fields: FieldSelector,
  reader: WaitingCaller,
): Promise<ListedObjects> {
  const stored = await inTurns(decodeAllInSteps(items), () => turnOf(reader));
  const served = stored.length === 0 ? [] : await resource.fromStored(stored, reader);
  return { ...page, items: items.filter((_item, index) => fields.matches(servedFields(resource, served[index]!))) };
}

async function choose(
  context: ListContext,
  store: ObjectStore,
  namespace: string,
  query: ListQuery,
  reader: WaitingCaller,
): Promise<ListedObjects> {
  const scope = store.scopeOf(namespace);
  if (query.continueToken !== "") return continued(context, store, scope, query, reader);
  await store.cache.ready();
  const { revision } = query;
  if (revision === undefined) await waitForNewest(store, reader);
  else if (revision > 0) await waitForRevision(store, revision, reader);
  const exact =
    revision !== undefined &&
    revision > 0 &&
    (query.match === "Exact" || (query.match === "" && query.limit !== undefined));
  return pageAt(context, store, scope, query, exact ? revision : undefined, undefined);
}

async function continued(
  context: ListContext,
  store: ObjectStore,
  scope: string,
  query: ListQuery,
  reader: WaitingCaller,
): Promise<ListedObjects> {
  const { names, ages } = context;
  const position = decodeContinue(names, query.continueToken);
  const after = scope + lastKeyOf(position);
  await store.cache.ready();
  if (position.revision < 0) {
    await waitForNewest(store, reader);
    return pageAt(context, store, scope, query, undefined, after);
  }
  await waitForRevision(store, position.revision, reader);
  try {
    const { givenAtMs } = position;
    if (position.revision < ages.oldestContinued || (givenAtMs !== undefined && ages.hasExpired(givenAtMs)))
      throw new StorageError("RevisionGone", "the continue token has expired");
    return await pageAt(context, store, scope, query, position.revision, after);
  } catch (error) {
    if (!isStorageError(error, "RevisionGone")) throw error;
    const fresh = encodeContinue(names, -1, lastKeyOf(position));
    throw expired(CONTINUE_EXPIRED, fresh);
  }
}

const CONTINUE_EXPIRED =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without " +
  "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. " +
  "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted " +
  "between the time the first chunk was returned and now may show up in the list.";

async function pageAt(
  { names, ages }: ListContext,
  store: ObjectStore,
  scope: string,
  query: ListQuery,
  revision: Revision | undefined,
  after: string | undefined,
): Promise<ListedObjects> {
  const matches = matcherOf(query);
  const one = query.fields?.exact("metadata.name");
  const options = {
    scope,
    ...(revision === undefined ? {} : { revision }),
    ...(after === undefined ? {} : { after }),
    ...(query.limit === undefined ? {} : { limit: query.limit }),
    ...(matches === undefined ? {} : { matches, requires: requirementsOf(query) }),
  };
  if (one !== undefined && one !== "" && revision === undefined && after === undefined && scope !== store.prefix) {
    const item = store.cache.get(scope + one);
    const items = item !== undefined && (matches?.(item) ?? true) ? [item] : [];
    store.observer?.listed({ index: "", fetched: item === undefined ? 0 : 1, returned: items.length });
    return { items, revision: store.cache.revision };
  }
  const page = await readPage(store, options);
  const last = page.items.at(-1);
  if (!page.more || last === undefined) return { items: page.items, revision: page.revision };
  return {
    items: page.items,
    revision: page.revision,
    continueToken: encodeContinue(names, page.revision, last.key.slice(scope.length), ages.givenAtMs),
    // What a selector leaves is not counted: that would mean to look at all of it.
    ...(page.remainingCount !== undefined && page.remainingCount > 0
      ? { remainingItemCount: page.remainingCount }
      : {}),
  };
}

type PageOptions = CacheListOptions & { readonly revision?: Revision };

interface CachedPage extends CacheList {
  /** The index that led to it. */
  readonly index?: string;
}

/** A page; the observer of the store is told how much was looked at for it. */
async function readPage(store: ObjectStore, options: PageOptions): Promise<CacheList> {
  const { observer } = store;
  const { matches } = options;
  let looks = 0;
  const counting = (item: CacheItem): boolean => {
    looks += 1;
    return matches?.(item) !== false;
  };
  const counted = matches === undefined || observer === undefined ? options : { ...options, matches: counting };
  const cached = await pageFromCache(store, counted);
  const page = cached ?? (await pageFromStore(store, counted));
  const returned = page.items.length;
  const index = cached === undefined ? undefined : (cached.index ?? "");
  observer?.listed({ index, fetched: matches === undefined ? returned : looks, returned });
  return page;
}

/** A selector may have to look at everything, and who asks for everything has it collected: in pieces of so many objects. */
const ITEMS_PER_TURN = 10_000;

async function pageFromCache({ cache }: ObjectStore, options: PageOptions): Promise<CachedPage | undefined> {
  const { scope, limit = Number.POSITIVE_INFINITY, matches, requires = [] } = options;
  const selected = matches === undefined ? undefined : selectNow(cache, options);
  if (selected !== undefined) return pageOf(selected, cache.revision, limit, requires);
  // A snapshot makes later writes copy what they change, so it is taken only for lists that need several turns.
  const isPage = matches === undefined && limit < Number.POSITIVE_INFINITY;
  if (isPage || !cache.hasAtLeast(scope, ITEMS_PER_TURN + 1)) return cache.list(options);
  const indexing = cache.indexing(requires);
  if (indexing !== undefined) {
    // It is ready sooner than everything is looked at once more.
    await indexing;
    const found = selectNow(cache, options);
    if (found !== undefined) return pageOf(found, cache.revision, limit, requires);
  }
  return cache.snapshot(options.revision ?? cache.revision)?.listInTurns(options, ITEMS_PER_TURN);
}

/** By an index, which knows the present state alone. */
function selectNow(cache: WatchCache, options: PageOptions): CacheItem[] | undefined {
  return (options.revision ?? cache.revision) === cache.revision ? cache.select(options) : undefined;
}

function pageOf(
  selected: readonly CacheItem[],
  revision: Revision,
  limit: number,
  requires: readonly Requirement[],
): CachedPage {
  // Fields are few, and shown by name as upstream shows them; labels are what anybody writes.
  const field = requires.find((requirement) => requirement.of === "field");
  const index = field === undefined ? "l" : `f:${field.name}`;
  const items = selected.slice(0, limit);
  return { items, index, revision, more: selected.length > limit, remainingCount: undefined };
}

/** The store still knows revisions that the cache has let go. */
async function pageFromStore(store: ObjectStore, options: PageOptions) {
  const { scope, limit = Number.POSITIVE_INFINITY, matches } = options;
  const items: CacheItem[] = [];
  let after = options.after;
  let revision = options.revision;
  for (;;) {
    const wanted = matches === undefined ? Math.min(STORE_PAGE, limit - items.length) : STORE_PAGE;
    const page = await store.engine.list(scope, {
      limit: wanted,
      ...(after === undefined ? {} : { after }),
      ...(revision === undefined ? {} : { revision }),
    });
    revision = page.revision;
    for (const [index, entry] of page.entries.entries()) {
      after = entry.key;
      if (turnIsOver()) await nextWorkTurn();
      const reading = store.readEntry(entry);
      const item = reading instanceof Promise ? await reading : reading;
      if (matches?.(item) === false) continue;
      items.push(item);
      if (items.length < limit) continue;
      const rest = page.entries.length - index - 1 + page.remainingCount;
      return { items, revision, more: rest > 0, remainingCount: matches === undefined ? rest : undefined };
    }
    if (!page.more) return { items, revision, more: false, remainingCount: 0 };
  }
}
