// Lists of any length, page by page.

import { getKey, isObject, type Json, type JsonObject } from "../base/json.ts";
import { type DiscoveredResource, pathOf } from "../client/discovery.ts";
import type { Session } from "./session.ts";

export interface ListOptions {
  readonly resource: DiscoveredResource;
  /** Undefined for all namespaces. */
  readonly namespace: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Objects to a page; 0 for all at once. */
  readonly pageSize: number;
  readonly accept?: string;
  /** Warnings are not shown: nobody asked for this resource by its name. */
  readonly quiet?: boolean;
  /** Rows of tables with their whole objects. */
  readonly wholeRows?: boolean;
}

export const DEFAULT_PAGE_SIZE = 500;

/** Each page as the server answers it: a list, or a Table where that was asked for. */
export async function* listPages(session: Session, options: ListOptions): AsyncGenerator<JsonObject> {
  const { resource, namespace, labelSelector, fieldSelector, pageSize, accept, wholeRows } = options;
  let token: string | undefined;
  do {
    const query = new URLSearchParams({
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
      ...(pageSize > 0 ? { limit: String(pageSize) } : {}),
      ...(token === undefined ? {} : { continue: token }),
      ...(wholeRows === true ? { includeObject: "Object" } : {}),
    });
    const request = {
      method: "GET" as const,
      path: withQuery(pathOf(resource, namespace), query),
      ...(accept === undefined ? {} : { headers: { accept } }),
    };
    const page = await session.sendForJson(request, { quiet: options.quiet === true });
    if (!isObject(page)) return;
    yield page;
    token = continueOf(page);
  } while (token !== undefined);
}

export function withQuery(path: string, query: URLSearchParams): string {
  return query.size === 0 ? path : `${path}?${query}`;
}

/** Its objects, each saying its type as objects that were asked for alone do. */
export function itemsOf(page: JsonObject, { kind }: DiscoveredResource, apiVersion: string): JsonObject[] {
  const items = getKey(page, "items");
  return (Array.isArray(items) ? items.filter(isObject) : []).map((item) => ({ apiVersion, kind, ...item }));
}

function continueOf(page: Json): string | undefined {
  const metadata = isObject(page) ? getKey(page, "metadata") : undefined;
  const token = isObject(metadata) ? getKey(metadata, "continue") : undefined;
  return typeof token === "string" && token !== "" ? token : undefined;
}
