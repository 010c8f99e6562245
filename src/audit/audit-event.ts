// Audit events: what is recorded of a request at one of its stages.

import { isIP } from "node:net";
import { isObject, type Json, type JsonObject, setKey } from "../base/json.ts";
import { keysInStep } from "../base/json-in-steps.ts";
import { Pace, type Steps } from "../base/steps.ts";
import { settleKeys } from "../base/wide-keys.ts";
import type { Names } from "../meta/names.ts";
import type { StatusError } from "../meta/status-error.ts";
import { timeOfMs } from "../meta/time.ts";
import type { UserInfo } from "../meta/user.ts";
import type { AuthenticatedRequest, BodyIdentity, Target } from "../registry/request.ts";
import type { Level, Stage } from "./policy.ts";

/** Longer ones are cut: events go through other systems. */
const MAX_USER_AGENT_LENGTH = 1024;
const TRUNCATED = "...TRUNCATED";
const MEMBERS_PER_STEP = 1_000;

export interface AuditRecord {
  readonly level: Level;
  readonly stage: Stage;
  readonly nowMs: number;
  /** Who sent the request; `request.user` may be another one by now. */
  readonly sender: UserInfo;
  readonly outcome?: StatusError | number;
  readonly requestObject?: Json;
  readonly responseObject?: Json;
}

/** In steps, as everything is that holds what a client or a webhook has said. */
export function* auditEvent(names: Names, request: AuthenticatedRequest, record: AuditRecord): Steps<JsonObject> {
  const { target } = request;
  const annotations = yield* annotationsAt(names, request, record.level);
  const userAgent = request.headers.first("user-agent") ?? "";
  const { outcome } = record;
  return {
    kind: "Event",
    apiVersion: `${names.group("audit")}/v1`,
    level: record.level,
    auditID: request.auditId,
    stage: record.stage,
    requestURI: request.url,
    verb: target.verb,
    user: userOf(record.sender),
    ...(request.notes.impersonated === undefined ? {} : { impersonatedUser: userOf(request.notes.impersonated) }),
    sourceIPs: sourceIps(request),
    ...(userAgent === "" ? {} : { userAgent: shortened(userAgent) }),
    ...(target.type === "path" ? {} : { objectRef: objectRef(target, request.notes.body) }),
    ...(outcome === undefined ? {} : { responseStatus: statusOf(outcome) }),
    ...(record.requestObject === undefined ? {} : { requestObject: record.requestObject }),
    ...(record.responseObject === undefined ? {} : { responseObject: record.responseObject }),
    requestReceivedTimestamp: timeOfMs(request.receivedAtMs, "micros"),
    stageTimestamp: timeOfMs(record.nowMs, "micros"),
    ...(annotations === undefined ? {} : { annotations }),
  };
}

/** Patches of webhooks show parts of objects, which the lower levels keep out of the log. */
function* annotationsAt(
  names: Names,
  { auditAnnotations }: AuthenticatedRequest,
  level: Level,
): Steps<JsonObject | undefined> {
  const withPatches = level === "Request" || level === "RequestResponse";
  const pace = new Pace(MEMBERS_PER_STEP);
  const shown: JsonObject = {};
  const keys: string[] = [];
  for (const [key, value] of auditAnnotations) {
    if (pace.due()) yield;
    if (!withPatches && key.startsWith(names.patchWebhookAuditPrefix)) continue;
    setKey(shown, key, value);
    keys.push(key);
  }
  settleKeys(shown, keys);
  return keys.length === 0 ? undefined : shown;
}

function userOf({ name, uid, groups, extra }: UserInfo): JsonObject {
  return {
    ...(name === "" ? {} : { username: name }),
    ...(uid === undefined ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(extra === undefined ? {} : { extra: extra as unknown as Json }),
  };
}

/** The addresses that proxies in between have noted, then the one that connected. Anybody may send what is none. */
function sourceIps({ headers, remoteAddress }: AuthenticatedRequest): string[] {
  const noted = headers
    .all("x-forwarded-for")
    .flatMap((value) => value.split(","))
    .map((address) => address.trim())
    .filter((address) => isIP(address) !== 0);
  const real = headers.first("x-real-ip") ?? "";
  if (isIP(real) !== 0 && !noted.includes(real)) noted.push(real);
  return noted.at(-1) === remoteAddress ? noted : [...noted, remoteAddress];
}

function shortened(text: string): string {
  return text.length <= MAX_USER_AGENT_LENGTH
    ? text
    : text.slice(0, MAX_USER_AGENT_LENGTH - TRUNCATED.length) + TRUNCATED;
}

/** What the path says, and at every level what the body of a create or an update says of its object: as upstream. */
function objectRef(target: Extract<Target, { type: "resource" }>, body: BodyIdentity = {}): JsonObject {
  const { resource, namespace, group, version, subresource } = target;
  const name = target.name || body.name;
  return {
    resource,
    ...(namespace === "" ? {} : { namespace }),
    ...(name ? { name } : {}),
    ...(body.uid ? { uid: body.uid } : {}),
    ...(group === "" ? {} : { apiGroup: group }),
    apiVersion: version,
    ...(body.resourceVersion ? { resourceVersion: body.resourceVersion } : {}),
    ...(subresource === "" ? {} : { subresource }),
  };
}

function statusOf(outcome: StatusError | number): JsonObject {
  if (typeof outcome === "number") return { metadata: {}, code: outcome };
  const { metadata, status, message, reason, details, code } = outcome.toBody();
  return {
    metadata: { ...metadata },
    status,
    message,
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details: details as unknown as Json }),
    code,
  };
}

/** The same object, or list of objects, without the record of who owns which field. */
export function* withoutManagedFields(value: Json, pace = new Pace(MEMBERS_PER_STEP)): Steps<Json> {
  if (!isObject(value)) return value;
  const keys = yield* keysInStep(value);
  const shown: JsonObject = {};
  for (const key of keys) {
    if (pace.due()) yield;
    const member = value[key]!;
    if (key === "metadata" && isObject(member)) shown[key] = { ...member, managedFields: undefined };
    else if (key === "items" && Array.isArray(member)) shown[key] = yield* withoutOwners(member, pace);
    else setKey(shown, key, member);
  }
  settleKeys(shown, keys);
  return shown;
}

function* withoutOwners(items: readonly Json[], pace: Pace): Steps<Json[]> {
  const shown: Json[] = [];
  for (const item of items) shown.push(yield* withoutManagedFields(item, pace));
  return shown;
}
