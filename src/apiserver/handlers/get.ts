// Handler: GET of one object. Requirements: document 1, "List and watch semantics".

import type { Response } from "../../http/message.ts";
import { readObject } from "../registry/read-object.ts";
import { parseResourceVersion } from "../registry/wait-for-revision.ts";
import { answerItem } from "./answer.ts";
import { type HandlerContext, outputOf, type ResourceRequest } from "./handler-context.ts";

export async function get(context: HandlerContext, asked: ResourceRequest): Promise<Response> {
  const { request, target, resource } = asked;
  const output = outputOf(context, asked);
  const version = request.query.get("resourceVersion") ?? "";
  const atLeast = version === "" ? undefined : parseResourceVersion(version);
  const namespace = resource.kind.scope === "Namespaced" ? target.namespace : "";
  const item = await readObject(resource, namespace, target.name, atLeast, request);
  return answerItem(context, asked, output, item, 200);
}
