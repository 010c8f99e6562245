// Handler: GET of a collection. Requirements: document 1, "Collections", "Chunked lists".

import type { Response } from "../../http/message.ts";
import { listObjects } from "../../registry/list-objects.ts";
import { readListQuery } from "../../registry/list-query.ts";
import type { ResourceRequest } from "../../registry/resource-request.ts";
import { answerList } from "./answer.ts";
import { type HandlerContext, outputOf } from "./handler-context.ts";

export async function list(context: HandlerContext, resourceRequest: ResourceRequest): Promise<Response> {
  const { request, target, resource } = resourceRequest;
  const output = outputOf(context, resourceRequest, true);
  const query = readListQuery(request.query, {
    names: context.names,
    kind: resource.kind,
    watch: false,
    watchListEnabled: context.gateEnabled("WatchList"),
    anyVersionWhole: context.anyVersionWhole,
  });
  const namespace = resource.kind.scope === "Namespaced" ? target.namespace : "";
  const listed = await listObjects(context, resource, namespace, query, request);
  request.goOn();
  return answerList(context, resourceRequest, output, listed);
}
