// A question to authorization as the spec of a SubjectAccessReview.
// Requirements: document 2, "Webhook authorization", "AuthorizationConfiguration file".

import type { Attributes, SelectorRequirement } from "../../registry/authorizer.ts";

export interface ReviewSpec {
  readonly user?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  readonly resourceAttributes?: Readonly<Record<string, unknown>>;
  readonly nonResourceAttributes?: Readonly<Record<string, string>>;
}

/** Version v1, without what is empty: what goes over the wire. */
export function reviewSpec({ user, verb, resource, path = "" }: Attributes): ReviewSpec {
  return {
    ...(resource === undefined
      ? { nonResourceAttributes: filled({ path, verb }) }
      : {
          resourceAttributes: {
            ...filled(resourceTexts(resource, verb)),
            ...selector("fieldSelector", resource.fieldSelector),
            ...selector("labelSelector", resource.labelSelector),
          },
        }),
    ...filled({ user: user.name, uid: user.uid ?? "" }),
    ...(user.groups.length === 0 ? {} : { groups: user.groups }),
    ...(user.extra === undefined ? {} : { extra: user.extra }),
  };
}

/** The review as a remote service gets it. v1beta1 names the groups `group`. */
export function reviewBody(apiGroup: string, version: "v1" | "v1beta1", { groups, ...spec }: ReviewSpec): object {
  const groupField = version === "v1" ? "groups" : "group";
  return {
    kind: "SubjectAccessReview",
    apiVersion: `${apiGroup}/${version}`,
    metadata: { creationTimestamp: null },
    spec: { ...spec, ...(groups === undefined ? {} : { [groupField]: groups }) },
    status: { allowed: false },
  };
}

/** The variable `request` of match conditions: texts are always there, parts only where they are. */
export function conditionRequest({ user, verb, resource, path = "" }: Attributes): Record<string, unknown> {
  return {
    user: user.name,
    uid: user.uid ?? "",
    groups: user.groups,
    ...(user.extra === undefined ? {} : { extra: user.extra }),
    ...(resource === undefined
      ? { nonResourceAttributes: { path, verb } }
      : {
          resourceAttributes: {
            ...resourceTexts(resource, verb),
            ...selector("fieldSelector", resource.fieldSelector),
            ...selector("labelSelector", resource.labelSelector),
          },
        }),
  };
}

function resourceTexts(asked: NonNullable<Attributes["resource"]>, verb: string): Record<string, string> {
  const { namespace, group, version, resource, subresource, name } = asked;
  return { namespace, verb, group, version, resource, subresource, name };
}

function filled(fields: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));
}

function selector(field: string, requirements: readonly SelectorRequirement[] | undefined): object {
  return requirements === undefined || requirements.length === 0 ? {} : { [field]: { requirements } };
}
