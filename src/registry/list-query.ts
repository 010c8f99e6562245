// The query of a list or watch, read and checked. Requirements: document 1, "Query parameters", "List and watch semantics".

import { isYesInQuery } from "../base/truth-words.ts";
import type { Kind } from "../kinds/define-kind.ts";
import { type FieldError, forbiddenField, notSupported } from "../meta/field-error.ts";
import { type FieldSelector, fieldSelectorOf, metadataFields, parseFieldSelector } from "../meta/field-selector.ts";
import { type LabelSelector, parseLabelSelector, SelectorSyntaxError } from "../meta/label-selector.ts";
import type { Names } from "../meta/names.ts";
import type { ApiObject } from "../meta/object.ts";
import { badRequest, invalidObject } from "../meta/status-error.ts";
import type { Revision } from "../storage/engine.ts";
import type { CacheItem, Requirement } from "../storage/watch-cache.ts";
import { decodeContinue } from "./continue-token.ts";
import type { ServedResource } from "./served-resource.ts";
import { parseResourceVersion } from "./wait-for-revision.ts";

export interface ListQuery {
  readonly limit: number | undefined;
  readonly continueToken: string;
  /** Undefined when unset; 0 means any. */
  readonly revision: Revision | undefined;
  readonly match: "" | "Exact" | "NotOlderThan";
  readonly sendInitialEvents: boolean | undefined;
  readonly allowBookmarks: boolean;
  readonly timeoutSeconds: number | undefined;
  readonly labels: LabelSelector | undefined;
  readonly fields: FieldSelector | undefined;
}

interface QueryContext {
  readonly names: Names;
  readonly kind: Kind;
  readonly watch: boolean;
  readonly watchListEnabled: boolean;
  /** As upstream answers "any version" from its cache: whole, whatever the limit. Document 1 knows no such exception. */
  readonly anyVersionWhole?: boolean | undefined;
}

export function readListQuery(query: URLSearchParams, context: QueryContext): ListQuery {
  const text = (name: string) => query.get(name) ?? "";
  // What cannot be read comes before what does not fit together.
  const limit = readInteger(query, "limit") ?? 0;
  const timeoutSeconds = readInteger(query, "timeoutSeconds");
  const labels = readSelector(text("labelSelector"), parseLabelSelector);
  const fields = readSelector(text("fieldSelector"), parseFieldSelector);
  const errors = checkOptions(query, context);
  if (errors.length > 0) throw invalidObject(context.names.group("meta"), "ListOptions", "", errors);
  checkFields(fields, context.kind, context.names);
  const version = text("resourceVersion");
  const continueToken = text("continue");
  const sendInitialEvents = readBoolean(query, "sendInitialEvents");
  if (!context.watch && continueToken !== "" && version !== "" && version !== "0") {
    // A token that nobody gave is the greater mistake.
    decodeContinue(context.names, continueToken);
    throw badRequest("specifying resource version is not allowed when using continue");
  }
  const revision = version === "" ? undefined : parseResourceVersion(version);
  // A page that follows another is of the version of the first.
  const isOfAny = version === "0" && continueToken === "";
  return {
    limit: limit > 0 && !(isOfAny && isListedWhole(context)) ? limit : undefined,
    continueToken,
    revision,
    match: text("resourceVersionMatch") as ListQuery["match"],
    sendInitialEvents,
    allowBookmarks: readBoolean(query, "allowWatchBookmarks") ?? false,
    timeoutSeconds,
    labels,
    fields,
  };
}

/**
 * What stored bytes can say about the query, and what only objects of the served version can: the fields of a version that
 * a webhook converts to.
 */
export function splitQuery(query: ListQuery, resource: ServedResource): { stored: ListQuery; served?: FieldSelector } {
  const { fields } = query;
  if (fields === undefined || !resource.convertsByWebhook) return { stored: query };
  const stored = fields.requirements.filter(({ field }) => field.startsWith("metadata."));
  if (stored.length === fields.requirements.length) return { stored: query };
  return { stored: { ...query, fields: stored.length === 0 ? undefined : fieldSelectorOf(stored) }, served: fields };
}

/** What a field selector may ask about an object of the served version. */
export function servedFields({ kind }: ServedResource, object: ApiObject): Record<string, string> {
  const fields = metadataFields(kind.scope, object.metadata);
  for (const [field, read] of Object.entries(kind.selectableFields ?? {})) fields[field] = read(object);
  return fields;
}

/** The test of both selectors; undefined when there are none. */
export function matcherOf(query: Pick<ListQuery, "labels" | "fields">): ((item: CacheItem) => boolean) | undefined {
  const { labels, fields } = query;
  if (labels === undefined && fields === undefined) return undefined;
  return (item) => (labels?.matches(item.labels) ?? true) && (fields?.matches(item.fields) ?? true);
}

/** What everything selected has, for the indexes of items and of watchers: what tells objects apart best comes first. */
export function requirementsOf({ labels, fields }: Pick<ListQuery, "labels" | "fields">): Requirement[] {
  const required: Requirement[] = [];
  for (const { field, operator, value } of fields?.requirements ?? []) {
    // What lacks a field is selected by its empty value, and stands in no index. A namespace is a scope of its own.
    if (operator !== "=" || value === "" || field === "metadata.namespace") continue;
    const requirement: Requirement = { of: "field", name: field, values: [value] };
    if (field === "metadata.name") required.unshift(requirement);
    else required.push(requirement);
  }
  for (const { key, operator, values } of labels?.requirements ?? []) {
    if (operator === "=" || operator === "==" || operator === "in") required.push({ of: "label", name: key, values });
  }
  return required;
}

/** Kinds that upstream does not cache come in pages. */
function isListedWhole({ anyVersionWhole, kind }: QueryContext): boolean {
  return anyVersionWhole === true && kind.expires !== true;
}

function checkOptions(query: URLSearchParams, { watch, watchListEnabled }: QueryContext): FieldError[] {
  const match = query.get("resourceVersionMatch") ?? "";
  const version = query.get("resourceVersion") ?? "";
  const initial = query.has("sendInitialEvents");
  const continued = (query.get("continue") ?? "") !== "";
  if (watch) {
    // A watch of the present state stands for one that asks for initial events.
    const implied = watchListEnabled && !initial && match === "" && (version === "" || version === "0");
    return checkWatchOptions(
      implied ? { initial: true, match: "NotOlderThan", continued } : { initial, match, continued },
      watchListEnabled,
    );
  }
  const field = "resourceVersionMatch";
  const errors: FieldError[] = [];
  if (match !== "") {
    if (version === "")
      errors.push(forbiddenField(field, "resourceVersionMatch is forbidden unless resourceVersion is provided"));
    if (continued) errors.push(forbiddenField(field, WITH_CONTINUE));
    if (match !== "Exact" && match !== "NotOlderThan")
      errors.push(notSupported(field, match, ["Exact", "NotOlderThan", ""]));
    if (match === "Exact" && version === "0")
      errors.push(forbiddenField(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  }
  if (initial) errors.push(forbiddenField("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  return errors;
}

const WITH_CONTINUE = "resourceVersionMatch is forbidden when continue is provided";

function checkWatchOptions(
  { initial, match, continued }: { initial: boolean; match: string; continued: boolean },
  watchListEnabled: boolean,
): FieldError[] {
  const field = "resourceVersionMatch";
  const errors: FieldError[] = [];
  if (initial && match !== "NotOlderThan")
    errors.push(forbiddenField(field, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
  if (initial && !watchListEnabled) {
    const words = "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled";
    errors.push(forbiddenField("sendInitialEvents", words));
  }
  if (match === "") return errors;
  if (!initial) {
    const words = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
    errors.push(forbiddenField(field, words));
  }
  if (match !== "NotOlderThan") errors.push(notSupported(field, match, ["NotOlderThan"]));
  if (continued) errors.push(forbiddenField(field, WITH_CONTINUE));
  return errors;
}

function readSelector<Selector>(text: string, parse: (text: string) => Selector): Selector | undefined {
  if (text === "") return undefined;
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof SelectorSyntaxError) throw badRequest(error.message);
    throw error;
  }
}

/** Fails with 400 for a field that objects of the kind are not selected by. */
function checkFields(selector: FieldSelector | undefined, kind: Kind, names: Names): void {
  for (const { field } of selector?.requirements ?? []) {
    if (field === "metadata.name") continue;
    // Kinds that select nothing of their own know the namespace, also where it is always empty.
    if (field === "metadata.namespace" && (kind.scope === "Namespaced" || kind.selectableFields === undefined))
      continue;
    if (Object.hasOwn(kind.selectableFields ?? {}, field)) continue;
    throw badRequest(
      kind.selectableFields === undefined
        ? `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`
        : (kind.refusesField?.(field, names) ?? `field label not supported: ${field}`),
    );
  }
}

const MAX_INT64 = 2n ** 63n - 1n;

/** A 64-bit integer, as exact as a number can be. Fails with 400, also for an empty value. */
export function readInteger(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const refuse = (why: string) => badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}`);
  if (!/^[+-]?\d+$/.test(text)) throw refuse("invalid syntax");
  const digits = text.replace(/^[+-]?0*/, "");
  const magnitude = digits === "" ? 0n : digits.length > 19 ? MAX_INT64 + 2n : BigInt(digits);
  if (magnitude > MAX_INT64 + (text.startsWith("-") ? 1n : 0n)) throw refuse("value out of range");
  return Number(text);
}

/** Undefined where the query does not have it. */
export function readBoolean(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name);
  return text === null ? undefined : isYesInQuery(text);
}
