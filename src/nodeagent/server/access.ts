// Steps: nobody reaches an endpoint without being known (401) and allowed (403).
// Requirements: document 3, "Node-agent checkpoint endpoint" (access control of the agent).

import type { ReceivedRequest } from "../../http/message.ts";
import type { Step } from "../../http/pipeline.ts";
import { accessAttributes } from "./access-attributes.ts";
import { textAnswer } from "./answers.ts";
import type { AgentAuthenticator } from "./authenticate.ts";
import type { AgentAuthorizer } from "./authorize.ts";

interface AccessOptions {
  readonly authenticator: AgentAuthenticator;
  readonly authorizer: AgentAuthorizer;
  /** The gate KubeletFineGrainedAuthz. */
  readonly fineGrained: boolean;
}

export function controlAccess({
  authenticator,
  authorizer,
  fineGrained,
}: AccessOptions): Step<ReceivedRequest, ReceivedRequest> {
  return async function controlAccess(request, next) {
    const user = await authenticator.authenticate(request);
    if (user === undefined) {
      const answer = textAnswer(401, "Unauthorized");
      return { ...answer, headers: { ...answer.headers, "www-authenticate": 'Bearer realm="nodeagent"' } };
    }
    const attributes = accessAttributes(request.method, request.path, fineGrained);
    if (!(await authorizer.mayAccess(user, attributes))) {
      const { verb, subresources } = attributes;
      const wanted = `verb=${verb}, resource=nodes, subresource(s)=[${subresources.join(" ")}]`;
      return textAnswer(403, `Forbidden (user=${user.name}, ${wanted})`);
    }
    return next(request);
  };
}
