// What the steps of the pipeline add to a request, one type per stage.

import type { LoopHold } from "../base/loop-hold.ts";
import type { HeaderList, ReceivedRequest } from "../http/message.ts";
import type { ApiObject } from "../meta/object.ts";
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
  /** The whole path, decoded and taken apart. */
  readonly parts: readonly string[];
  /** Every part before `rest` can be a name: it is not empty and no dots. */
  readonly isWellFormed: boolean;
}

export interface NonResourceTarget {
  readonly type: "path";
  /** The lower-case HTTP method. */
  readonly verb: string;
  /** Decoded. */
  readonly path: string;
}

export type Target = ResourceTarget | NonResourceTarget;

const LONG_VERBS: ReadonlySet<string> = new Set(["watch", "proxy"]);
const LONG_SUBRESOURCES: ReadonlySet<string> = new Set(["log", "exec", "attach", "portforward", "proxy"]);
const LONG_PATH = "/debug/pprof/";

/** Requests that are meant to last have no seat, which they would keep from everybody else, and no deadline. */
export function isLongRunning(target: Target): boolean {
  if (target.type === "path") return target.path.startsWith(LONG_PATH);
  return LONG_VERBS.has(target.verb) || (target.subresource !== "" && LONG_SUBRESOURCES.has(target.subresource));
}

export interface TargetedRequest extends ReceivedRequest {
  readonly target: Target;
  readonly auditId: string;
  /** Warning headers of the answer; bounded and de-duplicated by the top step. */
  readonly warnings: string[];
  /** Annotations that steps below add to the audit event. */
  readonly auditAnnotations: Map<string, string>;
  readonly notes: RequestNotes;
  /** To be called when work on it goes on after a wait: how long it holds the loop at a time is measured. */
  goOn(): void;
}

/** What steps tell the steps above them, which hold the request as it was when it passed them. */
interface RequestNotes {
  /** Who sent it, once that is known. */
  sender: UserInfo | undefined;
  /** Whom the sender acts as. */
  impersonated: UserInfo | undefined;
  /** What flow control has made of it; every answer says so. */
  flow: FlowMark | undefined;
  /** Measures how long it holds the loop, where that cannot be seen from its start and end. */
  hold: LoopHold | undefined;
  /** How the body of a create or an update calls its object, once it is read. */
  body: BodyIdentity | undefined;
  /** The server protects itself: there was no seat for it, or it took too long. */
  terminated: boolean;
  /** The size of its body, once that is read. */
  bodyBytes: number | undefined;
}

/** As the client writes it. */
export type BodyIdentity = { readonly [key in "name" | "uid" | "resourceVersion"]?: string | undefined };

export function identityOf({ metadata: { name, uid, resourceVersion } }: ApiObject): BodyIdentity {
  return { name, uid, resourceVersion };
}

/** The objects that decided about a request's place. */
export interface FlowMark {
  readonly schemaUid: string;
  readonly levelUid: string;
}

export interface AuthenticatedRequest extends TargetedRequest {
  /** Whom it counts for: the sender, or whom the sender impersonates. */
  readonly user: UserInfo;
}

/** Passed authorization: handlers take nothing less. */
export interface AuthorizedRequest extends AuthenticatedRequest {
  readonly authorized: true;
}

export function targetedRequest(received: ReceivedRequest, target: Target, auditId: string): TargetedRequest {
  const notes: RequestNotes = {
    sender: undefined,
    impersonated: undefined,
    flow: undefined,
    hold: undefined,
    body: undefined,
    terminated: false,
    bodyBytes: undefined,
  };
  return new StagedRequest(
    received,
    { target, auditId, warnings: [], auditAnnotations: new Map(), notes },
    NOBODY,
    received.headers,
  );
}

/** `headers`: those that the stages below see. */
export function authenticatedRequest(
  request: TargetedRequest,
  user: UserInfo,
  headers: HeaderList = request.headers,
): AuthenticatedRequest {
  request.notes.sender = user;
  return asStaged(request).as(user, headers);
}

export function impersonatingRequest(request: AuthenticatedRequest, user: UserInfo): AuthenticatedRequest {
  request.notes.impersonated = user;
  return asStaged(request).as(user);
}

export function authorizedRequest(request: AuthenticatedRequest): AuthorizedRequest {
  return asStaged(request);
}

/** The same request, whose body is read in another way. */
export function requestWithBody(
  request: AuthenticatedRequest,
  readBody: ReceivedRequest["readBody"],
): AuthenticatedRequest {
  const { received, shared } = asStaged(request);
  return new StagedRequest(received, shared, request.user, request.headers, readBody);
}

type Shared = Pick<TargetedRequest, "target" | "auditId" | "warnings" | "auditAnnotations" | "notes">;

const NOBODY: UserInfo = { name: "", groups: [] };

/** A received request and what is known of it. One shape for all stages, so that reading a member stays fast. */
class StagedRequest implements AuthorizedRequest {
  readonly received: ReceivedRequest;
  readonly shared: Shared;
  readonly user: UserInfo;
  readonly headers: HeaderList;
  readonly authorized = true;
  readonly #readBody: ReceivedRequest["readBody"] | undefined;

  constructor(
    received: ReceivedRequest,
    shared: Shared,
    user: UserInfo,
    headers: HeaderList,
    readBody?: ReceivedRequest["readBody"],
  ) {
    this.received = received;
    this.shared = shared;
    this.user = user;
    this.headers = headers;
    this.#readBody = readBody;
  }

  get target(): Target {
    return this.shared.target;
  }
  get auditId(): string {
    return this.shared.auditId;
  }
  get warnings(): string[] {
    return this.shared.warnings;
  }
  get auditAnnotations(): Map<string, string> {
    return this.shared.auditAnnotations;
  }
  get notes(): RequestNotes {
    return this.shared.notes;
  }
  get method(): string {
    return this.received.method;
  }
  get url(): string {
    return this.received.url;
  }
  get path(): string {
    return this.received.path;
  }
  get query(): URLSearchParams {
    return this.received.query;
  }
  get remoteAddress(): string {
    return this.received.remoteAddress;
  }
  get connection(): object {
    return this.received.connection;
  }
  get clientCertificate(): ReceivedRequest["clientCertificate"] {
    return this.received.clientCertificate;
  }
  get signal(): AbortSignal {
    return this.received.signal;
  }
  get receivedAtMs(): number {
    return this.received.receivedAtMs;
  }
  get upgrade(): ReceivedRequest["upgrade"] {
    return this.received.upgrade;
  }
  get deadlineMs(): number {
    return this.received.deadlineMs;
  }
  set deadlineMs(deadlineMs: number) {
    this.received.deadlineMs = deadlineMs;
  }
  get cancelled(): boolean {
    return this.received.cancelled;
  }

  cancel(): void {
    this.received.cancel();
  }

  goOn(): void {
    this.shared.notes.hold?.goOn();
  }

  readBody(limitBytes: number): Promise<Uint8Array> {
    return this.#readBody === undefined ? this.received.readBody(limitBytes) : this.#readBody(limitBytes);
  }

  as(user: UserInfo, headers: HeaderList = this.headers): StagedRequest {
    return new StagedRequest(this.received, this.shared, user, headers, this.#readBody);
  }
}

/** Requests are made by the functions above only; what a step hands on is always one of theirs. */
function asStaged(request: TargetedRequest): StagedRequest {
  if (request instanceof StagedRequest) return request;
  throw new TypeError("a request that no stage has made");
}
