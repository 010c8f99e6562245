// Nobody hands out what they do not hold: every write of a role or binding is checked, whatever the authorization mode.
// Requirements: document 2, "Escalation prevention".

import { goQuote } from "../../base/go-quote.ts";
import { equalJson } from "../../base/json.ts";
import { atOnceWhileShort } from "../../base/steps.ts";
import { collectsRules } from "../../kinds/rbac/aggregate.ts";
import { FULL_AUTHORITY, type Rule, rulesOf } from "../../meta/access-rule.ts";
import type { Names } from "../../meta/names.ts";
import type { ApiObject } from "../../meta/object.ts";
import { forbidden, notFoundObject } from "../../meta/status-error.ts";
import { SYSTEM_MASTERS, type UserInfo } from "../../meta/user.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../../registry/admission.ts";
import type { Authorizer, RuleResolver } from "../../registry/authorizer.ts";
import { turnOf } from "../../registry/write.ts";
import type { RoleRef } from "./rbac-index.ts";
import type { RbacState } from "./rbac-state.ts";
import { quotedList, RuleCoverTooLarge, ruleText, singleThings, uncoveredInSteps } from "./rule-cover.ts";

interface EscalationDeps {
  readonly names: Names;
  readonly authorizer: Authorizer;
  /** What RBAC grants; what other authorizers allow cannot be handed on. */
  readonly held: RuleResolver;
  readonly state: RbacState;
}

/** Part of every chain: no flag turns it off. */
export function escalationPrevention(deps: EscalationDeps): AdmissionPlugin {
  const group = deps.names.group("rbac.authorization");
  const check = (request: AdmissionRequest) => checkWrite(deps, request);
  return {
    name: "RBACEscalation",
    handles: ({ resource, operation, subresource }) =>
      resource.group === group && subresource === "" && (operation === "CREATE" || operation === "UPDATE"),
    // Changes nothing. Stands last among those that do, so that nobody learns what else is wrong with a role they may not write.
    mutate: check,
    validate: check,
  };
}

async function checkWrite(deps: EscalationDeps, request: AdmissionRequest): Promise<void> {
  if (request.user.groups.includes(SYSTEM_MASTERS) || changesOnlyForDeletion(request)) return;
  switch (request.resource.resource) {
    case "roles":
    case "clusterroles":
      return checkRole(deps, request);
    case "rolebindings":
    case "clusterrolebindings":
      return checkBinding(deps, request);
  }
}

async function checkRole(deps: EscalationDeps, request: AdmissionRequest): Promise<void> {
  const { user, namespace, name, pathName = name, resource } = request;
  const object = request.object!;
  const allowed = await deps.authorizer.authorize({
    user,
    verb: "escalate",
    // A name restricts what the path names, also where the object is not there yet.
    resource: { ...resource, version: "*", subresource: "", namespace, name: pathName },
  });
  if (allowed.verdict === "allow") return;
  await deps.state.ready();
  await refuseUnlessHeld(deps, request, rulesOf(object));
  // Whoever may choose what is collected decides over every rule there is or will be.
  if (collectsRules(object) || (request.oldObject !== undefined && collectsRules(request.oldObject))) {
    const { rules } = await deps.held.rulesFor(user, namespace);
    if ((await missingRules(request, rules, FULL_AUTHORITY)).length > 0) {
      throw forbidden(resource, name, "must have cluster-admin privileges to use the aggregationRule");
    }
  }
}

async function checkBinding(deps: EscalationDeps, request: AdmissionRequest): Promise<void> {
  const { user, namespace } = request;
  const ref = request.object!["roleRef"] as (RoleRef & { apiGroup?: string }) | null | undefined;
  // Validation refuses what refers to no role at all.
  if (ref?.kind !== "ClusterRole" && ref?.kind !== "Role") return;
  const allowed = await deps.authorizer.authorize({
    user,
    verb: "bind",
    resource: {
      group: ref.apiGroup ?? "",
      version: "*",
      resource: ref.kind === "ClusterRole" ? "clusterroles" : "roles",
      subresource: "",
      namespace,
      name: ref.name ?? "",
    },
  });
  if (allowed.verdict === "allow") return;
  // A role that another server has just made must not be taken for a missing one.
  const role =
    deps.state.index.role(ref, namespace) ??
    (await deps.state.sync().then(() => deps.state.index.role(ref, namespace)));
  if (role === undefined) throw notFoundObject(request.resource, ref.name ?? "");
  await refuseUnlessHeld(deps, request, role.rules);
}

async function refuseUnlessHeld(
  { held }: EscalationDeps,
  request: AdmissionRequest,
  wanted: readonly Rule[],
): Promise<void> {
  const { user, namespace, resource, name } = request;
  const { rules, problems } = await held.rulesFor(user, namespace);
  const missing = await missingRules(request, rules, wanted);
  if (missing.length === 0) return;
  throw forbidden(resource, name, escalationText(user, missing, problems));
}

async function missingRules(
  { resource, name, caller }: AdmissionRequest,
  held: readonly Rule[],
  wanted: readonly Rule[],
): Promise<Rule[]> {
  try {
    return await atOnceWhileShort(uncoveredInSteps(held, wanted), () => turnOf(caller));
  } catch (error) {
    if (!(error instanceof RuleCoverTooLarge)) throw error;
    const way = "split the role into smaller ones, or ask for the verb escalate or bind";
    throw forbidden(resource, name, `${error.message}; ${way}`);
  }
}

/** More of them tell nobody anything. */
const MAX_LINES = 100;
const MAX_TEXT_CHARS = 16 * 1024;

export function escalationText(user: UserInfo, missing: readonly Rule[], problems: readonly string[]): string {
  const lines = fitting([...new Set(singleThings(missing, MAX_LINES).map(ruleText))].sort());
  const who = `user ${goQuote(user.name)} (groups=${quotedList(user.groups)})`;
  const text = `${who} is attempting to grant RBAC permissions not currently held:\n${lines.join("\n")}`;
  return problems.length === 0 ? text : `${text}; resolution errors: [${problems.join(", ")}]`;
}

function fitting(lines: readonly string[]): string[] {
  let chars = 0;
  const end = lines.findIndex((line) => {
    chars += line.length;
    return chars > MAX_TEXT_CHARS;
  });
  const shown = end < 0 ? [...lines] : lines.slice(0, Math.max(end, 1)).map((line) => line.slice(0, MAX_TEXT_CHARS));
  return end < 0 && lines.length < MAX_LINES ? shown : [...shown, "... and more"];
}

/** The garbage collector must be able to finish what it may not grant. */
function changesOnlyForDeletion({ object, oldObject }: AdmissionRequest): boolean {
  if (object === undefined || oldObject === undefined) return false;
  return equalJson(withoutDeletionFields(object), withoutDeletionFields(oldObject));
}

function withoutDeletionFields({ metadata, ...rest }: ApiObject): unknown {
  const { ownerReferences: _o, finalizers: _f, managedFields: _m, resourceVersion: _r, ...others } = metadata;
  return { ...rest, metadata: others };
}
