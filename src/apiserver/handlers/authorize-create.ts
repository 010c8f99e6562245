// PUT and apply of an absent object create it: then the caller needs the verb create too.

import { forbidden } from "../../meta/status-error.ts";
import type { ResourceRequest } from "../../registry/resource-request.ts";
import { attributesOf, refusedSentence } from "../steps/authorize.ts";
import type { HandlerContext } from "./handler-context.ts";

export function authorizeCreate(
  { authorizer }: HandlerContext,
  { request, target, resource }: ResourceRequest,
): { authorize(): Promise<void> } {
  return {
    async authorize() {
      const attributes = { ...attributesOf(request), verb: "create" };
      const decision = await authorizer.authorize(attributes);
      if (decision.verdict === "allow") return;
      const sentence = refusedSentence(attributes);
      throw forbidden(
        resource.subject,
        target.name,
        decision.reason === "" ? sentence : `${sentence}: ${decision.reason}`,
      );
    },
  };
}
