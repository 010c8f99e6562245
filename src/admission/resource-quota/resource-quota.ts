// Admission: ResourceQuota. Runs last: what it charges for is about to be stored.

import type { Clock } from "../../base/clock.ts";
import { Pace, type Steps } from "../../base/steps.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import {
  type Amounts,
  addAmounts,
  amountsText,
  exceeding,
  increase,
  only,
  readAmounts,
} from "../../kinds/core/quota/amounts.ts";
import { inScopes, isTerminating } from "../../kinds/core/quota/scopes.ts";
import { type Counted, limitsResource, missingOfPod, usageOf } from "../../kinds/core/quota/usage.ts";
import type { ResourceQuota } from "../../kinds/core/resource-quota.ts";
import type { Names } from "../../meta/names.ts";
import { quantityOfInt } from "../../meta/quantity.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../../registry/admission.ts";
import { concernsPart, concernsPod } from "../match-request.ts";
import { soon, turnIfOver } from "../matching/soon.ts";
import type { Lookup } from "../mirrors.ts";
import { refusal } from "../refusal.ts";
import type { QuotaLedger } from "./charge.ts";

interface QuotaParts {
  readonly names: Names;
  readonly clock: Clock;
  readonly quotas: Lookup<ResourceQuota>;
  readonly ledger: QuotaLedger;
}

/** Objects whose use can grow after they were made. */
const GROWING: ReadonlySet<string> = new Set(["services", "persistentvolumeclaims"]);

export function resourceQuota(parts: QuotaParts): AdmissionPlugin {
  return {
    name: "ResourceQuota",
    handles: (request) =>
      request.namespace !== "" &&
      (isCreate(request) || isGrowth(request)) &&
      !parts.quotas.values(request.namespace).next().done,
    async validate(request) {
      const counted = { group: request.resource.group, resource: request.resource.resource };
      const growth = growthOf(parts, counted, request);
      const due: Charge[] = [];
      for (const { quota, limited } of await soon(matching(parts, counted, request), request)) {
        await turnIfOver(request);
        const delta = only(growth(quota), limited);
        if (delta.size > 0) due.push({ name: quota.metadata.name ?? "", delta, isOver: excess(quota, delta).size > 0 });
      }
      // Those that will refuse are asked first: nobody is to find the others charged for what does not come.
      due.sort((a, b) => Number(b.isOver) - Number(a.isOver));
      const charged: Charge[] = [];
      try {
        for (const one of due) {
          await charge(parts, request, one);
          if (!request.dryRun) charged.push(one);
        }
      } catch (error) {
        // Another writer came between, and a later quota refused: what the earlier ones were charged is given back.
        await Promise.allSettled(charged.map((one) => refund(parts, request.namespace, one)));
        throw error;
      }
    },
  };
}

/** What a quota is to be charged. */
interface Charge {
  readonly name: string;
  readonly delta: Amounts;
  /** By what is known of the quota, it is too much. */
  readonly isOver: boolean;
}

const isCreate = ({ operation, subresource }: AdmissionRequest): boolean =>
  operation === "CREATE" && subresource === "";

function isGrowth(request: AdmissionRequest): boolean {
  const { operation, resource, subresource } = request;
  if (operation !== "UPDATE") return false;
  if (concernsPart(request, "", "pods", "resize")) return true;
  if (concernsPod(request)) return getsOrLosesItsEnd(request);
  return subresource === "" && resource.group === "" && GROWING.has(resource.resource);
}

/** With the time that a pod may run it goes from the quotas of one scope to those of the other. */
function getsOrLosesItsEnd({ object, oldObject }: AdmissionRequest): boolean {
  const [now, before] = [object, oldObject].map((pod) => isTerminating((pod as unknown as Pod).spec));
  return now !== before;
}

/** Of the resources that a quota limits those that the object counts for. */
interface Concerned {
  readonly quota: ResourceQuota;
  readonly limited: ReadonlySet<string>;
}

/** Quotas that are about the object; each must know what is used already. */
function* matching({ names, quotas }: QuotaParts, counted: Counted, request: AdmissionRequest): Steps<Concerned[]> {
  const found: Concerned[] = [];
  const pace = new Pace(RESOURCES_PER_STEP);
  for (const quota of quotas.values(request.namespace)) {
    const name = quota.metadata.name ?? "";
    const hard = Object.keys(quota.status?.hard ?? {});
    if (pace.due(1 + hard.length)) yield;
    const limited = new Set(hard.filter((one) => limitsResource(names, one, counted)));
    if (limited.size === 0 || !inScopes(quota.spec, counted, request.object!)) continue;
    if (counted.group === "" && counted.resource === "pods") {
      const missing = missingOfPod(request.object as unknown as Pod, limited);
      if (missing !== undefined) throw refusal(request, `failed quota: ${name}: ${missing}`);
    }
    const used = quota.status?.used ?? {};
    if ([...limited].some((one) => !Object.hasOwn(used, one))) {
      throw refusal(request, `status unknown for quota: ${name}, resources: ${[...limited].sort().join(",")}`);
    }
    found.push({ quota, limited });
  }
  return found.sort(({ quota: a }, { quota: b }) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1));
}

/** So many names are looked at in a millisecond or so. */
const RESOURCES_PER_STEP = 2_000;

const NOTHING: Amounts = new Map();

/** What the write adds to what a quota counts. One that was not about the object before knows nothing of it yet. */
function growthOf(
  { names, clock }: QuotaParts,
  counted: Counted,
  { object, oldObject }: AdmissionRequest,
): (quota: ResourceQuota) => Amounts {
  const nowMs = clock.nowMs();
  const used = usageOf(names, counted, object!, nowMs);
  const all = increase(used, NOTHING);
  if (oldObject === undefined) return () => all;
  const growth = increase(used, usageOf(names, counted, oldObject, nowMs));
  return ({ spec }) => (inScopes(spec, counted, oldObject) ? growth : all);
}

/** The names of which there would be too much. */
function excess({ status }: ResourceQuota, delta: Amounts): Set<string> {
  const wanted = addAmounts(readAmounts(status?.used), delta);
  return exceeding(only(wanted, new Set(delta.keys())), readAmounts(status?.hard));
}

async function charge({ ledger }: QuotaParts, request: AdmissionRequest, { name, delta }: Charge): Promise<void> {
  await ledger.change(request.namespace, name, (quota) => {
    const used = readAmounts(quota.status?.used);
    const over = excess(quota, delta);
    if (over.size > 0) {
      const hard = readAmounts(quota.status?.hard);
      throw refusal(
        request,
        `exceeded quota: ${name}, requested: ${amountsText(only(delta, over))}, used: ${amountsText(only(used, over))}, limited: ${amountsText(only(hard, over))}`,
      );
    }
    return request.dryRun ? undefined : addAmounts(used, delta);
  });
}

async function refund({ ledger }: QuotaParts, namespace: string, { name, delta }: Charge): Promise<void> {
  await ledger.change(namespace, name, ({ status }) => {
    const used = readAmounts(status?.used);
    const less = increase(used, delta);
    return new Map([...used.keys()].map((one) => [one, less.get(one) ?? quantityOfInt(0)]));
  });
}
