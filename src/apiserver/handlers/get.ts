// Handler: GET of one object. Requirements: document 1, "List and watch semantics".

import type { Answer } from "../../http/pipeline.ts";
import { badRequest } from "../../meta/status-error.ts";
import { readBoolean } from "../../registry/list-query.ts";
import { readObject } from "../../registry/read-object.ts";
import type { ResourceRequest } from "../../registry/resource-request.ts";
import { parseResourceVersion } from "../../registry/wait-for-revision.ts";
import { answerItem } from "./answer.ts";
import { type HandlerContext, outputOf } from "./handler-context.ts";

export function get(context: HandlerContext, resourceRequest: ResourceRequest): Answer {
  const { request, target, resource } = resourceRequest;
  const output = outputOf(context, resourceRequest);
  const namespace = resource.kind.scope === "Namespaced" ? target.namespace : "";
  const item = readObject(resource, namespace, target.name, leastVersion(request.query), request);
  if (item instanceof Promise) return item.then((late) => answerItem(context, resourceRequest, output, late, 200));
  return answerItem(context, resourceRequest, output, item, 200);
}

/**
 * The version that the client has seen already; undefined where it names none. Fails with 400, also for who asks for the
 * export of an object, which is something else than the object.
 */
export function leastVersion(query: URLSearchParams): ReturnType<typeof parseResourceVersion> | undefined {
  if (readBoolean(query, "export") === true) {
    throw badRequest("the export parameter, deprecated since v1.14, is no longer supported");
  }
  const version = query.get("resourceVersion") ?? "";
  return version === "" ? undefined : parseResourceVersion(version);
}
