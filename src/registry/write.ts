// What every write carries with it through its stages, and what comes out.

import { randomUUID } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import { countValues, type Json } from "../base/json.ts";
import { atOnce, atOnceWhileShort, inTurns, type Steps } from "../base/steps.ts";
import { nextWorkTurn, turnIsLong } from "../base/work-turns.ts";
import type { HookContext } from "../kinds/define-kind.ts";
import type { Names } from "../meta/names.ts";
import type { ApiObject } from "../meta/object.ts";
import { lateRequest } from "../meta/status-error.ts";
import type { UserInfo } from "../meta/user.ts";
import type { AdmissionChain, AdmissionRequest, Operation, WaitingFor } from "./admission.ts";
import { refuseCrowdedObject } from "./encoding/crowded-body.ts";
import type { ServedResource } from "./served-resource.ts";

/** What the write path needs of the server. */
export interface WriteDeps {
  readonly names: Names;
  readonly gateEnabled: (gate: string) => boolean;
  readonly clock: Clock;
  /** Pods may ask for all rights on their node. */
  readonly allowPrivileged?: boolean;
  readonly admission: AdmissionChain;
  /** The labels of a namespace, as this server knows them. */
  readonly namespaceLabels?: (namespace: string) => Readonly<Record<string, string>> | undefined;
  /** Random lower-case letters and digits for generated names. */
  readonly randomSuffix: () => string;
}

/** One write: what it is about, who wants it, how. */
export interface WriteRequest {
  readonly resource: ServedResource;
  readonly subresource: string;
  readonly namespace: string;
  /** Empty where the body names the object. */
  readonly name: string;
  /** The request named all objects of a collection, of which this is one. */
  readonly ofCollection?: boolean;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** The manager that owns what this write sets. */
  readonly fieldManager: string;
  /** Options as admission shows them to webhooks; those of an update that creates become those of a create. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly warnings: string[];
  readonly auditAnnotations: Map<string, string>;
  /** Says whether the client is still there, and has not been told meanwhile that this took too long. */
  readonly caller: { readonly signal: AbortSignal; readonly cancelled: boolean; goOn?(): void };
  /** The size of what came in, and about that of the defaults that it got. */
  bodyBytes?: number;
}

export interface Written {
  /** In the version of the request. */
  readonly object: ApiObject;
  readonly created: boolean;
  /** Stored bytes with their resourceVersion, when they are bytes of the requested version. */
  readonly bytes?: Uint8Array;
  /** About the size of the object, where it may be large. */
  readonly sizeBytes?: number;
}

/** Objects of so many bytes take long enough to read for others to notice. */
export const LARGE_BYTES = 32 * 1024;

/**
 * What can be done at once or in steps: in steps for a large write, between which everybody else has their turn, and where
 * what came before it in this turn was long.
 */
export function inStages<T>(
  request: Pick<WriteRequest, "caller" | "bodyBytes">,
  storedBytes: number,
  work: { readonly atOnce: () => T; readonly inSteps: () => Steps<T> },
): T | Promise<T> {
  if (!isLarge(request, storedBytes) && !turnIsLong()) return work.atOnce();
  return inTurns(work.inSteps(), () => turnOf(request.caller));
}

/** The same where small writes go the same steps: at once, unless one is the first to need much that has to be made. */
export function stepByStep<T>(
  request: Pick<WriteRequest, "caller" | "bodyBytes">,
  storedBytes: number,
  steps: Steps<T>,
): T | Promise<T> {
  const turn = () => turnOf(request.caller);
  return isLarge(request, storedBytes) ? inTurns(steps, turn) : atOnceWhileShort(steps, turn);
}

/**
 * Of a conversion: in steps where that takes long and somebody waits for it. Without a caller always at once: whoever makes a
 * frame of an event between two others cannot wait.
 */
export function soon<T>(steps: Steps<T>, caller: WaitingFor | undefined): T | Promise<T> {
  return caller === undefined ? atOnce(steps) : atOnceWhileShort(steps, () => turnOf(caller));
}

/** Whether what is written, with what it replaces, takes long enough for others to have their turn between its stages. */
export const isLarge = ({ bodyBytes = 0 }: Pick<WriteRequest, "bodyBytes">, storedBytes: number): boolean =>
  bodyBytes + storedBytes > LARGE_BYTES;

/**
 * About the size of an object in the served or the stored version, where that of the other is `sizeBytes`: a webhook that
 * converts it may have made more of it.
 */
export function convertedBytes(resource: ServedResource, object: ApiObject, sizeBytes: number): number {
  return resource.convertsByWebhook === true ? sizeByValues(object, sizeBytes) : sizeBytes;
}

/** About the size of an object that is said to be of `sizeBytes`, and holds perhaps more than that lets one expect. */
export function sizeByValues(object: ApiObject, sizeBytes: number): number {
  const isSmall = countValues(object as unknown as Json, FEW_VALUES) <= FEW_VALUES;
  return isSmall ? sizeBytes : Math.max(sizeBytes, LARGE_BYTES + 1);
}

/** What has no more is small. */
const FEW_VALUES = 1_000;

/**
 * What admission has put in place of `before` is bounded as a body is, and goes on in steps where it is large. Fails with
 * 413.
 */
export async function takeAdmitted(
  request: WriteRequest,
  { object, isLarge }: AdmissionRequest,
  before: ApiObject,
): Promise<ApiObject> {
  if (object === undefined) return before;
  if (isLarge !== true) return object;
  request.bodyBytes = Math.max(request.bodyBytes ?? 0, LARGE_BYTES + 1);
  await stepByStep(request, 0, refuseCrowdedObject(object, before, request.resource.kind));
  return object;
}

/** Lets everybody else have their turn, and tells `caller` that its work goes on. */
export async function turnOf(caller?: Pick<WriteRequest["caller"], "goOn">): Promise<void> {
  await nextWorkTurn();
  caller?.goOn?.();
}

/**
 * To be asked right before a commit: whoever was told that nothing came of a request must not find it done. Nor is it done for
 * who does not wait: he may have gone to end a question about his rights, or to a webhook, that is passed over when it fails.
 */
export function refuseLate({ caller }: Pick<WriteRequest, "caller">): void {
  if (caller.cancelled) throw lateRequest();
}

export function hookContext(deps: WriteDeps, request: Pick<WriteRequest, "user">): HookContext {
  const { names, gateEnabled, clock, namespaceLabels } = deps;
  const { user } = request;
  const allowPrivileged = deps.allowPrivileged === true;
  const context = { names, gateEnabled, nowMs: clock.nowMs(), userName: user.name, user, allowPrivileged };
  return namespaceLabels === undefined ? context : Object.assign(context, { namespaceLabels });
}

export function admissionRequest(
  request: WriteRequest,
  operation: Operation,
  name: string,
  object: ApiObject | undefined,
  oldObject: ApiObject | undefined,
): AdmissionRequest {
  const { resource, subresource, namespace, user, dryRun, warnings, auditAnnotations, options, caller } = request;
  const { group, kind } = resource;
  return {
    operation,
    kind: { group, version: kind.version, kind: kind.kind },
    resource: { group, version: kind.version, resource: kind.resource },
    subresource,
    namespace,
    name,
    pathName: request.name,
    ...(request.ofCollection === true && { ofCollection: true }),
    object,
    oldObject,
    options:
      operation === "CREATE" && options["kind"] === "UpdateOptions" ? { ...options, kind: "CreateOptions" } : options,
    dryRun,
    user,
    warnings,
    auditAnnotations,
    caller,
  };
}

/** Now, as metadata writes it: RFC 3339 in whole seconds. */
export function timestamp(clock: Clock): string {
  const second = Math.floor(clock.nowMs() / 1000);
  if (second !== lastSecond) {
    lastSecond = second;
    lastTimestamp = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`;
  }
  return lastTimestamp;
}

// Thousands of writes have the same second, and its text takes longer to make than most of their stages.
let lastSecond = Number.NaN;
let lastTimestamp = "";

export const newUid = (): string => randomUUID();

/** Errors name the group of the stored form: one kind may be served by two groups. */
export function errorGroup({ group, kind }: ServedResource, names: Names): string {
  return kind.storedAs === undefined ? group : names.group(kind.storedAs.group);
}
