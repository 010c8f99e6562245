// ComponentStatus, get and list: the health of the store, computed when somebody asks. Deprecated, kept for old clients.

import { contentTypeOf } from "../../../codec/negotiate.ts";
import type { Response } from "../../../http/message.ts";
import type { ApiObject } from "../../../meta/object.ts";
import { notFoundObject } from "../../../meta/status-error.ts";
import { encodeList, encodeOne } from "../../../registry/encoding/encode-answer.ts";
import { readListQuery } from "../../../registry/list-query.ts";
import { outputOf } from "../handler-context.ts";
import type { SpecialHandler } from "../subresource.ts";

export const COMPONENT_STATUSES = "componentstatuses";

/** The store; scheduler and controllers are clients, whose health nobody asks the server for. */
const STORE = "etcd-0";

export function componentStatuses(storeProblem: () => Promise<string | undefined>): SpecialHandler {
  return async function componentStatuses(context, resourceRequest): Promise<Response> {
    const { request, target, resource } = resourceRequest;
    const one = target.verb === "get";
    const output = outputOf(context, resourceRequest, !one);
    // Upstream names it in the singular here.
    if (one && target.name !== STORE) throw notFoundObject({ group: "", resource: "componentstatus" }, target.name);
    const store = componentStatus(STORE, await storeProblem());
    const headers = { "content-type": contentTypeOf(output, context.names) };
    if (one) return { status: 200, headers, body: encodeOne(context, resourceRequest, output, store) };
    const { labels, fields } = readListQuery(request.query, {
      names: context.names,
      kind: resource.kind,
      watch: false,
      watchListEnabled: false,
    });
    const selected = (labels?.matches({}) ?? true) && (fields?.matches({ "metadata.name": STORE }) ?? true);
    return { status: 200, headers, body: encodeList(context, resourceRequest, output, {}, selected ? [store] : []) };
  };
}

function componentStatus(name: string, problem: string | undefined): ApiObject {
  const outcome = problem === undefined ? { status: "True", message: "ok" } : { status: "False", message: problem };
  return {
    kind: "ComponentStatus",
    apiVersion: "v1",
    metadata: { name },
    conditions: [{ type: "Healthy", ...outcome }],
  } as ApiObject;
}
