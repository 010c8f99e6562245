// The options of a delete: from the body, the query, or both. Requirements: document 1, "DeleteOptions", "Deletion of an object".

import { append } from "../../base/append.ts";
import { isObject, type JsonObject } from "../../base/json.ts";
import { DecodeError } from "../../codec/decode-error.ts";
import { negotiateInput } from "../../codec/negotiate.ts";
import { deleteOptions as deleteOptionsSchema } from "../../kinds/meta/options.ts";
import { type FieldError, invalid, notSupported } from "../../meta/field-error.ts";
import type { Names } from "../../meta/names.ts";
import { badRequest, invalidObject } from "../../meta/status-error.ts";
import type { DeletionRequest } from "../../registry/delete-object.ts";
import { decodeBytes, encodedBody, sizeOfBody } from "../../registry/encoding/decode-bytes.ts";
import { readBoolean, readInteger } from "../../registry/list-query.ts";
import { bodyTooLarge, readBody } from "../../registry/read-body.ts";
import type { ResourceRequest } from "../../registry/resource-request.ts";
import { conform, ShapeError } from "../../schema/conform.ts";
import { endpointOf, type HandlerContext } from "./handler-context.ts";
import { checkDryRun, dryRunValues } from "./write-options.ts";

export interface ReadDeleteOptions extends DeletionRequest {
  readonly dryRun: boolean;
  /** Delete also what cannot be decoded. */
  readonly ignoreReadErrors: boolean;
  /** As webhooks see them. */
  readonly sent: Readonly<Record<string, unknown>>;
}

const POLICIES = ["Foreground", "Background", "Orphan"];
/** A hundred times what anybody says, and read at once. */
const MAX_OPTIONS_BYTES = 64 * 1024;
export const UNSAFE = "ignoreStoreReadErrorWithClusterBreakingPotential";

export async function readDeleteOptions(
  context: HandlerContext,
  resourceRequest: ResourceRequest,
): Promise<ReadDeleteOptions> {
  const { request } = resourceRequest;
  const bytes = await readBody(request, Math.min(context.maxBodyBytes, MAX_OPTIONS_BYTES));
  // The resourceVersion in the query of a collection says which list is meant, not what each object must be.
  const item = resourceRequest.target.name !== "";
  const sent = bytes.length > 0 ? await fromBody(context, resourceRequest, bytes) : fromQuery(request.query, item);
  // Upstream forgets the query where there is a body; who asks for a dry run must not lose an object by that.
  const dryRun = bytes.length > 0 && context.names.dialect === "platform" ? dryRunValues(request.query) : [];
  if (dryRun.length > 0) sent["dryRun"] = dryRun;
  // A server that knows no unsafe deletion takes the option for a field that it does not know: the delete is ordinary.
  if (!context.gateEnabled("AllowUnsafeMalformedObjectDeletion")) delete sent[UNSAFE];
  checkDeleteOptions(context.names, sent);
  return {
    ...pick(sent, "gracePeriodSeconds"),
    ...pick(sent, "orphanDependents"),
    ...pick(sent, "propagationPolicy"),
    ...pick(sent, "preconditions"),
    dryRun: ((sent["dryRun"] as string[] | undefined) ?? []).length > 0,
    ignoreReadErrors: sent[UNSAFE] === true,
    sent: { kind: "DeleteOptions", apiVersion: `${context.names.group("meta")}/v1`, ...sent },
  } as ReadDeleteOptions;
}

async function fromBody(
  context: HandlerContext,
  { request, resource }: ResourceRequest,
  bytes: Uint8Array,
): Promise<JsonObject> {
  // Options are the same for all kinds, whatever form their objects have.
  const endpoint = { ...endpointOf(context, resource), type: "plain", protobuf: true } as const;
  const mediaType = negotiateInput(request.headers.first("content-type"), context.names, endpoint);
  try {
    const body = await encodedBody(context.yaml, bytes, mediaType);
    if (sizeOfBody(body) > MAX_OPTIONS_BYTES) throw bodyTooLarge(MAX_OPTIONS_BYTES);
    const { value } = decodeBytes(body, deleteOptionsSchema);
    if (value === null) return {};
    if (!isObject(value)) throw badRequest("the body of a delete must be DeleteOptions");
    const kind = value["kind"];
    if (kind !== undefined && kind !== "" && kind !== "DeleteOptions") {
      throw badRequest(
        `the object provided is unrecognized (must be of type DeleteOptions): it is of kind ${JSON.stringify(kind)}`,
      );
    }
    const {
      kind: _kind,
      apiVersion: _apiVersion,
      ...options
    } = conform(value, deleteOptionsSchema, { unknownFields: "drop" }).value;
    return options as JsonObject;
  } catch (error) {
    if (error instanceof DecodeError || error instanceof ShapeError) {
      throw badRequest(`couldn't get version/kind; json parse error: ${error.message}`);
    }
    throw error;
  }
}

function fromQuery(query: URLSearchParams, item: boolean): JsonObject {
  const options: JsonObject = {};
  const grace = readInteger(query, "gracePeriodSeconds");
  if (grace !== undefined) options["gracePeriodSeconds"] = grace;
  const orphan = readBoolean(query, "orphanDependents");
  if (orphan !== undefined) options["orphanDependents"] = orphan;
  const policy = query.get("propagationPolicy");
  if (policy !== null) options["propagationPolicy"] = policy;
  const dryRun = dryRunValues(query);
  if (dryRun.length > 0) options["dryRun"] = dryRun;
  const unsafe = readBoolean(query, UNSAFE);
  if (unsafe !== undefined) options[UNSAFE] = unsafe;
  const preconditions: JsonObject = {};
  for (const name of item ? ["uid", "resourceVersion"] : []) {
    const value = query.get(name);
    if (value !== null && value !== "") preconditions[name] = value;
  }
  if (Object.keys(preconditions).length > 0) options["preconditions"] = preconditions;
  return options;
}

/** Fails with 422 where the options contradict themselves or say what nobody knows. */
export function checkDeleteOptions(names: Names, sent: JsonObject): void {
  const errors = optionErrors(sent);
  if (errors.length > 0) throw invalidObject(names.group("meta"), "DeleteOptions", "", errors);
}

function optionErrors(sent: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const policy = sent["propagationPolicy"];
  if (policy !== undefined && sent["orphanDependents"] !== undefined) {
    errors.push(invalid("propagationPolicy", policy, "orphanDependents and deletionPropagation cannot be both set"));
  }
  if (policy !== undefined && !POLICIES.includes(policy as string)) {
    errors.push(notSupported("propagationPolicy", policy, [...POLICIES, "nil"]));
  }
  append(errors, checkDryRun((sent["dryRun"] as string[] | undefined) ?? []));
  if (sent[UNSAFE] !== true) return errors;
  for (const field of ["dryRun", "propagationPolicy", "orphanDependents", "gracePeriodSeconds", "preconditions"]) {
    if (sent[field] !== undefined) errors.push(invalid(UNSAFE, true, `cannot be set together with .${field}`));
  }
  return errors;
}

const pick = (sent: JsonObject, field: string): JsonObject =>
  sent[field] === undefined ? {} : { [field]: sent[field] };
