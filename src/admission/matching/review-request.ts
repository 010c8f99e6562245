// A request as expressions and webhooks see it: the body of an AdmissionReview without the objects.

import type { AdmissionRequest } from "../../registry/admission.ts";
import { toldNamespace } from "../match-request.ts";
import type { MatchedRequest } from "./matcher.ts";

export function reviewRequest(request: AdmissionRequest, matched: MatchedRequest): Record<string, unknown> {
  const { kind, subresource, name, operation, user, dryRun, options } = request;
  const namespace = toldNamespace(request);
  const { resource, other } = matched;
  return {
    // A body of a kind of its own (a scale) keeps it in every version of the parent.
    kind:
      other === undefined || kind.kind !== other.kind.kind
        ? kind
        : { group: other.group, version: other.kind.version, kind: other.kind.kind },
    resource,
    ...(subresource === "" ? {} : { subResource: subresource }),
    requestKind: kind,
    requestResource: request.resource,
    ...(subresource === "" ? {} : { requestSubResource: subresource }),
    ...(name === "" || request.ofCollection === true ? {} : { name }),
    ...(namespace === "" ? {} : { namespace }),
    operation,
    userInfo: {
      ...(user.name === "" ? {} : { username: user.name }),
      ...(user.uid === undefined || user.uid === "" ? {} : { uid: user.uid }),
      ...(user.groups.length === 0 ? {} : { groups: user.groups }),
      ...(user.extra === undefined || Object.keys(user.extra).length === 0 ? {} : { extra: user.extra }),
    },
    dryRun,
    options: Object.keys(options).length === 0 ? null : options,
  };
}
