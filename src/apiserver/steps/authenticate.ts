// Step: credentials -> user, or 401. Requirements: document 2, "Authentication".

import type { Step } from "../../http/pipeline.ts";
import { unauthorized } from "../../meta/status-error.ts";
import type { Authenticator } from "../authn/authenticator.ts";
import { type AuthenticatedRequest, extendRequest, type TargetedRequest } from "../request.ts";

export function authenticate(authenticator: Authenticator): Step<TargetedRequest, AuthenticatedRequest> {
  return async function authenticate(request, next) {
    const outcome = await authenticator.authenticate(request);
    if (outcome.result !== "user") throw unauthorized();
    return next(extendRequest(request, { user: outcome.user }));
  };
}
