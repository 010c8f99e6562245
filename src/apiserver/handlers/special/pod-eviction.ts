// POST of an Eviction: deletes a pod unless its disruption budget forbids it now.

import type { JsonObject } from "../../../base/json.ts";
import { atOnceWhileShort, Pace, type Steps } from "../../../base/steps.ts";
import { defineKind, type Kind } from "../../../kinds/define-kind.ts";
import { evictionSchema } from "../../../kinds/policy/eviction.ts";
import { invalid } from "../../../meta/field-error.ts";
import { type LabelSelectorObject, selectorFromObject } from "../../../meta/label-selector.ts";
import type { ApiObject } from "../../../meta/object.ts";
import {
  badRequest,
  invalidObject,
  isStatusError,
  notFoundObject,
  type StatusDetails,
  StatusError,
} from "../../../meta/status-error.ts";
import { checkPreconditions, type DeletionRequest, deleteObject } from "../../../registry/delete-object.ts";
import { recordCreate } from "../../../registry/field-managers.ts";
import type { CacheItem } from "../../../registry/items.ts";
import type { ObjectStore } from "../../../registry/object-store.ts";
import { decodeOrCorrupt } from "../../../registry/read-object.ts";
import type { ServedResource } from "../../../registry/served-resource.ts";
import { updateObject } from "../../../registry/update-object.ts";
import { waitForNewest } from "../../../registry/wait-for-revision.ts";
import { admissionRequest, timestamp, turnOf, type WriteRequest } from "../../../registry/write.ts";
import { answerStatus } from "../answer-status.ts";
import { checkDeleteOptions, UNSAFE } from "../delete-options.ts";
import { type HandlerContext, outputOf } from "../handler-context.ts";
import type { SpecialHandler } from "../subresource.ts";
import { writeRequest } from "../write-options.ts";
import { readOperation } from "./operation-body.ts";
import { CREATED } from "./pod-binding.ts";

/** More pods that left lately than this, and the budget is thought to be stuck. */
const MAX_DISRUPTED_PODS = 2000;
/** A pod that does not serve is judged again when somebody has written to it meanwhile; so often at the most. */
const MAX_ATTEMPTS = 20;

const evictionKind = defineKind<ApiObject>({
  group: "policy",
  version: "v1",
  kind: "Eviction",
  resource: "",
  singular: "",
  scope: "Namespaced",
  verbs: [],
  schema: evictionSchema,
  virtual: true,
}) as Kind;

/** Evictions of old clients are taken too, though nothing else of that version is served. */
const OLDER_VERSIONS: ReadonlySet<string> = new Set(["v1beta1"]);

interface Budget {
  readonly spec: { readonly selector?: LabelSelectorObject | null; readonly unhealthyPodEvictionPolicy?: string };
  readonly status: {
    readonly observedGeneration?: number;
    readonly disruptionsAllowed: number;
    readonly currentHealthy: number;
    readonly desiredHealthy: number;
    readonly disruptedPods?: Record<string, string>;
  };
}

/** `budgets`: the PodDisruptionBudgets, where they are served. */
export function evictPod(budgets: () => ServedResource | undefined): SpecialHandler {
  return async (context, resourceRequest) => {
    const { target, resource: pods } = resourceRequest;
    const output = outputOf(context, resourceRequest);
    const {
      object: sent,
      options: query,
      resource,
      bodyBytes,
    } = await readOperation(context, resourceRequest, evictionKind, OLDER_VERSIONS);
    const asked = writeRequest(resourceRequest, query, "CreateOptions", context, bodyBytes);
    await recordCreate(context, { ...asked, resource }, sent);
    const { dryRun: saysDryRun } = optionsOf(sent);
    const write: WriteRequest = { ...asked, dryRun: query.dryRun || (saysDryRun ?? []).length > 0 };
    const admission = {
      ...admissionRequest({ ...write, resource }, "CREATE", target.name, sent, undefined),
      resource: { group: pods.group, version: pods.kind.version, resource: pods.kind.resource },
    };
    await context.admission.mutate(admission);
    // What admission has made of it counts: it may give the pod more time.
    const eviction = admission.object ?? sent;
    if ((eviction.metadata.name ?? "") !== target.name)
      throw badRequest("name in URL does not match name in Eviction object");
    const options = optionsOf(eviction);
    checkOptions(context, target.name, options);
    const dryRun = write.dryRun || (options.dryRun ?? []).length > 0;
    await context.admission.validate(admission);

    await evict(context, { ...write, dryRun }, { pods, budgets: budgets() }, options);
    return answerStatus(context, output, 201, CREATED);
  };
}

type EvictionOptions = JsonObject & DeletionRequest & { readonly dryRun?: string[] };

const optionsOf = (eviction: ApiObject): EvictionOptions => (eviction["deleteOptions"] ?? {}) as EvictionOptions;

interface Parts {
  readonly pods: ServedResource;
  readonly budgets: ServedResource | undefined;
}

/** Whether a pod may go, and what it must still be then. */
interface Leave {
  /** It may go because it does not serve: one that has come to serve meanwhile is another matter. */
  readonly asItIs: boolean;
  /** That counts it among those that do not serve. */
  readonly budget?: string;
}

async function evict(
  context: HandlerContext,
  write: WriteRequest,
  { pods, budgets }: Parts,
  options: DeletionRequest,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const pod = await currentPod(pods, write);
    const leave = mayGoAlways(pod) ? { asItIs: isPending(pod) } : await takeFromBudget(context, write, budgets, pod);
    const { resourceVersion } = pod.metadata;
    const isOurWish = leave.asItIs && options.preconditions?.resourceVersion === undefined;
    const meant =
      isOurWish && resourceVersion !== undefined
        ? { ...options, preconditions: { ...options.preconditions, resourceVersion } }
        : options;
    const deletion = { ...write, subresource: "" };
    try {
      const wish = write.dryRun ? meant : await markDisrupted(context, deletion, meant);
      // Admission has judged the eviction: webhooks that watch over deletions do not see this one, as upstream.
      await deleteObject(context, deletion, wish, true);
      return;
    } catch (error) {
      if (!isOurWish || !isStatusError(error, "Conflict")) throw error;
      if (leave.budget !== undefined) throw stillProcessed(leave.budget);
      if (attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

function checkOptions({ names }: HandlerContext, name: string, options: JsonObject): void {
  if (options[UNSAFE] === true) {
    const why = "can not be set for pod eviction, try after removing the option";
    throw invalidObject(names.group("policy"), "Eviction", name, [invalid(`deleteOptions.${UNSAFE}`, true, why)]);
  }
  checkDeleteOptions(names, options);
}

/**
 * Says on the pod itself why it goes, for those who see it end. What the options demand of the pod is checked before;
 * answers with what they demand of the marked one.
 */
async function markDisrupted(
  context: HandlerContext,
  write: WriteRequest,
  options: DeletionRequest,
): Promise<DeletionRequest> {
  const marked = await updateObject(
    context,
    { ...write, subresource: "status" },
    {
      internal: true,
      versionOptional: true,
      next(current) {
        if (current === undefined) throw notFoundObject(write.resource.subject, write.name);
        checkPreconditions(context, write, options, current);
        const { conditions = [], ...status } = (current["status"] ?? {}) as { conditions?: PodCondition[] };
        const withMark = withPodCondition(conditions, {
          type: "DisruptionTarget",
          status: "True",
          lastProbeTime: null,
          lastTransitionTime: timestamp(context.clock),
          reason: "EvictionByEvictionAPI",
          message: "Eviction API: evicting",
        });
        return { ...current, status: { ...status, conditions: withMark } };
      },
    },
  );
  const { preconditions } = options;
  const { resourceVersion } = marked.object.metadata;
  if (preconditions?.resourceVersion === undefined || resourceVersion === undefined) return options;
  return { ...options, preconditions: { ...preconditions, resourceVersion } };
}

interface PodCondition {
  readonly type: string;
  readonly status: string;
  readonly lastProbeTime: string | null;
  readonly lastTransitionTime?: string | null;
  readonly reason?: string;
  readonly message?: string;
}

/** A condition that says the same keeps the time since when it does. */
function withPodCondition(conditions: readonly PodCondition[], added: PodCondition): PodCondition[] {
  const at = conditions.findIndex(({ type }) => type === added.type);
  if (at < 0) return [...conditions, added];
  const was = conditions[at]!;
  const same = was.status === added.status;
  return conditions.with(at, same ? { ...added, lastTransitionTime: was.lastTransitionTime ?? null } : added);
}

async function currentPod(pods: ServedResource, { namespace, name }: WriteRequest): Promise<ApiObject> {
  const entry = await pods.store!.get(pods.store!.keyOf(namespace, name));
  if (entry === undefined) throw notFoundObject(pods.subject, name);
  return decodeOrCorrupt(pods, entry);
}

const SEVERAL_BUDGETS =
  "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";

/** Pods that do not serve yet, or no longer, disrupt nobody. */
function mayGoAlways(pod: ApiObject): boolean {
  const phase = phaseOf(pod);
  return phase === "Succeeded" || phase === "Failed" || phase === "Pending" || isEnding(pod);
}

const isPending = (pod: ApiObject): boolean => phaseOf(pod) === "Pending" && !isEnding(pod);

const isEnding = ({ metadata }: ApiObject): boolean => metadata.deletionTimestamp !== undefined;

const phaseOf = (pod: ApiObject): string | undefined => (pod["status"] as { phase?: string } | undefined)?.phase;

async function takeFromBudget(
  context: HandlerContext,
  write: WriteRequest,
  budgets: ServedResource | undefined,
  pod: ApiObject,
): Promise<Leave> {
  if (budgets === undefined) return { asItIs: false };
  const found = await budgetsOf(budgets, write, pod);
  if (found.length === 0) return { asItIs: false };
  if (found.length > 1) throw new StatusError(500, "", SEVERAL_BUDGETS);
  const [name] = found as [string];
  const podName = pod.metadata.name ?? "";
  let asItIs = false;
  await updateObject(
    context,
    { ...write, resource: budgets, subresource: "status", name },
    {
      internal: true,
      versionOptional: true,
      next(current) {
        const budget = current as ApiObject & Budget;
        asItIs = !isReady(pod) && unhealthyMayGo(budget);
        if (asItIs) return budget;
        checkBudget(budget, name);
        const { status } = budget;
        const disruptedPods = { ...status.disruptedPods, [podName]: timestamp(context.clock) };
        return { ...budget, status: { ...status, disruptionsAllowed: status.disruptionsAllowed - 1, disruptedPods } };
      },
    },
  );
  return { asItIs, budget: name };
}

async function budgetsOf(budgets: ServedResource, write: WriteRequest, pod: ApiObject): Promise<string[]> {
  const store = budgets.store!;
  await store.cache.ready();
  await waitForNewest(store, write.caller);
  const items = store.cache.list({ scope: store.scopeOf(write.namespace) })?.items ?? [];
  return atOnceWhileShort(firstBudgets(store, items, pod), () => turnOf(write.caller));
}

/** Read in steps: there may be very many in a namespace, and large ones. More than two are too many as well. */
function* firstBudgets(store: ObjectStore, items: readonly CacheItem[], pod: ApiObject): Steps<string[]> {
  const names: string[] = [];
  const pace = new Pace(BYTES_PER_STEP);
  for (const item of items) {
    if (pace.due(item.bytes.length)) yield;
    const budget = (yield* store.objectInSteps(item)) as ApiObject & Budget;
    if (selectorFromObject(budget.spec.selector).matches(pod.metadata.labels)) names.push(budget.metadata.name ?? "");
    if (names.length === 2) break;
  }
  return names;
}

/** So much is read in about a millisecond. */
const BYTES_PER_STEP = 32 * 1024;

function isReady(pod: ApiObject): boolean {
  const { conditions = [] } = (pod["status"] ?? {}) as { conditions?: { type: string; status: string }[] };
  return conditions.some(({ type, status }) => type === "Ready" && status === "True");
}

function unhealthyMayGo({ spec, status }: Budget): boolean {
  if (spec.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  return status.currentHealthy >= status.desiredHealthy && status.desiredHealthy > 0;
}

function refusal(why: string, details: Pick<StatusDetails, "retryAfterSeconds"> = {}): StatusError {
  return new StatusError(429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [{ reason: "DisruptionBudget", message: why }],
    ...details,
  });
}

const stillProcessed = (budget: string): StatusError =>
  refusal(`The disruption budget ${budget} is still being processed by the server.`, { retryAfterSeconds: 10 });

function checkBudget({ status, metadata }: ApiObject & Budget, name: string): void {
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) throw stillProcessed(name);
  if (Object.keys(status.disruptedPods ?? {}).length > MAX_DISRUPTED_PODS) {
    throw new StatusError(
      403,
      "Forbidden",
      `poddisruptionbudgets.policy "${name}" is forbidden: DisruptedPods map too big - too many evictions not confirmed by PDB controller`,
    );
  }
  if (status.disruptionsAllowed <= 0) {
    throw refusal(
      `The disruption budget ${name} needs ${status.desiredHealthy} healthy pods and has ${status.currentHealthy} currently`,
    );
  }
}
