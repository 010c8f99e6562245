// Authorizers put together, and the simplest of them. Requirements: document 2, "Authorization verdicts".

import { SYSTEM_MASTERS } from "../../meta/user.ts";
import type { Authorizer, Decision } from "./authorizer.ts";

/** Asks in order: the first allow or deny is final. */
export function firstVerdict(authorizers: readonly Authorizer[]): Authorizer {
  return {
    async authorize(attributes) {
      let reason = "";
      for (const authorizer of authorizers) {
        const answer = authorizer.authorize(attributes);
        const decision = answer instanceof Promise ? await answer : answer;
        if (decision.verdict !== "no-opinion") return decision;
        if (decision.reason !== "") reason = decision.reason;
      }
      return { verdict: "no-opinion", reason };
    },
  };
}

/** The group system:masters may do everything, whatever other authorizers say. */
export const mastersAuthorizer: Authorizer = {
  authorize: ({ user }) => (user.groups.includes(SYSTEM_MASTERS) ? ALLOW : NO_OPINION),
};

export const alwaysAllow: Authorizer = { authorize: () => ALLOW };

export const alwaysDeny: Authorizer = {
  authorize: () => ({ verdict: "no-opinion", reason: "Everything is forbidden." }),
};

/** Paths that say nothing about anyone's objects: what the role system:public-info-viewer grants. */
export const publicPaths: Authorizer = {
  authorize: ({ path, verb }) => (verb === "get" && path !== undefined && PUBLIC_PATHS.test(path) ? ALLOW : NO_OPINION),
};

const PUBLIC_PATHS = /^\/(?:healthz|livez|readyz|version\/?)$/;
const ALLOW: Decision = { verdict: "allow", reason: "" };
const NO_OPINION: Decision = { verdict: "no-opinion", reason: "" };
