// The query of a write, read and checked. Requirements: document 1, "Query parameters", "Dry run", "Field validation".

import { type FieldError, notSupported } from "../../meta/field-error.ts";
import { invalidObject } from "../../meta/status-error.ts";
import { managerName, validateManagerName } from "../../patch/manager-name.ts";
import type { FieldValidation } from "../../registry/decode-body.ts";
import { readBoolean } from "../../registry/list-query.ts";
import type { ResourceRequest } from "../../registry/resource-request.ts";
import type { WriteRequest } from "../../registry/write.ts";
import type { HandlerContext } from "./handler-context.ts";

export interface WriteQuery {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  readonly force: boolean | undefined;
}

/** Which options object a request stands for: its kind names the errors. */
type OptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions";

export function readWriteOptions(
  context: HandlerContext,
  query: URLSearchParams,
  kind: OptionsKind,
  extra: readonly FieldError[] = [],
): WriteQuery {
  const dryRun = dryRunValues(query);
  const fieldManager = query.get("fieldManager") ?? "";
  const fieldValidation = query.get("fieldValidation") ?? "";
  const errors: FieldError[] = [...extra, ...validateManagerName(fieldManager), ...checkDryRun(dryRun)];
  if (!["", "Ignore", "Warn", "Strict"].includes(fieldValidation)) {
    errors.push(notSupported("fieldValidation", fieldValidation, ["", "Ignore", "Strict", "Warn"]));
  }
  if (errors.length > 0) throw invalidObject(context.names.group("meta"), kind, "", errors);
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: fieldValidation === "" ? "Warn" : (fieldValidation as FieldValidation),
    force: readBoolean(query, "force"),
  };
}

/** The document takes an empty value for "not dry", where upstream refuses it. */
export function dryRunValues(query: URLSearchParams): string[] {
  return query.getAll("dryRun").filter((value) => value !== "");
}

export function checkDryRun(values: readonly string[]): FieldError[] {
  return values.some((value) => value !== "All") ? [notSupported("dryRun", values, ["All"])] : [];
}

export function writeRequest(
  resourceRequest: ResourceRequest,
  options: WriteQuery,
  kind: OptionsKind,
  context: HandlerContext,
  bodyBytes = 0,
): WriteRequest {
  const { query, headers } = resourceRequest.request;
  return requestedWrite(resourceRequest, {
    dryRun: options.dryRun,
    fieldManager: managerName(options.fieldManager, headers.first("user-agent")),
    options: sentOptions(options, kind, context, query.has("fieldValidation")),
    bodyBytes,
  });
}

/** As admission sees them. */
function sentOptions(
  { dryRun, fieldManager, fieldValidation }: WriteQuery,
  kind: OptionsKind,
  { names }: HandlerContext,
  asksForValidation: boolean,
): WriteRequest["options"] {
  const sent: Record<string, unknown> = {
    // Admission knows creates and updates: an apply that creates is a create there.
    kind: kind === "PatchOptions" ? "UpdateOptions" : kind,
    apiVersion: `${names.group("meta")}/v1`,
  };
  if (dryRun) sent["dryRun"] = ["All"];
  if (fieldManager !== "") sent["fieldManager"] = fieldManager;
  if (asksForValidation) sent["fieldValidation"] = fieldValidation;
  return sent;
}

/** What the path and the caller say of a write, whatever its verb, and what its options say. */
export function requestedWrite(
  { request, target, resource }: ResourceRequest,
  { dryRun, fieldManager, options, bodyBytes = 0 }: WriteWishes,
): WriteRequest {
  // Member by member: every write does this, and spread objects are slow to make.
  return {
    resource,
    subresource: target.subresource,
    // A namespace is named by its own path and lives in none.
    namespace: resource.kind.scope === "Namespaced" ? target.namespace : "",
    name: target.name,
    user: request.user,
    dryRun,
    fieldManager,
    options,
    warnings: request.warnings,
    auditAnnotations: request.auditAnnotations,
    caller: request,
    bodyBytes,
  };
}

type WriteWishes = Pick<WriteRequest, "dryRun" | "fieldManager" | "options" | "bodyBytes">;
