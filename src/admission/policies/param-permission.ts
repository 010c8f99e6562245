// Nobody reads through a policy what they may not read themselves: who names its parameters must be allowed to get them.

import { equalJson } from "../../base/json.ts";
import { forbiddenField } from "../../meta/field-error.ts";
import { type ApiObject, parseApiVersion } from "../../meta/object.ts";
import { cutText } from "../../meta/quoted.ts";
import { invalidObject } from "../../meta/status-error.ts";
import { SYSTEM_MASTERS, type UserInfo } from "../../meta/user.ts";
import { goValue } from "../../patch/go-text.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../../registry/admission.ts";
import type { Catalog } from "../../registry/catalog.ts";
import { findFresh, type Lookup } from "../mirrors.ts";
import type { PluginParts } from "../plugin-parts.ts";
import { findParamKind, type ParamKind } from "./param-source.ts";
import { MUTATING_POLICIES, type ParamRef, type PolicyResources, VALIDATING_POLICIES } from "./policy-set.ts";

type Parts = Pick<PluginParts, "names" | "catalog" | "mirrors" | "authorizer">;

/** Part of every chain: no flag turns it off. */
export function policyParamPermission(parts: Parts): AdmissionPlugin {
  const group = parts.names.group("admissionregistration");
  const checks = new Map<string, (request: AdmissionRequest) => Promise<void>>();
  for (const resources of [VALIDATING_POLICIES, MUTATING_POLICIES]) {
    const policies = kindsOfParams(parts, group, resources);
    checks.set(resources.policies, (request) => checkPolicy(parts, request));
    checks.set(resources.bindings, (request) => checkBinding(parts, policies, request));
  }
  return {
    name: "PolicyParamPermission",
    resources: [...checks.keys()],
    handles: ({ resource, operation, subresource, user }) =>
      resource.group === group &&
      subresource === "" &&
      (operation === "CREATE" || operation === "UPDATE") &&
      !user.groups.includes(SYSTEM_MASTERS),
    validate: (request) => checks.get(request.resource.resource)?.(request),
  };
}

interface PolicyParams {
  readonly paramKind: ParamKind | undefined;
}

function kindsOfParams(
  { mirrors }: Parts,
  group: string,
  { policies, version }: PolicyResources,
): Lookup<PolicyParams> | undefined {
  return mirrors.projected<PolicyParams>(group, version, policies, {
    project: (policy) => ({ paramKind: specOf(policy).paramKind ?? undefined }),
  });
}

async function checkPolicy({ catalog, authorizer }: Parts, request: AdmissionRequest): Promise<void> {
  const { paramKind } = specOf(request.object!);
  if (paramKind == null || equalJson(paramKind, specOf(request.oldObject).paramKind)) return;
  const { user } = request;
  const { resource } = readAs(catalog, paramKind);
  const decision = await authorizer.authorize({
    user,
    verb: "get",
    resource: { ...resource, subresource: "", namespace: "*", name: "*" },
  });
  if (decision.verdict === "allow") return;
  const { apiVersion = "", kind = "" } = paramKind;
  const what = `(kind=${kind}, apiVersion=${apiVersion})`;
  const why = `user ${userText(user)} must have "get" permission on all objects of the referenced paramKind ${what}`;
  throw refused(request, "spec.paramKind", why);
}

async function checkBinding(
  { catalog, authorizer }: Parts,
  policies: Lookup<PolicyParams> | undefined,
  request: AdmissionRequest,
): Promise<void> {
  const { paramRef, policyName = "" } = specOf(request.object!);
  const before = specOf(request.oldObject);
  if (paramRef == null || (policyName === before.policyName && equalJson(paramRef, before.paramRef))) return;
  const policy = await findFresh(policies, "", policyName);
  const { resource, unknown } = readAs(catalog, policy?.paramKind);
  const { name = "", namespace = "" } = paramRef;
  const verb = name === "" ? "list" : "get";
  const { user } = request;
  const decision = await authorizer.authorize({
    user,
    verb,
    resource: { ...resource, subresource: "", namespace, name },
  });
  if (decision.verdict === "allow") return;
  const lacks = `user ${userText(user)} does not have "${verb}" permission`;
  const everywhere = `to determine minimum required permissions and ${lacks} for all groups, versions and resources`;
  if (policy === undefined) throw refused(request, "spec.paramRef", `unable to get policy ${policyName} ${everywhere}`);
  if (unknown !== undefined) throw refused(request, "spec.paramRef", `unable to ${unknown} ${everywhere}`);
  throw refused(request, "spec.paramRef", `${lacks} on the object referenced by paramRef`);
}

/** What has to be readable: everything, as far as the kind leaves it open. */
function readAs(catalog: Catalog, paramKind: ParamKind | undefined) {
  const parsed = paramKind === undefined ? undefined : parseApiVersion(paramKind.apiVersion ?? "");
  if (paramKind === undefined || parsed === undefined) {
    return {
      resource: { group: "*", version: "*", resource: "*" },
      unknown: paramKind && `parse paramKind ${kindText(paramKind)}`,
    };
  }
  const served = findParamKind(catalog, paramKind);
  return {
    resource: { group: parsed.group, version: parsed.version, resource: served?.kind.resource ?? "*" },
    unknown: served === undefined ? `resolve paramKind ${kindText(paramKind)}` : undefined,
  };
}

const kindText = ({ apiVersion = "", kind = "" }: ParamKind): string =>
  `&ParamKind{APIVersion:${apiVersion},Kind:${kind},}`;

function refused({ kind, name }: AdmissionRequest, field: string, why: string): Error {
  return invalidObject(kind.group, kind.kind, name, [forbiddenField(field, why)]);
}

/** As upstream prints a user. */
const userText = ({ name, uid = "", groups, extra = {} }: UserInfo): string =>
  `&{${cutText(name)} ${uid} ${goValue([...groups])} ${goValue(extra as Record<string, string[]>)}}`;

interface ParamSpec {
  readonly paramKind?: ParamKind | null;
  readonly paramRef?: ParamRef | null;
  readonly policyName?: string;
}

const specOf = (object: ApiObject | undefined): ParamSpec => (object?.["spec"] ?? {}) as ParamSpec;
