// What a patch may make of the type of an object: nothing. Requirements: document 1, "Update mechanisms".

import type { Json, JsonObject } from "../../base/json.ts";
import { type FieldError, invalid } from "../../meta/field-error.ts";
import { parseApiVersion } from "../../meta/object.ts";
import { cutText } from "../../meta/quoted.ts";
import { invalidObject } from "../../meta/status-error.ts";
import { kindInGo } from "../../patch/go-text.ts";
import { foreignKindProblem } from "../../registry/decode-body.ts";
import type { ServedResource } from "../../registry/served-resource.ts";

/** Fails where the patch leaves another type than the endpoint's; `refuse` makes an answer of a problem with the patch. */
export function checkPatchedType(
  resource: ServedResource,
  patched: JsonObject,
  name: string,
  refuse: (why: string) => Error,
): void {
  const apiVersion = typeMember(patched, "apiVersion", refuse);
  const kind = typeMember(patched, "kind", refuse);
  // Custom resources have no type but the one they say.
  if (resource.custom && kind === "") throw refuse("Object 'Kind' is missing");
  const givenKind = kind || resource.kind.kind;
  const givenVersion = apiVersion || resource.apiVersion;
  if (givenKind === resource.kind.kind && givenVersion === resource.apiVersion) return;
  const parsed = parseApiVersion(givenVersion);
  if (parsed === undefined) throw refuse(`unexpected GroupVersion string: ${cutText(givenVersion)}`);
  if (!resource.custom) throw refuse(foreignKindProblem(resource, { ...parsed, kind: cutText(givenKind) }));
  const errors: FieldError[] = [];
  if (givenKind !== resource.kind.kind) errors.push(invalid("kind", givenKind, `must be ${resource.kind.kind}`));
  if (givenVersion !== resource.apiVersion)
    errors.push(invalid("apiVersion", givenVersion, `must be ${resource.apiVersion}`));
  throw invalidObject(cutText(parsed.group), cutText(givenKind), name, errors);
}

function typeMember(patched: JsonObject, name: string, refuse: (why: string) => Error): string {
  const value = patched[name] as Json | undefined;
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  throw refuse(
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${kindInGo(value)} into Go struct field .${name} of type string`,
  );
}
