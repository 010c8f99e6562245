// What a limit range says to a pod or a claim: minimum, maximum and the ratio between them. Pure.

import type { LimitRangeItem } from "../kinds/core/limit-range.ts";
import type { PersistentVolumeClaim } from "../kinds/core/persistent-volume-claim.ts";
import { podLimits, podRequests } from "../kinds/core/pod/amounts.ts";
import type { Pod } from "../kinds/core/pod.ts";
import { compareQuantities, parseQuantity, quantityAsFloat, quantitySign } from "../meta/quantity.ts";

/** Quantities by resource, as objects carry them. */
export type Amounts = Readonly<Record<string, string>>;

export function podProblems(pod: Pod, limits: readonly LimitRangeItem[]): string[] {
  return limits.flatMap((limit) => {
    if (limit.type === "Container") {
      const containers = [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])];
      return containers.flatMap(({ resources }) => problems(limit, resources?.requests ?? {}, resources?.limits ?? {}));
    }
    return limit.type === "Pod" ? problems(limit, podRequests(pod), podLimits(pod)) : [];
  });
}

export function claimProblems({ spec }: PersistentVolumeClaim, limits: readonly LimitRangeItem[]): string[] {
  const requests = spec.resources?.requests ?? {};
  return limits.flatMap((limit) => {
    if (limit.type !== "PersistentVolumeClaim") return [];
    return [
      ...sorted(limit.min).map(([name, bound]) => belowMinimum(name, limit.type, bound, requests[name], undefined)),
      ...sorted(limit.max).map(([name, bound]) => requestAboveMaximum(name, limit.type, bound, requests[name])),
    ].filter((problem) => problem !== undefined);
  });
}

function problems(limit: LimitRangeItem, requests: Amounts, limits: Amounts): string[] {
  const { type } = limit;
  return [
    ...sorted(limit.min).map(([name, bound]) => belowMinimum(name, type, bound, requests[name], limits[name])),
    ...sorted(limit.max).map(([name, bound]) => aboveMaximum(name, type, bound, requests[name], limits[name])),
    ...sorted(limit.maxLimitRequestRatio).map(([name, bound]) =>
      aboveRatio(name, type, bound, requests[name], limits[name]),
    ),
  ].filter((problem) => problem !== undefined);
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

function sorted(amounts: Amounts | undefined): [string, string][] {
  return Object.entries(amounts ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
}
