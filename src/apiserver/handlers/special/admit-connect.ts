// Admission of requests that lead to somebody else (exec, attach, port-forward, proxy): what such a request asks for is an
// object of its own, which plug-ins, webhooks and policies may refuse or change before anybody is reached.

import type { ApiObject } from "../../../meta/object.ts";
import type { ResourceRequest } from "../../../registry/resource-request.ts";
import { admissionRequest } from "../../../registry/write.ts";
import type { HandlerContext } from "../handler-context.ts";
import { requestedWrite } from "../write-options.ts";

/** The options as admission leaves them. Fails as the one who refuses says. */
export async function admitConnect<O extends object>(
  context: HandlerContext,
  resourceRequest: ResourceRequest,
  kind: string,
  options: O,
): Promise<Partial<O>> {
  const write = requestedWrite(resourceRequest, { dryRun: false, fieldManager: "", options: {} });
  // These options have no metadata.
  const object = { kind, apiVersion: "v1", ...options } as unknown as ApiObject;
  const admission = {
    ...admissionRequest(write, "CONNECT", resourceRequest.target.name, object, undefined),
    kind: { group: "", version: "v1", kind },
  };
  await context.admission.mutate(admission);
  await context.admission.validate(admission);
  resourceRequest.request.goOn();
  return admission.object as unknown as Partial<O>;
}
