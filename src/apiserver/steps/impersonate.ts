// Step: act as another user when the Impersonate-* headers ask for it. Requirements: document 2, "Impersonation".

import { setKey } from "../../base/json.ts";
import type { HeaderList, Response } from "../../http/message.ts";
import type { Handler, Step } from "../../http/pipeline.ts";
import type { Names } from "../../meta/names.ts";
import { serviceAccountGroups, splitServiceAccountUser } from "../../meta/service-account-user.ts";
import { badRequest } from "../../meta/status-error.ts";
import {
  ANONYMOUS_USER,
  AUTHENTICATED_GROUP,
  extraKey,
  UNAUTHENTICATED_GROUP,
  type UserInfo,
} from "../../meta/user.ts";
import type { Attributes, Authorizer } from "../../registry/authorizer.ts";
import { type AuthenticatedRequest, impersonatingRequest } from "../../registry/request.ts";
import { refusal } from "./authorize.ts";

const PREFIX = "impersonate-";
const USER = "impersonate-user";
const UID = "impersonate-uid";
const GROUP = "impersonate-group";
const EXTRA = "impersonate-extra-";

/** More checks than this in one request are a mistake or an attack. */
const MAX_PARTS = 1_000;

/** Replaces the caller, once it has shown that it may impersonate every part of the user: name, groups, uid, extra. */
export function impersonate(names: Names, authorizer: Authorizer): Step<AuthenticatedRequest, AuthenticatedRequest> {
  return function impersonate(request, next) {
    const target = readTarget(request.headers);
    return target === undefined ? next(request) : actAs(request, target, next);
  };

  async function actAs(
    request: AuthenticatedRequest,
    target: Target,
    next: Handler<AuthenticatedRequest>,
  ): Promise<Response> {
    const checks = requiredChecks(names, request.user, target);
    if (checks.length > MAX_PARTS)
      throw badRequest(`more than ${MAX_PARTS} groups and extra values cannot be impersonated`);
    for (const check of checks) {
      const decision = await authorizer.authorize(check);
      // No opinion is not enough: authorization is default deny.
      if (decision.verdict !== "allow") throw refusal(check, decision);
    }
    return next(impersonatingRequest(request, asUser(target)));
  }
}

interface Target {
  readonly name: string;
  readonly uid: string | undefined;
  readonly groups: readonly string[];
  readonly extra: readonly (readonly [key: string, values: readonly string[]])[];
}

function readTarget(headers: HeaderList): Target | undefined {
  if (headers.namesWithPrefix(PREFIX).length === 0) return undefined;
  // Of repeated lines the first counts: joined they would be a name that nobody has.
  const [name = ""] = headers.all(USER);
  const [uid = ""] = headers.all(UID);
  const groups = headers.all(GROUP);
  const extra = headers
    .namesWithPrefix(EXTRA)
    .map((header) => [extraKey(header.slice(EXTRA.length)), headers.all(header)] as const);
  if (name !== "") return { name, uid: uid === "" ? undefined : uid, groups, extra };
  const others = [
    ...(uid === "" ? [] : ["a uid"]),
    ...(groups.length === 0 ? [] : ["groups"]),
    ...(extra.length === 0 ? [] : ["extra attributes"]),
  ];
  if (others.length > 0)
    throw badRequest(`requested ${others.join(", ")} without impersonating a user: set the header Impersonate-User`);
  return undefined;
}

function requiredChecks(names: Names, caller: UserInfo, { name, uid, groups, extra }: Target): Attributes[] {
  const check = (
    group: string,
    resource: string,
    value: string,
    more: { subresource?: string; namespace?: string } = {},
  ): Attributes => ({
    user: caller,
    verb: "impersonate",
    resource: {
      group,
      version: group === "" ? "" : "v1",
      resource,
      subresource: "",
      namespace: "",
      name: value,
      ...more,
    },
  });
  const own = names.group("authentication");
  const account = splitServiceAccountUser(name);
  return [
    account === undefined
      ? check("", "users", name)
      : check("", "serviceaccounts", account.name, { namespace: account.namespace }),
    ...groups.map((group) => check("", "groups", group)),
    ...extra.flatMap(([key, values]) => values.map((value) => check(own, "userextras", value, { subresource: key }))),
    ...(uid === undefined ? [] : [check(own, "uids", uid)]),
  ];
}

function asUser({ name, uid, groups: given, extra: pairs }: Target): UserInfo {
  const account = splitServiceAccountUser(name);
  const groups = given.length === 0 && account !== undefined ? serviceAccountGroups(account.namespace) : [...given];
  if (name === ANONYMOUS_USER) {
    if (!groups.includes(UNAUTHENTICATED_GROUP)) groups.push(UNAUTHENTICATED_GROUP);
  } else if (!groups.includes(AUTHENTICATED_GROUP) && !groups.includes(UNAUTHENTICATED_GROUP)) {
    groups.push(AUTHENTICATED_GROUP);
  }
  const extra = Object.create(null) as Record<string, readonly string[]>;
  for (const [key, values] of pairs) setKey(extra, key, [...(extra[key] ?? []), ...values]);
  return { name, groups, ...(uid === undefined ? {} : { uid }), ...(pairs.length === 0 ? {} : { extra }) };
}
