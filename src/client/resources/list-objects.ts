// Lists, whole or page by page. Requirements: document 1, "Collections", "Chunked lists".

import { isApiError } from "../api-error.ts";
import { type RequestOptions, type RequestSender, sendForObject } from "./request-sender.ts";
import { resourcePath } from "./resource-path.ts";
import { acceptFor, apiVersionOfType, type ResourceType, type Stored } from "./resource-type.ts";

export interface ListOptions extends RequestOptions {
  /** `app=web,tier in (a,b)`. */
  readonly labelSelector?: string | undefined;
  /** `metadata.name=x,status.phase!=Running`. */
  readonly fieldSelector?: string | undefined;
  /** At most so many objects; the answer's metadata.continue leads on. */
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan" | undefined;
  /** Seconds that the server may take. */
  readonly timeoutSeconds?: number | undefined;
}

export interface ObjectList<T> {
  readonly items: Stored<T>[];
  readonly metadata: ListMetadata;
}

interface ListMetadata {
  readonly resourceVersion: string;
  /** Leads to the next page; absent on the last one. */
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export interface PageOptions extends Omit<ListOptions, "limit" | "continue"> {
  /** Objects in one page; 500 when not given. */
  readonly pageSize?: number | undefined;
  /**
   * What happens when the version of the first page has been forgotten before the last one was read. "fail" (the default)
   * throws the ApiError with code 410; "restart" begins again, with everything in one page, which says so; "continue"
   * goes on with objects as they are now, so that pages are no longer of one moment.
   */
  readonly onExpired?: "fail" | "restart" | "continue" | undefined;
}

export interface ListPage<T> extends ObjectList<T> {
  /** This page begins a new round: what earlier pages held is void. */
  readonly restarted: boolean;
}

const PAGE_SIZE = 500;

export async function listObjects<T>(
  sender: RequestSender,
  type: ResourceType,
  namespace: string | undefined,
  options: ListOptions,
): Promise<ObjectList<T>> {
  const { signal, onWarning, ...query } = options;
  const path = resourcePath(type, { namespace }, query);
  const accept = acceptFor(type, sender.names, "list");
  const list = (await sendForObject(sender, { method: "GET", path, accept, signal, onWarning })) as {
    items?: Stored<T>[] | null;
    metadata?: ListMetadata;
  };
  const items = list.items ?? [];
  for (const item of items) withType(item, type);
  return { items, metadata: list.metadata ?? { resourceVersion: "" } };
}

/** All pages show the objects of one moment, that of the first page. */
export async function* listPages<T>(
  sender: RequestSender,
  type: ResourceType,
  namespace: string | undefined,
  { pageSize = PAGE_SIZE, onExpired = "fail", ...options }: PageOptions,
): AsyncGenerator<ListPage<T>, void, void> {
  let next: string | undefined;
  let restarted = false;
  let limit: number | undefined = pageSize;
  do {
    let list: ObjectList<T>;
    try {
      // The version is in the token: beside it, the server allows none.
      const { resourceVersion: _, resourceVersionMatch: __, ...rest } = options;
      const page = next === undefined ? options : { ...rest, continue: next };
      list = await listObjects<T>(sender, type, namespace, { ...page, limit });
    } catch (error) {
      if (next === undefined || onExpired === "fail" || !isApiError(error, "Expired", "Gone")) throw error;
      const fresh = error.status.metadata?.continue;
      restarted = onExpired === "restart" || fresh === undefined;
      next = restarted ? undefined : fresh;
      // Who was too slow for pages once may be so again.
      if (restarted) limit = undefined;
      continue;
    }
    yield { ...list, restarted };
    restarted = false;
    next = list.metadata.continue === "" ? undefined : list.metadata.continue;
  } while (next !== undefined || restarted);
}

/** Servers leave kind and apiVersion out inside lists; an object should say what it is wherever it came from. */
export function withType<T>(object: T, type: ResourceType): T {
  const item = object as { apiVersion?: string; kind?: string };
  // Metadata alone is of a kind of its own; what matters is whose it is.
  const isNeutral = type.metadataOnly === true;
  if (type.kind !== undefined && (isNeutral || item.kind === undefined)) item.kind = type.kind;
  if (isNeutral || item.apiVersion === undefined) item.apiVersion = apiVersionOfType(type);
  return object;
}
