// Admission by flag: events are taken at a limited rate, of the server, a namespace, a user, or one source and object.

import { createHash } from "node:crypto";
import { BoundedCache } from "../base/bounded-cache.ts";
import type { Clock } from "../base/clock.ts";
import type { Event } from "../kinds/core/event.ts";
import type { Names } from "../meta/names.ts";
import { StatusError } from "../meta/status-error.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../registry/admission.ts";

export type LimitType = "Server" | "Namespace" | "User" | "SourceAndObject";

export interface EventLimit {
  readonly type: LimitType;
  /** Events in a second, in the long run. */
  readonly qps: number;
  /** Events at once. */
  readonly burst: number;
  /** So many keys are remembered, the least recently used go first. */
  readonly cacheSize: number;
}

export function eventRateLimit(names: Names, clock: Clock, limits: readonly EventLimit[]): AdmissionPlugin {
  const buckets = limits.map((limit) => ({ limit, taken: new Buckets(limit, clock) }));
  return {
    name: "EventRateLimit",
    handles: ({ operation, resource, subresource }) =>
      (operation === "CREATE" || operation === "UPDATE") &&
      resource.resource === "events" &&
      subresource === "" &&
      (resource.group === "" || resource.group === names.group("events")),
    validate(request) {
      // A dry run stores nothing that a limit could be for.
      if (request.dryRun) return;
      // All are asked, so that one that refuses does not spare the others.
      const refused = buckets.filter(({ limit, taken }) => !taken.take(keyOf(limit.type, request)));
      const first = refused[0];
      if (first === undefined) return;
      const what = `limit reached on type ${first.limit.type} for key ${keyOf(first.limit.type, request)}`;
      throw new StatusError(429, "TooManyRequests", what, { retryAfterSeconds: 1 });
    },
  };
}

function keyOf(type: LimitType, { namespace, user, object }: AdmissionRequest): string {
  switch (type) {
    case "Server":
      return "";
    case "Namespace":
      return namespace;
    case "User":
      return user.name;
    case "SourceAndObject": {
      const event = object as unknown as Partial<Event> & {
        regarding?: Event["involvedObject"];
        reportingComponent?: string;
      };
      const about = event.involvedObject ?? event.regarding;
      const { kind = "", namespace: within = "", name = "", uid = "", apiVersion = "" } = about ?? {};
      return [
        event.source?.component ?? event.reportingComponent ?? "",
        event.source?.host ?? "",
        kind,
        within,
        name,
        uid,
        apiVersion,
      ].join("");
    }
  }
}

/** Token buckets by key. */
class Buckets {
  readonly #limit: EventLimit;
  readonly #clock: Clock;
  readonly #buckets: BoundedCache<string, Bucket>;

  constructor(limit: EventLimit, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
    this.#buckets = new BoundedCache({ maxEntries: limit.cacheSize });
  }

  take(key: string): boolean {
    const { qps, burst } = this.#limit;
    const nowMs = this.#clock.nowMs();
    const bucket = this.#buckets.getOrMake(shortKey(key), () => ({ tokens: burst, atMs: nowMs }));
    bucket.tokens = Math.min(burst, bucket.tokens + (Math.max(0, nowMs - bucket.atMs) / 1000) * qps);
    bucket.atMs = nowMs;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Hosts and names come from whoever sends the event: long ones stand for themselves by their digest. */
const MAX_KEY_LENGTH = 512;

function shortKey(key: string): string {
  return key.length <= MAX_KEY_LENGTH ? key : createHash("sha256").update(key).digest("base64");
}
