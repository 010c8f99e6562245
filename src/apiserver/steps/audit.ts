// Step: records who asked for what and what came of it. Outside impersonation, so that a refused one is recorded too.

import { type AuditRecord, auditEvent, withoutManagedFields } from "../../audit/audit-event.ts";
import type { RecordedEvent } from "../../audit/audit-sink.ts";
import type { Audit } from "../../audit/build-audit.ts";
import type { AuditDecision, Level, Stage } from "../../audit/policy.ts";
import { levelFor } from "../../audit/secret-bodies.ts";
import type { Json } from "../../base/json.ts";
import { atOnceWhileShort, type Steps } from "../../base/steps.ts";
import { decodeJsonInSteps, jsonTextInSteps } from "../../codec/json.ts";
import { negotiateInput } from "../../codec/negotiate.ts";
import { isStreamBody, type Response } from "../../http/message.ts";
import type { Handler, Step } from "../../http/pipeline.ts";
import { whenClosed } from "../../http/when-closed.ts";
import type { Names } from "../../meta/names.ts";
import { StatusError } from "../../meta/status-error.ts";
import type { Catalog } from "../../registry/catalog.ts";
import { decodeBytesInSteps, encodedBody } from "../../registry/encoding/decode-bytes.ts";
import type { LongYaml } from "../../registry/encoding/long-yaml.ts";
import {
  type AuthenticatedRequest,
  authenticatedRequest,
  isLongRunning,
  requestWithBody,
  type TargetedRequest,
} from "../../registry/request.ts";
import { asAnswered } from "../../registry/storage-errors.ts";
import { turnOf } from "../../registry/write.ts";

export interface AuditDeps {
  readonly names: Names;
  readonly catalog: Catalog;
  readonly audit: Audit;
  readonly yaml: LongYaml;
}

export function audit(deps: AuditDeps): Step<AuthenticatedRequest, AuthenticatedRequest> {
  const { names, audit: trail } = deps;
  const recorded = recording(deps);
  return function audit(request, next) {
    const decision = trail.policy.decide(request.user, request.target);
    const level = levelFor(names, decision.level, request.target);
    trail.onLevel(level);
    // What is not recorded passes at once, as it would without this step.
    return level === "None" ? next(request) : recorded(request, { ...decision, level }, next);
  };
}

function recording({ names, catalog, audit: trail, yaml }: AuditDeps) {
  return async (
    request: AuthenticatedRequest,
    decision: AuditDecision,
    next: Handler<AuthenticatedRequest>,
  ): Promise<Response> => {
    const { target, user: sender } = request;
    const { level } = decision;
    const withBodies = level === "Request" || level === "RequestResponse";
    const body = withBodies ? keepBody(request) : undefined;
    const record = async (stage: Stage, more: Partial<AuditRecord> = {}): Promise<void> => {
      if (decision.omitStages.has(stage)) return;
      const bytes = body?.read();
      const requestObject =
        bytes === undefined ? undefined : await requestObjectOf({ names, catalog, yaml }, request, bytes);
      const recorded = recordedEvent(names, request, decision, {
        level,
        stage,
        sender,
        nowMs: trail.nowMs(),
        ...(requestObject === undefined ? {} : { requestObject }),
        ...more,
      });
      const kept = trail.record(await atOnceWhileShort(recorded, () => turnOf(request)));
      // Only what has not begun is refused: whoever has done something is told so, recorded or not.
      await (stage === "RequestReceived" ? kept : kept?.catch(() => undefined));
    };
    const lasts = isLongRunning(target);
    const began = async (more: Partial<AuditRecord>): Promise<void> => {
      if (lasts) await record("ResponseStarted", more);
    };

    await refuseUnrecorded(trail, record("RequestReceived"));
    let response: Response;
    try {
      response = await next(body?.request ?? request);
    } catch (thrown) {
      const error = asAnswered(thrown, target);
      if (error instanceof StatusError) {
        await began({ outcome: error });
        await record("ResponseComplete", refusal(error, level));
      } else await record("Panic", { outcome: 500 });
      throw error;
    }
    const { status, body: answer } = response;
    const completed = async (bytes: Uint8Array | undefined) => {
      const responseObject =
        level === "RequestResponse" && bytes !== undefined
          ? await responseObjectOf({ catalog, yaml }, request, response, bytes)
          : undefined;
      return record("ResponseComplete", {
        outcome: status,
        ...(responseObject === undefined ? {} : { responseObject }),
      });
    };
    if (response.hijacked === true) {
      await began({ outcome: status });
      whenClosed(request.upgrade!.socket, () => void completed(undefined).catch(() => undefined));
      return response;
    }
    if (answer !== undefined && isStreamBody(answer)) {
      return {
        ...response,
        body: {
          async stream(writer) {
            await began({ outcome: status });
            try {
              await answer.stream(writer);
            } finally {
              await completed(level === "RequestResponse" ? answer.whole?.() : undefined);
            }
          },
        },
      };
    }
    await began({ outcome: status });
    await completed(response.headers["content-encoding"] === undefined ? answer : undefined);
    return response;
  };
}

/** Step outside authentication: who was not let in is recorded too, as nobody. */
export function auditRefusedCredentials({ names, audit: trail }: AuditDeps): Step<TargetedRequest, TargetedRequest> {
  const recordRefused = async (request: TargetedRequest, error: unknown): Promise<never> => {
    // Whoever has a user was recorded by the inner step.
    if (error instanceof StatusError && error.code === 401 && request.notes.sender === undefined) {
      const nobody = authenticatedRequest(request, { name: "", groups: [] });
      const decision = trail.policy.decide(nobody.user, request.target);
      const level = levelFor(names, decision.level, request.target);
      if (level !== "None" && !decision.omitStages.has("ResponseStarted")) {
        const recorded = recordedEvent(names, nobody, decision, {
          level,
          stage: "ResponseStarted",
          sender: nobody.user,
          nowMs: trail.nowMs(),
          ...refusal(error, level),
        });
        await trail.record(await atOnceWhileShort(recorded))?.catch(() => undefined);
      }
    }
    throw error;
  };
  return function auditRefusedCredentials(request, next) {
    try {
      const answer = next(request);
      return answer instanceof Promise ? answer.catch((error: unknown) => recordRefused(request, error)) : answer;
    } catch (error) {
      return recordRefused(request, error);
    }
  };
}

/** The answer to a refused request is the Status that says why. */
function refusal(error: StatusError, level: Level): Pick<AuditRecord, "outcome" | "responseObject"> {
  if (level !== "RequestResponse") return { outcome: error };
  return { outcome: error, responseObject: error.toBody() as unknown as Json };
}

function* recordedEvent(
  names: Names,
  request: AuthenticatedRequest,
  { omitManagedFields }: AuditDecision,
  { requestObject, responseObject, ...record }: AuditRecord,
): Steps<RecordedEvent> {
  const shown = function* (object: Json): Steps<Json> {
    return omitManagedFields ? yield* withoutManagedFields(object) : object;
  };
  const event = yield* auditEvent(names, request, {
    ...record,
    ...(requestObject === undefined ? {} : { requestObject: yield* shown(requestObject) }),
    ...(responseObject === undefined ? {} : { responseObject: yield* shown(responseObject) }),
  });
  return { event, text: yield* jsonTextInSteps(event) };
}

async function refuseUnrecorded(trail: Audit, recorded: Promise<void> | undefined): Promise<void> {
  try {
    await recorded;
  } catch {
    trail.onRejected();
    throw new StatusError(
      500,
      "InternalError",
      "Internal error occurred: the request could not be recorded in the audit log",
      {
        causes: [{ message: "audit failed" }],
      },
    );
  }
}

/** The request as those below get it, and the body that they have read of it. */
function keepBody(request: AuthenticatedRequest): { request: AuthenticatedRequest; read(): Uint8Array | undefined } {
  let kept: Uint8Array | undefined;
  const readBody = async (limitBytes: number): Promise<Uint8Array> => {
    kept = await request.readBody(limitBytes);
    return kept;
  };
  return { request: requestWithBody(request, readBody), read: () => kept };
}

async function requestObjectOf(
  { names, catalog, yaml }: Omit<AuditDeps, "audit">,
  request: AuthenticatedRequest,
  bytes: Uint8Array,
): Promise<Json | undefined> {
  if (bytes.length === 0) return undefined;
  return decoded(async () => {
    const contentType = request.headers.first("content-type");
    // Patches are JSON, except for those of apply, which may be YAML, of which JSON is a part.
    const mediaType =
      request.method === "PATCH"
        ? patchType(contentType)
        : negotiateInput(contentType, names, { type: "resource", cbor: true });
    const body = await encodedBody(yaml, bytes, mediaType);
    return (await atOnceWhileShort(decodeBytesInSteps(body, schemaOf(catalog, request)), () => turnOf(request))).value;
  });
}

function patchType(contentType: string | undefined) {
  if (contentType?.includes("cbor")) return "cbor";
  return contentType?.includes("yaml") ? "yaml" : "json";
}

async function responseObjectOf(
  { catalog, yaml }: Pick<AuditDeps, "catalog" | "yaml">,
  request: AuthenticatedRequest,
  { headers }: Response,
  bytes: Uint8Array,
): Promise<Json | undefined> {
  const type = String(headers["content-type"] ?? "");
  const mediaType = ANSWERS.find((each) => type.startsWith("application/") && type.includes(each));
  if (mediaType === undefined || bytes.length === 0) return undefined;
  // Lists and tables in protobuf have schemas of their own and stay out.
  if (mediaType === "protobuf" && (type.includes("as=") || request.target.verb === "list")) return undefined;
  return decoded(async () => {
    const turn = () => turnOf(request);
    if (mediaType === "json") return (await atOnceWhileShort(decodeJsonInSteps(bytes), turn)).value;
    const body = await encodedBody(yaml, bytes, mediaType);
    return (await atOnceWhileShort(decodeBytesInSteps(body, schemaOf(catalog, request)), turn)).value;
  });
}

/** The forms of answers, as media types name them. */
const ANSWERS = ["protobuf", "json", "yaml", "cbor"] as const;

/** A body that cannot be read was refused, or is not ours to show. */
async function decoded(decode: () => Promise<Json | undefined>): Promise<Json | undefined> {
  try {
    return await decode();
  } catch {
    return undefined;
  }
}

function schemaOf(catalog: Catalog, { target }: AuthenticatedRequest) {
  const served = target.type === "path" ? undefined : catalog.find(target.group, target.version, target.resource);
  if (served === undefined) throw new Error("not served");
  return served.kind.schema;
}
