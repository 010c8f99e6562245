// POST of a TokenReview: whose token this is, asked of the server's own methods. Requirements: document 2, "Endpoints".

import type { Authentication } from "../../../authn/authenticator.ts";
import { INVALID_TOKEN } from "../../../authn/bearer-token.ts";
import type { AuthenticationMethods } from "../../../authn/build-authenticator.ts";
import { negotiateOutput } from "../../../codec/negotiate.ts";
import type { Names } from "../../../meta/names.ts";
import { badRequest, internalError } from "../../../meta/status-error.ts";
import { answerDecoded } from "../answer.ts";
import { acceptHeaders, endpointOf } from "../handler-context.ts";
import type { SpecialHandler } from "../subresource.ts";
import { receiveReview } from "./receive-review.ts";
import { userInfoBody } from "./review-self.ts";

export function reviewToken({ reviewToken: judge }: Pick<AuthenticationMethods, "reviewToken">): SpecialHandler {
  return async (context, resourceRequest) => {
    const { request, resource } = resourceRequest;
    const output = negotiateOutput(acceptHeaders(request), context.names, endpointOf(context, resource));
    const { review, sizeBytes } = await receiveReview(context, resourceRequest);
    const { token = "", audiences } = (review["spec"] ?? {}) as { token?: string; audiences?: string[] | null };
    if (token === "") throw badRequest("token is required for TokenReview in authentication");
    const wanted = audiences ?? [];
    const outcome = await judge(token, wanted);
    review["status"] = statusOf(outcome, context.names);
    return answerDecoded(context, resourceRequest, output, review, 201, sizeBytes);
  };
}

function statusOf(outcome: Authentication, { dialect }: Names): Record<string, unknown> {
  // Document 2 calls it required; upstream leaves it out.
  const refused = dialect === "platform" ? { authenticated: false, user: {} } : { user: {} };
  switch (outcome.result) {
    case "user": {
      // A method that accepts a token says for whom.
      if (outcome.audiences === undefined || outcome.audiences.length === 0)
        throw internalError("the token is valid for no audience");
      return { authenticated: true, user: userInfoBody(outcome.user), audiences: [...outcome.audiences] };
    }
    case "refused":
      return { ...refused, error: outcome.detail ?? outcome.error ?? INVALID_TOKEN };
    case "none":
      return { ...refused, error: INVALID_TOKEN };
  }
}
