// Authenticators put together. Requirements: document 2, "Users and attributes", "Anonymous requests".

import { ANONYMOUS_USER, AUTHENTICATED_GROUP, UNAUTHENTICATED_GROUP, type UserInfo } from "../../meta/user.ts";
import type { Authentication, Authenticator } from "./authenticator.ts";
import { NO_CREDENTIALS } from "./authenticator.ts";

/** The first that accepts decides; bad credentials stay bad unless another method accepts them. */
export function anyAuthenticator(authenticators: readonly Authenticator[]): Authenticator {
  return {
    authenticate(request) {
      let refused: Authentication | undefined;
      const judge = (outcome: Authentication): Authentication | undefined => {
        if (outcome.result === "user") return inAuthenticatedGroup(outcome);
        if (outcome.result === "refused") refused ??= outcome;
        return undefined;
      };
      const from = (start: number): Authentication | Promise<Authentication> => {
        for (let index = start; index < authenticators.length; index += 1) {
          const answer = authenticators[index]!.authenticate(request);
          if (answer instanceof Promise) return answer.then((outcome) => judge(outcome) ?? from(index + 1));
          const outcome = judge(answer);
          if (outcome !== undefined) return outcome;
        }
        return refused ?? NO_CREDENTIALS;
      };
      return from(0);
    },
  };
}

export interface AnonymousRules {
  readonly enabled: boolean;
  /** Only these whole paths; every path when not given. */
  readonly paths?: ReadonlySet<string>;
}

/** Whoever shows no credentials at all. The rules are asked for with every request: they may change. */
export function withAnonymous(inner: Authenticator, rules: () => AnonymousRules): Authenticator {
  return {
    authenticate(request) {
      const judge = (outcome: Authentication): Authentication => {
        if (outcome.result !== "none") return outcome;
        const { enabled, paths } = rules();
        return enabled && (paths === undefined || paths.has(request.path)) ? ANONYMOUS : outcome;
      };
      const answer = inner.authenticate(request);
      return answer instanceof Promise ? answer.then(judge) : judge(answer);
    },
  };
}

const ANONYMOUS: Authentication = {
  result: "user",
  user: { name: ANONYMOUS_USER, groups: [UNAUTHENTICATED_GROUP] },
};

/** Methods hand out the same user again and again: the group is added once. */
const known = new WeakMap<UserInfo, UserInfo>();

/** The same user, in the group of everybody who has shown good credentials. */
export function inAuthenticatedGroup(outcome: Authentication & { result: "user" }): Authentication {
  const { user } = outcome;
  let member = known.get(user);
  if (member === undefined) {
    member = needsGroup(user) ? { ...user, groups: [...user.groups, AUTHENTICATED_GROUP] } : user;
    known.set(user, member);
  }
  return member === user ? outcome : { ...outcome, user: member };
}

function needsGroup({ name, groups }: UserInfo): boolean {
  return name !== ANONYMOUS_USER && !groups.includes(AUTHENTICATED_GROUP) && !groups.includes(UNAUTHENTICATED_GROUP);
}
