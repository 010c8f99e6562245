// Handler: DELETE of a collection, one object after another; not a transaction. Requirements: document 1, "Verbs".

import type { Response } from "../../http/message.ts";
import { invalid } from "../../meta/field-error.ts";
import { invalidObject, isStatusError } from "../../meta/status-error.ts";
import { deleteObject } from "../../registry/delete-object.ts";
import type { CacheItem } from "../../registry/items.ts";
import { listObjects } from "../../registry/list-objects.ts";
import { readListQuery } from "../../registry/list-query.ts";
import type { ResourceRequest } from "../../registry/resource-request.ts";
import { answerList, refuseLargeWrite, sizeOf } from "./answer.ts";
import { deleteRequest } from "./delete.ts";
import { readDeleteOptions, UNSAFE } from "./delete-options.ts";
import { type HandlerContext, outputOf } from "./handler-context.ts";

/** Deletes under way at the same time: they share one sync of the store, which others wait for too. */
const AT_ONCE = 16;
/** Many objects go in rounds with pauses of twice what a round took: others find the loop and the store free more often than not. */
const PAUSE_SHARE = 2;
const MAX_PAUSE_MS = 12;
/** So few are gone before anybody could notice. */
const ROUNDS_BEFORE_PAUSES = 20;
/** A request must end in its time: after so many rounds there are no more pauses. */
const MAX_PAUSES = 1_500;

export async function deleteCollection(context: HandlerContext, resourceRequest: ResourceRequest): Promise<Response> {
  const { request, target, resource } = resourceRequest;
  const output = outputOf(context, resourceRequest);
  const asked = readListQuery(request.query, {
    names: context.names,
    kind: resource.kind,
    watch: false,
    watchListEnabled: false,
    anyVersionWhole: context.anyVersionWhole,
  });
  const options = await readDeleteOptions(context, resourceRequest);
  if (options.ignoreReadErrors) {
    throw invalidObject(context.names.group("meta"), "DeleteOptions", "", [
      invalid(UNSAFE, true, "is not allowed with DELETECOLLECTION, try again after removing the option"),
    ]);
  }
  // What was there at a version that the client has seen, and nothing that came later: as of a list in pages.
  const query = asked.revision && asked.match === "" ? ({ ...asked, match: "Exact" } as const) : asked;
  const namespace = resource.kind.scope === "Namespaced" ? target.namespace : "";
  // What it is warned of does not depend on what there is.
  const write = deleteRequest(resourceRequest, options);
  const listed = await listObjects(context, resource, namespace, query, request);
  refuseLargeWrite(output, resourceRequest, sizeOf(listed.items));

  const deleted = new Set<CacheItem>();
  const deleteItem = async (item: CacheItem): Promise<void> => {
    const { "metadata.name": name = "", "metadata.namespace": itemNamespace = "" } = item.fields;
    const namespaceOfItem = resource.kind.scope === "Namespaced" ? itemNamespace : "";
    try {
      await deleteObject(context, { ...write, name, namespace: namespaceOfItem, ofCollection: true }, options);
      deleted.add(item);
    } catch (error) {
      // Somebody else was faster: it is gone, as wished.
      if (!isStatusError(error, "NotFound")) throw error;
    }
  };
  const { clock } = context;
  let tookMs = 0;
  for (let round = 0; round * AT_ONCE < listed.items.length; round += 1) {
    const pauses = round - ROUNDS_BEFORE_PAUSES;
    if (tookMs > 0 && pauses >= 0 && pauses < MAX_PAUSES)
      await clock.sleep(Math.min(PAUSE_SHARE * tookMs, MAX_PAUSE_MS));
    const beganMs = clock.monotonicMs();
    // All have ended before anything is answered: nothing is deleted behind the back of a client that was told of a failure.
    const ends = await Promise.allSettled(
      listed.items.slice(round * AT_ONCE, (round + 1) * AT_ONCE).map((item) => deleteItem(item)),
    );
    for (const end of ends) if (end.status === "rejected") throw end.reason;
    tookMs = clock.monotonicMs() - beganMs;
  }
  return answerList(context, resourceRequest, output, {
    ...listed,
    items: listed.items.filter((item) => deleted.has(item)),
  });
}
