// POST of a SelfSubjectReview: who the server takes the caller for. Requirements: document 2, "Endpoints".

import { negotiateOutput } from "../../../codec/negotiate.ts";
import type { ApiObject } from "../../../meta/object.ts";
import type { UserInfo } from "../../../meta/user.ts";
import { timestamp } from "../../../registry/write.ts";
import { answerDecoded } from "../answer.ts";
import { acceptHeaders, endpointOf } from "../handler-context.ts";
import type { SpecialHandler } from "../subresource.ts";
import { receiveReview } from "./receive-review.ts";

export const reviewSelf: SpecialHandler = async (context, resourceRequest) => {
  const output = negotiateOutput(
    acceptHeaders(resourceRequest.request),
    context.names,
    endpointOf(context, resourceRequest.resource),
  );
  const { review } = await receiveReview(context, resourceRequest);
  const { kind, apiVersion } = review;
  const answer: ApiObject = {
    ...(kind === undefined ? {} : { kind }),
    ...(apiVersion === undefined ? {} : { apiVersion }),
    metadata: { creationTimestamp: timestamp(context.clock) },
    status: { userInfo: userInfoBody(resourceRequest.request.user) },
  };
  return answerDecoded(context, resourceRequest, output, answer, 201);
};

/** A user as reviews show it. */
export function userInfoBody({ name, uid, groups, extra }: UserInfo): Record<string, unknown> {
  return {
    username: name,
    ...(uid === undefined || uid === "" ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(extra === undefined || Object.keys(extra).length === 0 ? {} : { extra: { ...extra } }),
  };
}
