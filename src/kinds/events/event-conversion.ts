// Events are stored in the form of the core group; this group sees them in its own.

import type { ApiObject } from "../../meta/object.ts";
import type { Event as CoreEvent } from "../core/event-schema.ts";
import type { Event } from "./event-schema.ts";

// Where the two forms only name a member differently: here, in the core group.
const RENAMED = [
  ["regarding", "involvedObject"],
  ["note", "message"],
  ["reportingController", "reportingComponent"],
  ["deprecatedSource", "source"],
  ["deprecatedFirstTimestamp", "firstTimestamp"],
  ["deprecatedLastTimestamp", "lastTimestamp"],
  ["deprecatedCount", "count"],
] as const;

/** Without type: who stores it knows the apiVersion of the core group. */
export function toCoreEvent(event: Event): ApiObject {
  const core: Record<string, unknown> = { ...event };
  for (const [from, to] of RENAMED) move(core, from, to);
  // The core form always writes them.
  core["reportingComponent"] ??= "";
  core["reportingInstance"] ??= "";
  return core as ApiObject;
}

export function fromCoreEvent(stored: ApiObject): Event {
  const event: Record<string, unknown> = { ...(stored as unknown as CoreEvent) };
  for (const [to, from] of RENAMED) move(event, from, to);
  // Here they are left out when empty.
  if (event["reportingController"] === "") delete event["reportingController"];
  if (event["reportingInstance"] === "") delete event["reportingInstance"];
  return event as unknown as Event;
}

function move(object: Record<string, unknown>, from: string, to: string): void {
  if (!Object.hasOwn(object, from)) return;
  object[to] = object[from];
  delete object[from];
}
