// Handler: GET of one object. Requirements: document 1, "List and watch semantics".

import type { Answer } from "../../http/pipeline.ts";
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

/** The version that the client has seen already; undefined where it names none. Fails with 400. */
export function leastVersion(query: URLSearchParams): ReturnType<typeof parseResourceVersion> | undefined {
  const version = query.get("resourceVersion") ?? "";
  return version === "" ? undefined : parseResourceVersion(version);
}
