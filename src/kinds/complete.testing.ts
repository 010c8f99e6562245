// For tests: objects as the write path hands them to hooks and stores them.

import { finish } from "../base/steps.ts";
import { type Names, namesFor } from "../meta/names.ts";
import { conform } from "../schema/conform.ts";
import { applyDefaults } from "../schema/default.ts";
import type { Draft, HookContext, Kind } from "./define-kind.ts";

export const NOW = "2026-01-02T03:04:05Z";

export const names: Names = namesFor("kubernetes");

export const context: HookContext = {
  names,
  gateEnabled: () => false,
  nowMs: Date.parse(NOW),
  user: { name: "ann", uid: "u1", groups: ["g"], extra: { k: ["v"] } },
};

/** The draft in its complete form, with defaults. */
export function completed<T>(kind: Kind<T>, draft: Draft<T>, hookContext: HookContext = context): T {
  const { value } = conform({ metadata: {}, ...draft }, kind.schema, { unknownFields: "keep" });
  applyDefaults(value, kind.schema);
  finish(kind.hooks?.default?.(value as T, hookContext));
  return value as T;
}

/** The draft as it is after prepareForCreate. */
export function created<T>(kind: Kind<T>, draft: Draft<T>): T {
  const object = completed(kind, draft);
  finish(kind.hooks?.prepareForCreate?.(object, context));
  return object;
}

/** The cells of an object by column name. */
export function cellsOf<T>(kind: Kind<T>, object: T): Record<string, unknown> {
  const cellContext = { names, nowMs: context.nowMs };
  return Object.fromEntries(
    (kind.columns ?? []).map(({ name, cell }) => [name, typeof cell === "function" ? cell(object, cellContext) : cell]),
  );
}
