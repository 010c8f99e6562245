// For tests: what validation says about a draft, as lines of text that tables can hold.

import { atOnce, whole } from "../base/steps.ts";
import { fieldErrorText } from "../meta/field-error.ts";
import { completed, context, created } from "./complete.testing.ts";
import type { Draft, Findings, HookContext, Kind } from "./define-kind.ts";

/** Everything that a hook has found, however it looked for it. */
export const all = <F>(findings: Findings<F> = []): F[] => atOnce(whole(findings));

/** On create: every finding as `field: message`. */
export function createErrors<T>(kind: Kind<T>, draft: Draft<T>, hookContext: HookContext = context): string[] {
  const object = created(kind, draft);
  return all(kind.hooks?.validate?.(object, hookContext)).map(fieldErrorText);
}

/** On update, or on an update through a sub-resource. */
export function updateErrors<T>(
  kind: Kind<T>,
  draft: Draft<T>,
  oldDraft: Draft<T>,
  subresource?: string,
  hookContext: HookContext = context,
): string[] {
  const object = completed(kind, draft);
  const old = completed(kind, oldDraft);
  const part = subresource === undefined ? undefined : kind.subresources?.[subresource];
  const validate = part?.type === "object" ? part.validateUpdate : kind.hooks?.validateUpdate;
  return all(validate?.(object, old, hookContext)).map(fieldErrorText);
}

export function createWarnings<T>(kind: Kind<T>, draft: Draft<T>, hookContext: HookContext = context): string[] {
  return all(kind.hooks?.warn?.(created(kind, draft), undefined, hookContext));
}

export function updateWarnings<T>(kind: Kind<T>, draft: Draft<T>, oldDraft: Draft<T>): string[] {
  return all(kind.hooks?.warn?.(completed(kind, draft), completed(kind, oldDraft), context));
}
