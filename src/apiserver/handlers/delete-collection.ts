// Handler: DELETE of a collection, one object after another; not a transaction. Requirements: document 1, "Verbs".

import type { Response } from "../../http/message.ts";
import { invalid } from "../../meta/field-error.ts";
import { invalidObject, isStatusError } from "../../meta/status-error.ts";
import { deleteObject } from "../../registry/delete-object.ts";
import type { CacheItem } from "../../registry/items.ts";
import { listObjects } from "../../registry/list-objects.ts";
import { readListQuery } from "../../registry/list-query.ts";
import type { ResourceRequest } from "../../registry/resource-request.ts";
import { answerList } from "./answer.ts";
import { deleteRequest } from "./delete.ts";
import { readDeleteOptions, UNSAFE } from "./delete-options.ts";
import { type HandlerContext, outputOf } from "./handler-context.ts";

/** Deletes under way at the same time: enough to share the store's syncs, so few that others hardly wait behind them. */
const CONCURRENCY = 4;

export async function deleteCollection(context: HandlerContext, resourceRequest: ResourceRequest): Promise<Response> {
  const { request, target, resource } = resourceRequest;
  const output = outputOf(context, resourceRequest);
  const options = await readDeleteOptions(context, resourceRequest);
  if (options.ignoreReadErrors) {
    throw invalidObject(context.names.group("meta"), "DeleteOptions", "", [
      invalid(UNSAFE, true, "is not allowed with DELETECOLLECTION, try again after removing the option"),
    ]);
  }
  const asked = readListQuery(request.query, {
    names: context.names,
    kind: resource.kind,
    watch: false,
    watchListEnabled: false,
    anyVersionWhole: context.anyVersionWhole,
  });
  // What was there at a version that the client has seen, and nothing that came later: as of a list in pages.
  const query = asked.revision && asked.match === "" ? ({ ...asked, match: "Exact" } as const) : asked;
  const namespace = resource.kind.scope === "Namespaced" ? target.namespace : "";
  const listed = await listObjects(context, resource, namespace, query, request);

  const write = deleteRequest(resourceRequest, options);
  const queue = [...listed.items].reverse();
  const deleted = new Set<CacheItem>();
  let failed = false;
  const worker = async () => {
    for (let item = queue.pop(); item !== undefined && !failed; item = queue.pop()) {
      const { "metadata.name": name = "", "metadata.namespace": itemNamespace = "" } = item.fields;
      try {
        await deleteObject(
          context,
          { ...write, name, namespace: resource.kind.scope === "Namespaced" ? itemNamespace : "" },
          options,
        );
        deleted.add(item);
      } catch (error) {
        // Somebody else was faster: it is gone, as wished.
        if (isStatusError(error, "NotFound")) continue;
        failed = true;
        throw error;
      }
    }
  };
  // All have ended before anything is answered: nothing is deleted behind the back of a client that was told of a failure.
  const ends = await Promise.allSettled(Array.from({ length: Math.min(CONCURRENCY, queue.length) }, worker));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  return answerList(context, resourceRequest, output, {
    ...listed,
    items: listed.items.filter((item) => deleted.has(item)),
  });
}
