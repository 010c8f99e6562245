// Matchers for tests: `expect.extend(plinthMatchers)`, then `expect(pod).toBeReady()`.

import { readinessOf } from "../meta/readiness.ts";

interface Condition {
  readonly type?: string | undefined;
  readonly status?: string | undefined;
  readonly reason?: string | undefined;
}

interface WithConditions {
  readonly kind?: string | undefined;
  readonly metadata?: { readonly name?: string | undefined } | undefined;
  readonly status?: { readonly conditions?: readonly Condition[] | undefined } | undefined;
}

interface Verdict {
  readonly pass: boolean;
  message(): string;
}

/** What `expect` has then, for a compiler: `declare module "vitest" { interface Matchers<T> extends PlinthMatchers {} }`. */
export interface PlinthMatchers {
  toBeReady(): void;
  toHaveCondition(type: string, status?: string, reason?: string): void;
}

export const plinthMatchers = {
  /** The condition Ready, or Available, or Complete, is True; or, without one of them, as many replicas are ready as are wanted. */
  toBeReady(object: WithConditions | undefined): Verdict {
    const { ready, reason } = readinessOf(object);
    const pass = ready === "True";
    const why = reason === "" ? conditionsText(object) : reason;
    return { pass, message: () => `${shown(object)} is ${pass ? "" : "not "}ready: ${why}` };
  },

  toHaveCondition(object: WithConditions | undefined, type: string, status = "True", reason?: string): Verdict {
    const found = conditionOf(object, type);
    const pass = found?.status === status && (reason === undefined || found.reason === reason);
    return {
      pass,
      message: () =>
        `${shown(object)} ${pass ? "has" : "does not have"} the condition ${type}=${status}` +
        `${reason === undefined ? "" : ` (${reason})`}: ${conditionsText(object)}`,
    };
  },
};

const conditionOf = (object: WithConditions | undefined, type: string): Condition | undefined =>
  object?.status?.conditions?.find((condition) => condition.type === type);

const shown = (object: WithConditions | undefined): string =>
  object === undefined ? "nothing" : `${object.kind ?? "the object"} ${object.metadata?.name ?? ""}`.trim();

function conditionsText(object: WithConditions | undefined): string {
  const conditions = object?.status?.conditions ?? [];
  const words = conditions.map(({ type, status, reason }) => `${type}=${status}${reason ? ` (${reason})` : ""}`);
  return words.length === 0 ? "it has no conditions" : `it has ${words.join(", ")}`;
}
