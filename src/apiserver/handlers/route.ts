// Target -> handler: the verbs of a resource, its sub-resources, and the paths outside the API groups.

import type { Response } from "../../http/message.ts";
import type { Answer, Handler } from "../../http/pipeline.ts";
import { DIALECTS, type Names, namesFor } from "../../meta/names.ts";
import { badRequest, methodNotAllowed, notFoundPath, StatusError } from "../../meta/status-error.ts";
import type { Catalog } from "../../registry/catalog.ts";
import type { AuthorizedRequest, ResourceTarget } from "../../registry/request.ts";
import type { ResourceRequest } from "../../registry/resource-request.ts";
import type { ServedResource } from "../../registry/served-resource.ts";
import { create } from "./create.ts";
import { deleteOne } from "./delete.ts";
import { deleteCollection } from "./delete-collection.ts";
import { get } from "./get.ts";
import type { HandlerContext } from "./handler-context.ts";
import { list } from "./list.ts";
import { patch } from "./patch.ts";
import { routeSubresource, type SpecialHandlers, specialKey } from "./subresource.ts";
import { update } from "./update.ts";
import { watch } from "./watch.ts";

interface RouteDeps {
  readonly context: HandlerContext;
  readonly catalog: Catalog;
  /** Bodies of kinds that are operations: reviews, bindings, evictions, tokens; by `resource.group` or with `/subresource`. */
  readonly special: SpecialHandlers;
  /** Everything that is no resource: discovery, health, metrics. Undefined: 404. */
  readonly paths: (request: AuthorizedRequest) => Promise<Response> | undefined;
  /** Asked first for every resource path: aggregated API servers. */
  readonly delegate?: (request: AuthorizedRequest, target: ResourceTarget) => Promise<Response> | undefined;
}

const VERBS: Readonly<Record<string, (context: HandlerContext, resourceRequest: ResourceRequest) => Answer>> = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: deleteOne,
  deletecollection: deleteCollection,
};

/** Verbs that need the name of an object. */
const ITEM_VERBS: ReadonlySet<string> = new Set(["get", "update", "patch", "delete"]);

export function route(deps: RouteDeps): Handler<AuthorizedRequest> {
  return function route(request) {
    const { target } = request;
    if (target.type === "path") {
      const answer = deps.paths(request);
      if (answer === undefined) return notFoundPage();
      return answer;
    }
    const delegated = target.isWellFormed ? deps.delegate?.(request, target) : undefined;
    if (delegated !== undefined) return delegated;
    const resource = deps.catalog.find(target.group, target.version, target.resource);
    if (resource === undefined) {
      // Where not even the group or a version of users exists, there is no API that could answer.
      const { catalog } = deps;
      const isKnown = catalog.hasBuiltIn(target.group) || catalog.has(target.group, target.version);
      if (target.prefix === "apis" && !isKnown) {
        const otherwise = groupOfOtherDialect(deps.context.names, target.group);
        if (otherwise === undefined) return notFoundPage();
        throw new StatusError(404, "NotFound", otherwise, {});
      }
      throw notFoundPath();
    }
    checkScope(resource, target);
    // No object has such a name, and on the way clients and proxies take it for a step in the path.
    if (target.subresource === "" && (target.name === "." || target.name === ".."))
      throw badRequest(`Name parameter invalid: "${target.name}": may not be '${target.name}'`);
    if (!target.isWellFormed) throw notFoundPath();
    // What is only ever created (reviews) has no path for one of its objects.
    if (target.name !== "" && !resource.kind.verbs.some((verb) => ITEM_VERBS.has(verb))) throw notFoundPath();
    const allowed = resource.kind.verbs.includes(target.verb as never);
    // Also a watch that the kind does not have is an attempt to read the deprecated resource.
    const attempted = allowed || target.subresource !== "" || target.verb === "watch";
    if (resource.kind.deprecated !== undefined && attempted) noteDeprecation(deps.context.names, request, resource);
    const resourceRequest: ResourceRequest = { request, target, resource };
    const ready = resource.ready?.(request);
    if (ready === undefined) return handle(deps, resourceRequest);
    return ready.then(() => {
      request.goOn();
      return handle(deps, resourceRequest);
    });
  };
}

function handle(deps: RouteDeps, resourceRequest: ResourceRequest): Answer {
  const { request, target, resource } = resourceRequest;
  if (target.subresource !== "") return routeSubresource(deps.context, deps.special, resourceRequest);
  // The path of a watch says the verb, whatever the method.
  if (request.method === "HEAD" || (target.verb === "watch" && request.method !== "GET")) throw methodNotAllowed();
  const allowed = resource.kind.verbs.includes(target.verb as never);
  // Kinds that are never stored are operations, whatever the verb.
  if (allowed && (target.verb === "create" || resource.kind.virtual)) {
    const special = deps.special.get(specialKey(resource, ""));
    if (special !== undefined) return special(deps.context, resourceRequest);
  }
  if (allowed && (target.name !== "" || !ITEM_VERBS.has(target.verb))) {
    const handler = VERBS[target.verb];
    if (handler !== undefined) return handler(deps.context, resourceRequest);
  }
  throw refuseVerb(resource, target);
}

/** Requirements: document 1, "Other HTTP behaviour". */
function noteDeprecation(names: Names, request: AuthorizedRequest, { kind }: ServedResource): void {
  const { deprecated } = kind;
  request.warnings.push(deprecated!.warning(names));
  request.auditAnnotations.set(names.deprecatedAuditAnnotation, "true");
  if (deprecated?.removedRelease !== undefined)
    request.auditAnnotations.set(names.removedReleaseAuditAnnotation, deprecated.removedRelease);
}

function checkScope({ kind }: ServedResource, target: ResourceTarget): void {
  if (kind.scope === "Cluster") {
    // Only a namespace itself stands below its name: what a role in a namespace allows must not reach the others.
    const itself = kind.resource === "namespaces" && target.name === target.namespace;
    if (target.namespace !== "" && !itself) throw notFoundPath();
    return;
  }
  // Items live in a namespace; only lists and watches span all of them.
  if (target.namespace === "" && (target.name !== "" || !["list", "watch"].includes(target.verb))) {
    throw target.name === "" ? methodNotAllowed() : notFoundPath();
  }
}

function refuseVerb(resource: ServedResource, target: ResourceTarget): StatusError {
  if (target.verb === "watch" && resource.kind.verbs.includes("list")) {
    const { group, kind } = resource;
    const what = group === "" ? kind.resource : `${kind.resource}.${group}`;
    return new StatusError(
      405,
      "MethodNotAllowed",
      `watch is not supported on resources of kind ${JSON.stringify(what)}`,
      {
        ...(group === "" ? {} : { group }),
        kind: kind.resource,
      },
    );
  }
  return methodNotAllowed();
}

/** What to say to those who use the names of a dialect that this server does not speak. */
function groupOfOtherDialect(names: Names, group: string): string | undefined {
  for (const dialect of DIALECTS) {
    const key = dialect === names.dialect ? undefined : namesFor(dialect).groupKey(group);
    if (key === undefined) continue;
    return (
      `the server could not find the requested resource: this server speaks the dialect ${names.dialect}, where ` +
      `${group} is ${names.group(key)}; with --dialect=${dialect} it speaks the other`
    );
  }
  return undefined;
}

/** What a path outside the API answers: plain text, as upstream's. */
function notFoundPage(): Response {
  return {
    status: 404,
    headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
    body: Buffer.from("404 page not found\n"),
  };
}
