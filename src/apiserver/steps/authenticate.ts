// Step: credentials -> user, or 401. Requirements: document 2, "Authentication", "Errors".

import type { Authentication, Authenticator } from "../../authn/authenticator.ts";
import type { Log } from "../../base/log.ts";
import type { HeaderList } from "../../http/message.ts";
import type { Step } from "../../http/pipeline.ts";
import type { Names } from "../../meta/names.ts";
import { unauthorized } from "../../meta/status-error.ts";
import { type AuthenticatedRequest, authenticatedRequest, type TargetedRequest } from "../../registry/request.ts";

export interface AuthenticateDeps {
  readonly names: Names;
  readonly log: Log;
  readonly authenticator: Authenticator;
  /** The headers without what was judged here. */
  readonly hideCredentials: (headers: HeaderList) => HeaderList;
}

export function authenticate({
  names,
  log,
  authenticator,
  hideCredentials,
}: AuthenticateDeps): Step<TargetedRequest, AuthenticatedRequest> {
  const admit = (request: TargetedRequest, outcome: Authentication): AuthenticatedRequest => {
    if (outcome.result === "user") {
      for (const [key, value] of outcome.auditAnnotations ?? []) request.auditAnnotations.set(key, value);
      return authenticatedRequest(request, outcome.user, hideCredentials(request.headers));
    }
    if (outcome.result === "none") throw unauthorized();
    log.debug({ why: outcome.error, auditId: request.auditId }, "credentials were refused");
    // Upstream keeps the reason to itself; the specification puts it into the answer.
    const told = names.dialect === "platform" && outcome.detail !== undefined && outcome.detail !== "";
    throw told ? unauthorized(`Unauthorized: ${outcome.detail}`) : unauthorized();
  };
  return function authenticate(request, next) {
    const outcome = authenticator.authenticate(request);
    if (outcome instanceof Promise)
      return outcome.then((late) => {
        request.goOn();
        return next(admit(request, late));
      });
    return next(admit(request, outcome));
  };
}
