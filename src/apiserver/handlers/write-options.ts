// The query of a write, read and checked. Requirements: document 1, "Query parameters", "Dry run", "Field validation".

import { type FieldError, invalid, notSupported, tooLong } from "../../meta/field-error.ts";
import { invalidObject } from "../../meta/status-error.ts";
import type { FieldValidation } from "../registry/decode-body.ts";
import { readBoolean } from "../registry/list-query.ts";
import type { WriteRequest } from "../registry/write.ts";
import type { HandlerContext, ResourceRequest } from "./handler-context.ts";

const MAX_FIELD_MANAGER_LENGTH = 128;

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  readonly force: boolean | undefined;
}

/** Which options object a request stands for: its kind names the errors and is what webhooks see. */
export type OptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions";

export function readWriteOptions(context: HandlerContext, query: URLSearchParams, kind: OptionsKind, extra: readonly FieldError[] = []): WriteOptions {
  const dryRun = query.getAll("dryRun").filter((value) => value !== "");
  const fieldManager = query.get("fieldManager") ?? "";
  const fieldValidation = query.get("fieldValidation") ?? "";
  const errors: FieldError[] = [...extra, ...checkFieldManager(fieldManager), ...checkDryRun(dryRun)];
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

export function checkDryRun(values: readonly string[]): FieldError[] {
  return values.some((value) => value !== "All") ? [notSupported("dryRun", values, ["All"])] : [];
}

function checkFieldManager(manager: string): FieldError[] {
  const errors: FieldError[] = [];
  if (Buffer.byteLength(manager) > MAX_FIELD_MANAGER_LENGTH) errors.push(tooLong("fieldManager", MAX_FIELD_MANAGER_LENGTH));
  let at = 0;
  for (const char of manager) {
    if (!/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(char)) {
      const code = char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
      errors.push(invalid("fieldManager", manager, `invalid character U+${code} (at position ${at})`));
      break;
    }
    at += Buffer.byteLength(char);
  }
  return errors;
}

/** The manager of a write that does not name one: the first word of the User-Agent. */
export function managerOf(options: Pick<WriteOptions, "fieldManager">, userAgent: string | undefined): string {
  if (options.fieldManager !== "") return options.fieldManager;
  const product = (userAgent ?? "").split("/", 1)[0]!;
  const printable = [...product].filter((char) => /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(char)).join("");
  const manager = Buffer.from(printable).subarray(0, MAX_FIELD_MANAGER_LENGTH).toString("utf8");
  return manager === "" ? "unknown" : manager;
}

export function writeRequest(
  { request, target, resource }: ResourceRequest,
  options: WriteOptions,
  kind: OptionsKind,
  context: HandlerContext,
): WriteRequest {
  return {
    resource,
    subresource: target.subresource,
    // A namespace is named by its own path and lives in none.
    namespace: resource.kind.scope === "Namespaced" ? target.namespace : "",
    name: target.name,
    user: request.user,
    dryRun: options.dryRun,
    fieldManager: managerOf(options, request.headers.first("user-agent")),
    options: {
      kind,
      apiVersion: `${context.names.group("meta")}/v1`,
      ...(options.dryRun ? { dryRun: ["All"] } : {}),
      ...(options.fieldManager === "" ? {} : { fieldManager: options.fieldManager }),
      ...(request.query.has("fieldValidation") ? { fieldValidation: options.fieldValidation } : {}),
      ...(options.force === undefined ? {} : { force: options.force }),
    },
    warnings: request.warnings,
    auditAnnotations: request.auditAnnotations,
    signal: request.signal,
  };
}
