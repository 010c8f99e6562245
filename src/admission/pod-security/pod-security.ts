// Admission: pods keep to the level of security that the labels of their namespace ask for.

import { append } from "../../base/append.ts";
import { equalJson } from "../../base/json.ts";
import { equalJsonInSteps } from "../../base/json-in-steps.ts";
import { inTurns, type Steps } from "../../base/steps.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { fieldErrorText } from "../../meta/field-error.ts";
import type { Names } from "../../meta/names.ts";
import type { ApiObject } from "../../meta/object.ts";
import { invalidObject } from "../../meta/status-error.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../../registry/admission.ts";
import { turnOf } from "../../registry/write.ts";
import { concerns, concernsPart, concernsPod } from "../match-request.ts";
import { soon } from "../matching/soon.ts";
import { findFresh, type Lookup } from "../mirrors.ts";
import type { NamespaceState } from "../namespace-lifecycle.ts";
import { aggregate, refusal } from "../refusal.ts";
import { findings, findingsText } from "./checks.ts";
import { isStricter, type NamespacePolicy, type Policy, policyText, readPolicy, saidText } from "./levels.ts";
import type { PodTemplate } from "./pod-parts.ts";
import type { PodSecurityObserver } from "./pod-security-metrics.ts";
import type { PodSecuritySettings } from "./settings.ts";

export interface PodSecurityParts {
  readonly names: Names;
  readonly namespaces: Lookup<NamespaceState>;
  readonly gateEnabled: (gate: string) => boolean;
  readonly settings: PodSecuritySettings;
  /** Pods of a namespace, as many as may be looked at when its level becomes stricter, and how many there are beside them. */
  readonly podsOf: (request: Pick<AdmissionRequest, "name" | "caller">) => AsyncGenerator<ApiObject, number>;
  readonly observe: PodSecurityObserver;
}

export function podSecurity(parts: PodSecurityParts): AdmissionPlugin {
  const { names } = parts;
  const templateOf = templateReader(names);
  const policyOf = policyReader(parts);
  return {
    name: "PodSecurity",
    resources: ["pods", "namespaces", ...WITH_TEMPLATE.keys()],
    handles: (request) =>
      (request.operation === "CREATE" || request.operation === "UPDATE") &&
      (isPodWrite(request) || templateOf(request) !== undefined || concerns(request, "", "namespaces")),
    async validate(request) {
      if (concerns(request, "", "namespaces")) return validateNamespace(parts, request);
      const { exempt } = parts.settings;
      if (exempt.namespaces.has(request.namespace)) return noteExempt(names, request, "namespace");
      if (exempt.users.has(request.user.name)) return noteExempt(names, request, "user");
      const policy = await policyOf(request.namespace);
      if (isPodWrite(request)) {
        if (request.operation === "UPDATE" && !(await soon(isSignificant(request), request))) return;
        return soon(judge(parts, request, policy, request.object as unknown as Pod, true), request);
      }
      const template = templateOf(request);
      if (template !== undefined) return soon(judge(parts, request, policy, template, false), request);
    },
  };
}

const isPodWrite = (request: AdmissionRequest): boolean =>
  concernsPod(request) || concernsPart(request, "", "pods", "ephemeralcontainers");

type ReadPolicy = ReturnType<typeof readPolicy>;

/** What the labels of a namespace ask for, read once for all its pods. */
function policyReader({ names, namespaces, settings }: PodSecurityParts): (namespace: string) => Promise<ReadPolicy> {
  const known = new WeakMap<NamespaceState["labels"], ReadPolicy>();
  return async (namespace) => {
    const labels = (await findFresh(namespaces, "", namespace))?.labels ?? {};
    let policy = known.get(labels);
    if (policy === undefined) {
      policy = readPolicy(labels, names.podSecurityPrefix, settings.defaults);
      known.set(labels, policy);
    }
    return policy;
  };
}

function* judge(
  parts: PodSecurityParts,
  request: AdmissionRequest,
  { policy, errors }: ReadPolicy,
  pod: PodTemplate,
  enforce: boolean,
): Steps<void> {
  const { names, settings } = parts;
  if (settings.exempt.runtimeClasses.has(pod.spec.runtimeClassName ?? ""))
    return noteExempt(names, request, "runtimeClass");
  const violations = function* (of: Policy): Steps<string> {
    return findingsText(yield* check(parts, pod, of));
  };
  const { auditAnnotations } = request;
  if (errors.length > 0) {
    const why = aggregate(errors.map(fieldErrorText));
    auditAnnotations.set(`${names.podSecurityPrefix}error`, `Failed to parse policy: ${why}`);
  }
  if (enforce) auditAnnotations.set(`${names.podSecurityPrefix}enforce-policy`, policyText(policy.enforce));
  const audited = yield* violations(policy.audit);
  if (audited !== "") {
    parts.observe(request, "audit", policy.audit, "deny");
    auditAnnotations.set(
      `${names.podSecurityPrefix}audit-violations`,
      `would violate PodSecurity ${JSON.stringify(policyText(policy.audit))}: ${audited}`,
    );
  }
  const enforced = enforce ? yield* violations(policy.enforce) : "";
  if (enforce) parts.observe(request, "enforce", policy.enforce, enforced === "" ? "allow" : "deny");
  if (enforced !== "")
    throw refusal(request, `violates PodSecurity ${JSON.stringify(policyText(policy.enforce))}: ${enforced}`);
  const warned = yield* violations(policy.warn);
  if (warned === "") return;
  parts.observe(request, "warn", policy.warn, "deny");
  request.warnings.push(`would violate PodSecurity ${JSON.stringify(policyText(policy.warn))}: ${warned}`);
}

function noteExempt(
  names: Names,
  { auditAnnotations }: AdmissionRequest,
  why: "namespace" | "user" | "runtimeClass",
): void {
  auditAnnotations.set(`${names.podSecurityPrefix}exempt`, why);
}

function check({ names, gateEnabled }: PodSecurityParts, pod: PodTemplate, policy: Policy) {
  const relaxedByUserNamespace = pod.spec.hostUsers === false && gateEnabled("UserNamespacesPodSecurityStandards");
  return findings(pod, policy, { names, relaxedByUserNamespace });
}

/** Most of a pod cannot change; what can, counts only where the checks look at it. */
function* isSignificant({ object, oldObject }: AdmissionRequest): Steps<boolean> {
  const view = (pod: ApiObject | undefined) => {
    const { spec } = pod as unknown as Pod;
    const seen = (
      containers: readonly { name: string; image?: string; securityContext?: unknown }[] | undefined | null,
    ) => (containers ?? []).map(({ name, image, securityContext }) => ({ name, image, securityContext }));
    return {
      initContainers: seen(spec.initContainers),
      containers: seen(spec.containers),
      ephemeralContainers: seen(spec.ephemeralContainers as never),
    };
  };
  return !(yield* equalJsonInSteps(view(object), view(oldObject)));
}

/** Wrong labels are refused, unless they were there before. A stricter level warns about the pods that it finds. */
async function validateNamespace(parts: PodSecurityParts, request: AdmissionRequest): Promise<void> {
  const { names, settings } = parts;
  const { object, oldObject, name } = request;
  const read = (namespace: ApiObject | undefined) =>
    readPolicy(namespace?.metadata.labels ?? {}, names.podSecurityPrefix, settings.defaults);
  const [now, before] = [read(object), read(oldObject)];
  if (now.errors.length > 0 && !equalJson(now.errors, before.errors))
    throw invalidObject("", "Namespace", name, now.errors);
  if (request.operation === "UPDATE" && !isStricter(now.policy.enforce, before.policy.enforce)) return;
  if (settings.exempt.namespaces.has(name)) return warnOfNothing(parts, request, now.policy);
  if (request.operation !== "UPDATE") return;
  const { enforce } = now.policy;
  const byReasons = new Map<string, string[]>();
  const pods = parts.podsOf(request);
  let checked = 0;
  let next = await pods.next();
  for (; next.done !== true; next = await pods.next()) {
    const pod = next.value;
    const template = pod as unknown as Pod;
    checked += 1;
    if (settings.exempt.runtimeClasses.has(template.spec.runtimeClassName ?? "")) continue;
    const found = await inTurns(check(parts, template, enforce), () => turnOf(request.caller));
    if (found.length === 0) continue;
    const key = found.map(({ reason }) => reason).join(", ");
    const like = byReasons.get(key);
    if (like === undefined) byReasons.set(key, [pod.metadata.name ?? ""]);
    else like.push(pod.metadata.name ?? "");
  }
  if (next.value > 0)
    request.warnings.push(
      `new PodSecurity enforce level only checked against the first ${checked} of ${checked + next.value} existing pods`,
    );
  if (byReasons.size === 0) return;
  request.warnings.push(
    `existing pods in namespace ${JSON.stringify(name)} violate the new PodSecurity enforce level ${JSON.stringify(policyText(enforce))}`,
  );
  const told = [...byReasons].map(([reasons, pods]) => {
    const [first = "", ...others] = pods.sort();
    const more = others.length === 0 ? "" : ` (and ${others.length} other ${others.length === 1 ? "pod" : "pods"})`;
    return `${first}${more}: ${reasons}`;
  });
  append(request.warnings, told.sort());
}

/** Who gives a namespace a level that does not hold for it should know. */
function warnOfNothing(
  { names, settings }: PodSecurityParts,
  { object, name, warnings }: AdmissionRequest,
  policy: NamespacePolicy,
): void {
  const isPrivileged = Object.values(policy).every(({ level }) => level === "privileged");
  if (isPrivileged || equalJson(policy, settings.defaults)) return;
  const said = saidText(object?.metadata.labels ?? {}, names.podSecurityPrefix, policy);
  warnings.push(
    `namespace ${JSON.stringify(name)} is exempt from Pod Security, and the policy (${said}) will be ignored`,
  );
}

/** The pod template inside objects that make pods. */
type Template = Partial<PodTemplate>;
interface WithTemplate {
  template?: Template;
  spec?: { template?: Template; jobTemplate?: { spec?: { template?: Template } } };
}
const inSpec = ({ spec }: WithTemplate) => spec?.template;

/** By their resources: the group they are of, and where their template is. */
const WITH_TEMPLATE: ReadonlyMap<string, [group: string, (object: WithTemplate) => Template | undefined]> = new Map([
  ["replicationcontrollers", ["", inSpec]],
  ["podtemplates", ["", ({ template }) => template]],
  ["replicasets", ["apps", inSpec]],
  ["deployments", ["apps", inSpec]],
  ["statefulsets", ["apps", inSpec]],
  ["daemonsets", ["apps", inSpec]],
  ["jobs", ["batch", inSpec]],
  ["cronjobs", ["batch", ({ spec }) => spec?.jobTemplate?.spec?.template]],
]);

function templateReader(names: Names): (request: AdmissionRequest) => PodTemplate | undefined {
  return ({ resource, subresource, object }) => {
    if (subresource !== "" || object === undefined || names.groupKey(resource.group) === undefined) return undefined;
    const [group, read] = WITH_TEMPLATE.get(resource.resource) ?? [];
    const template = group === resource.group ? read?.(object as unknown as WithTemplate) : undefined;
    if (template?.spec == null) return undefined;
    return { metadata: template.metadata ?? {}, spec: template.spec };
  };
}
