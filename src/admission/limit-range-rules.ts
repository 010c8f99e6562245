// What a limit range says to a pod or a claim: minimum, maximum and the ratio between them. Pure.

import { Pace, type Steps } from "../base/steps.ts";
import type { LimitRangeItem } from "../kinds/core/limit-range.ts";
import type { PersistentVolumeClaim } from "../kinds/core/persistent-volume-claim.ts";
import { podLimits, podRequests } from "../kinds/core/pod/amounts.ts";
import type { Pod } from "../kinds/core/pod.ts";
import { MAX_MISTAKES } from "../meta/field-error.ts";
import { compareQuantities, parseQuantity, quantityAsFloat, quantitySign } from "../meta/quantity.ts";

/** Quantities by resource, as objects carry them. */
type Amounts = Readonly<Record<string, string>>;

/** What is wrong with the pod by the limits of one range, each said once and no more than `MAX_MISTAKES`; asked for every range. */
export function podProblems(pod: Pod): (limits: readonly LimitRangeItem[]) => Steps<string[]> {
  const pace = new Pace(AMOUNTS_PER_STEP);
  const containers = [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])].map(({ resources }) => ({
    requests: resources?.requests ?? {},
    limits: resources?.limits ?? {},
  }));
  let whole: { readonly requests: Amounts; readonly limits: Amounts } | undefined;
  return function* problemsOf(items) {
    const found = new Set<string>();
    for (const item of items) {
      if (item.type !== "Container" && item.type !== "Pod") continue;
      const bounds = boundsOf(item);
      const amounts = 1 + bounds.min.length + bounds.max.length + bounds.ratio.length;
      if (item.type === "Pod") whole ??= { requests: podRequests(pod), limits: podLimits(pod) };
      for (const { requests, limits } of item.type === "Pod" ? [whole!] : containers) {
        if (pace.due(amounts)) yield;
        addProblems(found, item.type, bounds, requests, limits);
        if (found.size >= MAX_MISTAKES) return [...found];
      }
    }
    return [...found];
  };
}

/** The same for a claim. */
export function claimProblems({ spec }: PersistentVolumeClaim): (limits: readonly LimitRangeItem[]) => Steps<string[]> {
  const pace = new Pace(AMOUNTS_PER_STEP);
  const requests = spec.resources?.requests ?? {};
  return function* problemsOf(items) {
    const found = new Set<string>();
    for (const item of items) {
      const { type } = item;
      if (type !== "PersistentVolumeClaim") continue;
      const { min, max } = boundsOf(item);
      if (pace.due(1 + min.length + max.length)) yield;
      for (const [name, bound] of min) add(found, belowMinimum(name, type, bound, requests[name], undefined));
      for (const [name, bound] of max) add(found, requestAboveMaximum(name, type, bound, requests[name]));
    }
    return [...found].slice(0, MAX_MISTAKES);
  };
}

/** So many amounts are compared in about a millisecond. */
const AMOUNTS_PER_STEP = 2_000;

type Entries = readonly (readonly [name: string, amount: string])[];
interface Bounds {
  readonly min: Entries;
  readonly max: Entries;
  readonly ratio: Entries;
}

const boundsOf = ({ min, max, maxLimitRequestRatio }: LimitRangeItem): Bounds => ({
  min: entriesByName(min),
  max: entriesByName(max),
  ratio: entriesByName(maxLimitRequestRatio),
});

function addProblems(found: Set<string>, type: string, bounds: Bounds, requests: Amounts, limits: Amounts): void {
  for (const [name, bound] of bounds.min) add(found, belowMinimum(name, type, bound, requests[name], limits[name]));
  for (const [name, bound] of bounds.max) add(found, aboveMaximum(name, type, bound, requests[name], limits[name]));
  for (const [name, bound] of bounds.ratio) add(found, aboveRatio(name, type, bound, requests[name], limits[name]));
}

function add(found: Set<string>, problem: string | undefined): void {
  if (problem !== undefined) found.add(problem);
}

function belowMinimum(name: string, type: string, bound: string, request?: string, limit?: string): string | undefined {
  const rule = `minimum ${name} usage per ${type} is ${bound}`;
  if (request === undefined) return `${rule}.  No request is specified`;
  if (compare(request, bound) < 0) return `${rule}, but request is ${request}`;
  return limit !== undefined && compare(limit, bound) < 0 ? `${rule}, but limit is ${limit}` : undefined;
}

function aboveMaximum(name: string, type: string, bound: string, request?: string, limit?: string): string | undefined {
  const rule = `maximum ${name} usage per ${type} is ${bound}`;
  if (limit === undefined) return `${rule}.  No limit is specified`;
  if (compare(limit, bound) > 0) return `${rule}, but limit is ${limit}`;
  return request !== undefined && compare(request, bound) > 0 ? `${rule}, but request is ${request}` : undefined;
}

function requestAboveMaximum(name: string, type: string, bound: string, request?: string): string | undefined {
  const rule = `maximum ${name} usage per ${type} is ${bound}`;
  if (request === undefined) return `${rule}.  No request is specified`;
  return compare(request, bound) > 0 ? `${rule}, but request is ${request}` : undefined;
}

function aboveRatio(name: string, type: string, bound: string, request?: string, limit?: string): string | undefined {
  const rule = `${name} max limit to request ratio per ${type} is ${bound}`;
  if (isNothing(request)) return `${rule}, but no request is specified or request is 0`;
  if (isNothing(limit)) return `${rule}, but no limit is specified or limit is 0`;
  const ratio = numberOf(limit!) / numberOf(request!);
  return ratio > numberOf(bound) ? `${rule}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}

function isNothing(amount: string | undefined): boolean {
  const quantity = parseQuantity(amount ?? "");
  return quantity === undefined || quantitySign(quantity) === 0;
}

function numberOf(amount: string): number {
  const quantity = parseQuantity(amount);
  return quantity === undefined ? 0 : quantityAsFloat(quantity);
}

function compare(a: string, b: string): number {
  const [left, right] = [parseQuantity(a), parseQuantity(b)];
  return left === undefined || right === undefined ? 0 : compareQuantities(left, right);
}

export function entriesByName(amounts: Amounts | undefined): [name: string, amount: string][] {
  return Object.entries(amounts ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
}
