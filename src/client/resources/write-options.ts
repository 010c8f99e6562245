// How a write is asked for: options of requests as queries and bodies.
// Requirements: document 1, "Dry run", "Field validation", "Deletion", "Update mechanisms".

import type { Json } from "../../base/json.ts";
import type { Draft } from "../../kinds/define-kind.ts";
import type { RequestOptions, RequestSender, Sent } from "./request-sender.ts";
import type { Query } from "./resource-path.ts";
import type { Stored } from "./resource-type.ts";

export interface WriteOptions extends RequestOptions {
  /** Everything is checked and nothing is written. */
  readonly dryRun?: boolean | undefined;
  /** Who is recorded as the owner of the written fields; the client's own when not given. */
  readonly fieldManager?: string | undefined;
  /** What unknown and repeated fields lead to; the server's own way (a warning) when not given. */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict" | undefined;
}

export interface AnswerOptions {
  /** Nobody reads the object that the server answers with: it is not decoded, and the write comes to nothing. Never undefined: the type of the answer depends on it. */
  readonly answer?: "unread";
}

/** What a write with such options comes to. */
export type Answer<T, O> = O extends { readonly answer: "unread" } ? undefined : Stored<T>;

export interface ApplyOptions extends WriteOptions {
  /** Takes fields over from other managers instead of failing with a conflict. */
  readonly force?: boolean | undefined;
}

export interface DeleteOptions extends RequestOptions {
  readonly dryRun?: boolean | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground" | undefined;
  /** Nothing is deleted, with 409, when the object is not this one any more. */
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined;
}

interface JsonPatchOperation {
  readonly op: "add" | "remove" | "replace" | "move" | "copy" | "test";
  readonly path: string;
  readonly from?: string | undefined;
  readonly value?: Json | undefined;
}

/** A merge patch: null takes a field away. */
export type MergePatch<T> = T extends readonly unknown[]
  ? Draft<T>
  : T extends object
    ? { [K in keyof T]?: MergePatch<T[K]> | null | undefined }
    : T;

/** The kinds of patches, apart from apply. */
export type Patch<T> =
  | { readonly json: readonly JsonPatchOperation[] }
  | { readonly merge: MergePatch<T> }
  /** Lists are merged by their keys; custom kinds do not know it. */
  | { readonly strategic: StrategicPatch<T> };

/** A strategic merge patch may hold directives (`$patch`, `$deleteFromPrimitiveList/...`) beside the fields. */
type StrategicPatch<T> = T extends readonly (infer Item)[]
  ? (StrategicPatch<Item> & Directive)[]
  : T extends object
    ? { [K in keyof T]?: StrategicPatch<T[K]> | null | undefined } & Directive
    : T;

interface Directive {
  readonly $patch?: "replace" | "merge" | "delete" | undefined;
}

export const APPLY_TYPE = "application/apply-patch+yaml";

export function patchParts(patch: Patch<unknown>): { readonly contentType: string; readonly body: unknown } {
  if ("json" in patch) return { contentType: "application/json-patch+json", body: patch.json };
  if ("merge" in patch) return { contentType: "application/merge-patch+json", body: patch.merge };
  return { contentType: "application/strategic-merge-patch+json", body: patch.strategic };
}

export function writeQuery(sender: RequestSender, { dryRun, fieldManager, fieldValidation }: WriteOptions): Query {
  return { dryRun: dryRunWord(dryRun), fieldManager: fieldManager ?? sender.fieldManager, fieldValidation };
}

/** A write with those of its options that are not a part of the query. */
export function writeSent(
  { signal, onWarning, answer, dryRun }: WriteOptions & AnswerOptions,
  method: Sent["method"],
  path: string,
  object: unknown,
  contentType?: string,
): Sent {
  return { signal, onWarning, answer, method, path, contentType, object, isWritten: dryRun !== true };
}

/** An apply must say whose fields it states. */
export function applyQuery(sender: RequestSender, options: ApplyOptions): Query {
  const query = writeQuery(sender, options);
  return { ...query, fieldManager: query["fieldManager"] ?? DEFAULT_MANAGER, force: options.force };
}

const DEFAULT_MANAGER = "plinth-client";

export function dryRunQuery(dryRun: boolean | undefined): Query {
  return { dryRun: dryRunWord(dryRun) };
}

const dryRunWord = (dryRun: boolean | undefined): string | undefined => (dryRun ? "All" : undefined);

/** Undefined where nothing is asked for: a delete needs no body. */
export function deleteBody({ gracePeriodSeconds, propagationPolicy, preconditions }: DeleteOptions): unknown {
  if (gracePeriodSeconds === undefined && propagationPolicy === undefined && preconditions === undefined)
    return undefined;
  return { kind: "DeleteOptions", apiVersion: "v1", gracePeriodSeconds, propagationPolicy, preconditions };
}
