// The way of every request, from top to bottom. A step in the wrong place does not compile.

import type { Authenticator } from "../authn/authenticator.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { ReceivedRequest } from "../http/message.ts";
import { type Answer, type Handler, Pipeline, type Step } from "../http/pipeline.ts";
import type { Names } from "../meta/names.ts";
import type { Authorizer } from "../registry/authorizer.ts";
import type { AuthenticatedRequest, AuthorizedRequest } from "../registry/request.ts";
import type { RequestMetrics } from "./metrics/request-metrics.ts";
import { answerErrors } from "./steps/answer-errors.ts";
import { type AuditDeps, audit, auditRefusedCredentials } from "./steps/audit.ts";
import { type AuthenticateDeps, authenticate } from "./steps/authenticate.ts";
import { type AuthorizeOptions, authorize } from "./steps/authorize.ts";
import { impersonate } from "./steps/impersonate.ts";
import { limitTime } from "./steps/limit-time.ts";
import { measure } from "./steps/measure.ts";
import { resolveTarget } from "./steps/resolve-target.ts";

interface PipelineDeps {
  readonly names: Names;
  readonly log: Log;
  /** Errors may be asked for in CBOR. */
  readonly cbor: boolean;
  readonly clock: Clock;
  /** How long a request that is not meant to last may take. */
  readonly requestTimeoutMs: number;
  readonly requestMetrics?: RequestMetrics;
  readonly audit?: AuditDeps;
  readonly limitFlow: Step<AuthenticatedRequest, AuthenticatedRequest>;
  readonly authenticator: Authenticator;
  readonly hideCredentials: AuthenticateDeps["hideCredentials"];
  readonly authorizer: Authorizer;
  /** Authorizers see the selectors of a request. */
  readonly authorizeWithSelectors: boolean;
  /** Told of the decision about every request. */
  readonly observeAuthorization?: AuthorizeOptions["observe"];
}

/** In the place of a step that nobody asked for. */
const passOn = <Request>(request: Request, next: Handler<Request>): Answer => next(request);

export function buildPipeline(deps: PipelineDeps, route: Handler<AuthorizedRequest>): Handler<ReceivedRequest> {
  return Pipeline.start<ReceivedRequest>()
    .use(resolveTarget()) // path and method -> verb, resource, namespace, name
    .use(deps.requestMetrics === undefined ? passOn : measure(deps.requestMetrics, deps.log)) // counts and times
    .use(answerErrors(deps.names, deps.log, deps.cbor)) // every throw below becomes a Status body
    .use(limitTime(deps.clock, deps.requestTimeoutMs)) // an answer in time, or 504
    .use(deps.audit === undefined ? passOn : auditRefusedCredentials(deps.audit)) // who was not let in
    .use(authenticate(deps)) // -> user, or 401
    .use(deps.audit === undefined ? passOn : audit(deps.audit)) // caller, target, outcome
    .use(impersonate(deps.names, deps.authorizer)) // -> another user, or 403
    .use(deps.limitFlow) // -> a seat, or 429
    .use(
      authorize(deps.names, deps.authorizer, {
        withSelectors: deps.authorizeWithSelectors,
        observe: deps.observeAuthorization,
      }),
    ) // -> AuthorizedRequest, or 403
    .handle(route);
}
