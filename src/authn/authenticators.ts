// Authenticators put together. Requirements: document 2, "Users and attributes", "Anonymous requests".

import { ANONYMOUS_USER, AUTHENTICATED_GROUP, UNAUTHENTICATED_GROUP, type UserInfo } from "../meta/user.ts";
import type { Authentication, Authenticator, CredentialRequest } from "./authenticator.ts";
import { NO_CREDENTIALS } from "./authenticator.ts";

/** The first that accepts decides; bad credentials stay bad unless another method accepts them. */
export function anyAuthenticator(authenticators: readonly Authenticator[]): Authenticator {
  return { authenticate: (request) => askFrom(authenticators, 0, request, NO_CREDENTIALS) };
}

/** `sofar`: what it is if nobody from here on accepts. */
function askFrom(
  authenticators: readonly Authenticator[],
  start: number,
  request: CredentialRequest,
  sofar: Authentication,
): Authentication | Promise<Authentication> {
  let outcome = sofar;
  for (let index = start; index < authenticators.length; index += 1) {
    const answer = authenticators[index]!.authenticate(request);
    if (answer instanceof Promise) {
      const before = outcome;
      return answer.then((late) =>
        late.result === "user"
          ? inAuthenticatedGroup(late)
          : askFrom(authenticators, index + 1, request, worse(before, late)),
      );
    }
    if (answer.result === "user") return inAuthenticatedGroup(answer);
    outcome = worse(outcome, answer);
  }
  return outcome;
}

/** The first refusal counts. */
function worse(sofar: Authentication, next: Authentication): Authentication {
  return sofar.result === "none" && next.result === "refused" ? next : sofar;
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
const members = new WeakMap<UserInfo, UserInfo>();

/** The same user, in the group of everybody who has shown good credentials. */
export function inAuthenticatedGroup(outcome: Authentication & { result: "user" }): Authentication {
  const { user } = outcome;
  if (!needsGroup(user)) return outcome;
  let member = members.get(user);
  if (member === undefined) {
    member = { ...user, groups: [...user.groups, AUTHENTICATED_GROUP] };
    members.set(user, member);
  }
  const { audiences, auditAnnotations } = outcome;
  return { result: "user", user: member, audiences, auditAnnotations };
}

function needsGroup({ name, groups }: UserInfo): boolean {
  return name !== ANONYMOUS_USER && !groups.includes(AUTHENTICATED_GROUP) && !groups.includes(UNAUTHENTICATED_GROUP);
}
