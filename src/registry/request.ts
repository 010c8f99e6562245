// What the steps of the pipeline add to a request, one type per stage.

import type { ReceivedRequest } from "../http/message.ts";
import type { UserInfo } from "../meta/user.ts";

/** What a request is about, read from its path and method alone. Requirements: document 2, "Authorization verdicts". */
export interface ResourceTarget {
  readonly type: "resource";
  /** get, list, watch, create, update, patch, delete, deletecollection; proxy where the path says so. */
  readonly verb: string;
  /** `api` or `apis`. */
  readonly prefix: "api" | "apis";
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** What stands behind the sub-resource: the rest of a proxy path. */
  readonly rest: readonly string[];
}

export interface NonResourceTarget {
  readonly type: "path";
  /** The lower-case HTTP method. */
  readonly verb: string;
  readonly path: string;
}

export type Target = ResourceTarget | NonResourceTarget;

export interface TargetedRequest extends ReceivedRequest {
  readonly target: Target;
  readonly auditId: string;
  /** Warning headers of the answer; bounded and de-duplicated by the top step. */
  readonly warnings: string[];
  /** Annotations that steps below add to the audit event. */
  readonly auditAnnotations: Map<string, string>;
  /** What flow control has made of it; every answer says so. */
  flow?: FlowMark | undefined;
}

/** The objects that decided about a request's place. */
export interface FlowMark {
  readonly schemaUid: string;
  readonly levelUid: string;
}

export interface AuthenticatedRequest extends TargetedRequest {
  readonly user: UserInfo;
  /** Who really sent it, when `user` is impersonated. */
  readonly impersonator?: UserInfo;
}

/** Passed authorization: handlers take nothing less. */
export interface AuthorizedRequest extends AuthenticatedRequest {
  readonly authorized: true;
}

/**
 * The request as the next stage sees it. It is the same object: a request belongs to the pipeline, and every stage only
 * adds to it.
 */
export function extendRequest<T extends object, U extends object>(request: T, added: U): T & U {
  return Object.assign(request, added);
}
