// The events about objects, newest last.

import type { JsonObject } from "../base/json.ts";
import { whereField } from "../meta/field-selector.ts";
import { humanDuration } from "../meta/human-duration.ts";
import { memberOf, numberAt, textAt } from "./json-members.ts";
import { DEFAULT_PAGE_SIZE, itemsOf, type ListOptions, listPages } from "./list-pages.ts";
import type { Session } from "./session.ts";
import { watchChanges } from "./watch-changes.ts";

interface EventSubject {
  /** Undefined for objects without one, and for all namespaces. */
  readonly namespace: string | undefined;
  readonly uid?: string;
  readonly kind?: string;
  readonly name?: string;
}

export async function eventsOf(
  session: Session,
  subject: EventSubject,
  pageSize = DEFAULT_PAGE_SIZE,
): Promise<JsonObject[]> {
  const found: JsonObject[] = [];
  for await (const event of listEvents(session, subject, pageSize)) found.push(event);
  return found.sort((a, b) => timeOf(a) - timeOf(b));
}

async function* listEvents(session: Session, subject: EventSubject, pageSize: number): AsyncGenerator<JsonObject> {
  const resource = await session.resource("events");
  for await (const page of listPages(session, { resource, ...wishOf(subject), pageSize }))
    yield* itemsOf(page, resource, "v1");
}

/** About so many objects the server is asked one by one; for more, all events are read at once. */
const MAX_ASKED_FOR = 20;

/** Reads the events about one object after the other. `everywhere`: the objects are of all namespaces. */
export function eventsReader(session: Session, everywhere: boolean): (object: JsonObject) => Promise<JsonObject[]> {
  const read = new Map<string | undefined, ReadonlyMap<string, JsonObject[]>>();
  let askedFor = 0;
  const eventsAbout = async (subject: EventSubject & { readonly uid: string }): Promise<readonly JsonObject[]> => {
    if (askedFor <= MAX_ASKED_FOR) return eventsOf(session, subject);
    const where = everywhere ? undefined : subject.namespace;
    const known = read.get(where) ?? (await eventsByUid(session, where));
    read.set(where, known);
    return known.get(subject.uid) ?? [];
  };
  return async (object) => {
    const metadata = memberOf(object, "metadata");
    const [kind, name] = [textAt(object, "kind"), textAt(metadata, "name")];
    const namespace = textAt(metadata, "namespace") || undefined;
    // The agent of a node does not know its uid, and tells of it by the name.
    const uids = [textAt(metadata, "uid"), ...(kind === "Node" ? [name] : [])];
    askedFor += 1;
    const found = await Promise.all(uids.map((uid) => eventsAbout({ namespace, uid, kind, name })));
    return found.flat().sort((a, b) => timeOf(a) - timeOf(b));
  };
}

async function eventsByUid(session: Session, namespace: string | undefined): Promise<Map<string, JsonObject[]>> {
  const found = new Map<string, JsonObject[]>();
  for await (const event of listEvents(session, { namespace }, DEFAULT_PAGE_SIZE)) {
    const uid = textAt(memberOf(event, "involvedObject"), "uid");
    // Who wrote which field is more than all the rest, and is not told.
    const { managedFields: _, ...metadata } = memberOf(event, "metadata");
    const known = found.get(uid) ?? [];
    known.push({ ...event, metadata });
    found.set(uid, known);
  }
  return found;
}

/** Those that are there, and then each that comes, until the user has had enough. */
export async function* watchEvents(session: Session, subject: EventSubject): AsyncGenerator<JsonObject> {
  const resource = await session.resource("events");
  const wish = { resource, ...wishOf(subject) };
  let resourceVersion = "";
  for await (const page of listPages(session, { ...wish, pageSize: 0 })) {
    resourceVersion = textAt(memberOf(page, "metadata"), "resourceVersion");
    yield* itemsOf(page, resource, "v1").sort((a, b) => timeOf(a) - timeOf(b));
  }
  for await (const { type, object } of watchChanges(session, { ...wish, resourceVersion }))
    if (type !== "DELETED") yield object;
}

function wishOf({ namespace, uid, kind, name }: EventSubject): Pick<ListOptions, "namespace" | "fieldSelector"> {
  const terms = [
    uid === undefined ? "" : `involvedObject.uid=${uid}`,
    kind === undefined ? "" : `involvedObject.kind=${kind}`,
    name === undefined ? "" : whereField("involvedObject.name", name),
  ].filter((term) => term !== "");
  return { namespace, ...(terms.length === 0 ? {} : { fieldSelector: terms.join(",") }) };
}

/** Type, reason, age, source, message. */
export function eventRows(events: readonly JsonObject[], nowMs: number): string[][] {
  return events.map((event) => {
    const series = memberOf(event, "series");
    const count = numberAt(series, "count", numberAt(event, "count", 1));
    const firstMs = Date.parse(textAt(event, "eventTime") || textAt(event, "firstTimestamp"));
    const age = humanDuration(nowMs - timeOf(event));
    const since =
      Number.isNaN(firstMs) || count < 2 ? age : `${age} (x${count} over ${humanDuration(nowMs - firstMs)})`;
    const component = textAt(memberOf(event, "source"), "component");
    return [
      textAt(event, "type"),
      textAt(event, "reason"),
      since,
      component === "" ? textAt(event, "reportingComponent") : component,
      textAt(event, "message").trim(),
    ];
  });
}

function timeOf(event: JsonObject): number {
  const times = [
    textAt(memberOf(event, "series"), "lastObservedTime"),
    textAt(event, "lastTimestamp"),
    textAt(event, "eventTime"),
    textAt(memberOf(event, "metadata"), "creationTimestamp"),
  ];
  return Date.parse(times.find((time) => time !== "") ?? "1970-01-01T00:00:00Z");
}
