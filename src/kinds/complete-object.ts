// An object that came from elsewhere than the API, in the form that the API would give it: complete, with defaults, and
// looked over.

import { atOnce, finish, whole } from "../base/steps.ts";
import { fieldErrorText } from "../meta/field-error.ts";
import { conform } from "../schema/conform.ts";
import { applyDefaults } from "../schema/default.ts";
import { GatedFields } from "../schema/gated-fields.ts";
import type { HookContext, Kind } from "./define-kind.ts";

/** Fails where a member has another type than the kind says, or the kind's own rules are not met. */
export function completeObject<T>(kind: Kind<T>, value: object, context: HookContext): T {
  const gate = context.gateEnabled;
  const { value: complete } = conform({ metadata: {}, ...value }, kind.schema, { unknownFields: "drop", gate });
  applyDefaults(complete, kind.schema);
  const object = complete as T;
  finish(kind.hooks?.default?.(object, context));
  atOnce(new GatedFields(kind.schema, gate).drop(complete));
  const [problem] = atOnce(whole(kind.hooks?.validate?.(object, context) ?? []));
  if (problem !== undefined) throw new Error(fieldErrorText(problem));
  return object;
}
