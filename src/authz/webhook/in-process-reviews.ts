// Reviews that go to this server's own review API: the other authorizers answer, without a way over the network.
// Requirements: document 2, "AuthorizationConfiguration file", connectionInfo.type InClusterConfig.

import type { UserInfo } from "../../meta/user.ts";
import type { Attributes, SelectorRequirement } from "../../registry/authorizer.ts";
import { AuthorizerChain, type ChainLink } from "../chain.ts";
import type { ReviewSpec } from "./review-spec.ts";
import type { ReviewTransport } from "./webhook-authorizer.ts";

/** `others`: the links to ask, without those that ask in process themselves: they would ask each other for ever. */
export function inProcessReviews(others: () => readonly ChainLink[]): ReviewTransport {
  return {
    async post(body) {
      const { kind, apiVersion, spec } = body as {
        kind: string;
        apiVersion: string;
        spec: ReviewSpec & { group?: readonly string[] };
      };
      const decision = await new AuthorizerChain(others()).authorize(attributesOf(spec));
      const status = {
        allowed: decision.verdict === "allow",
        denied: decision.verdict === "deny",
        reason: decision.reason,
      };
      return { status: 201, body: Buffer.from(JSON.stringify({ kind, apiVersion, status })) };
    },
    close: () => undefined,
  };
}

function attributesOf(spec: ReviewSpec & { readonly group?: readonly string[] }): Attributes {
  const { user = "", uid, groups = spec.group ?? [], extra, resourceAttributes, nonResourceAttributes } = spec;
  const who: UserInfo = {
    name: user,
    groups,
    ...(uid === undefined ? {} : { uid }),
    ...(extra === undefined ? {} : { extra }),
  };
  if (resourceAttributes === undefined) {
    return { user: who, verb: nonResourceAttributes?.["verb"] ?? "", path: nonResourceAttributes?.["path"] ?? "" };
  }
  const text = (field: string): string => (resourceAttributes[field] as string | undefined) ?? "";
  return {
    user: who,
    verb: text("verb"),
    resource: {
      group: text("group"),
      version: text("version"),
      resource: text("resource"),
      subresource: text("subresource"),
      namespace: text("namespace"),
      name: text("name"),
      ...requirements(resourceAttributes, "fieldSelector"),
      ...requirements(resourceAttributes, "labelSelector"),
    },
  };
}

/** What the authorizer saw of a selector is what the others see of it. */
function requirements(
  attributes: Readonly<Record<string, unknown>>,
  field: "fieldSelector" | "labelSelector",
): { readonly [F in typeof field]?: readonly SelectorRequirement[] } {
  const selector = attributes[field] as { readonly requirements: readonly SelectorRequirement[] } | undefined;
  return selector === undefined ? {} : { [field]: selector.requirements };
}
