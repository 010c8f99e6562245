// The levels of pod security, and what the labels of a namespace say about them.

import { type FieldError, invalid } from "../../meta/field-error.ts";

type Level = "privileged" | "baseline" | "restricted";
export type Mode = "enforce" | "audit" | "warn";

const LEVELS: readonly Level[] = ["privileged", "baseline", "restricted"];

/** One level as it was at one version; `minor` is infinite for the latest. */
export interface Policy {
  readonly level: Level;
  readonly minor: number;
}

export type NamespacePolicy = Readonly<Record<Mode, Policy>>;

type Labels = Readonly<Record<string, string>>;

export function policyText({ level, minor }: Policy): string {
  return `${level}:${Number.isFinite(minor) ? `v1.${minor}` : "latest"}`;
}

/** The policy of a namespace, and what is wrong with its labels; a wrong label counts as the strictest. */
export function readPolicy(labels: Labels, prefix: string): { policy: NamespacePolicy; errors: FieldError[] } {
  const errors: FieldError[] = [];
  const enforce = readMode(labels, prefix, "enforce", errors);
  const audit = readMode(labels, prefix, "audit", errors);
  const warn = readMode(labels, prefix, "warn", errors);
  return { policy: { enforce, audit, warn: warningOf(enforce, warn, labels, prefix) }, errors };
}

/** Where a namespace says what is refused and not what is warned of, makers of pods are told of what would be refused. */
function warningOf(enforce: Policy, warn: Policy, labels: Labels, prefix: string): Policy {
  const enforced = labelOf(labels, `${prefix}enforce`);
  if (labelOf(labels, `${prefix}warn`) !== undefined || enforced === undefined || !isLevel(enforced)) return warn;
  if (LEVELS.indexOf(enforce.level) <= LEVELS.indexOf(warn.level)) return warn;
  const named = labelOf(labels, `${prefix}warn-version`) !== undefined;
  return { level: enforce.level, minor: named ? warn.minor : enforce.minor };
}

function readMode(labels: Labels, prefix: string, mode: Mode, errors: FieldError[]): Policy {
  const level = labelOf(labels, prefix + mode);
  const version = labelOf(labels, `${prefix}${mode}-version`);
  const minor = version === undefined ? Number.POSITIVE_INFINITY : readVersion(version);
  if (level !== undefined && !isLevel(level)) {
    errors.push(invalid(`metadata.labels[${prefix}${mode}]`, level, `must be one of ${LEVELS.join(", ")}`));
  }
  if (minor === undefined) {
    errors.push(invalid(`metadata.labels[${prefix}${mode}-version]`, version, 'must be "latest" or "v1.x"'));
  }
  return {
    level:
      level === undefined ? "privileged" : isLevel(level) ? level : mode === "enforce" ? "restricted" : "privileged",
    minor: minor ?? Number.POSITIVE_INFINITY,
  };
}

const isLevel = (text: string): text is Level => (LEVELS as readonly string[]).includes(text);

function readVersion(text: string): number | undefined {
  if (text === "latest") return Number.POSITIVE_INFINITY;
  const minor = /^v1\.(0|[1-9]\d{0,8})$/.exec(text)?.[1];
  return minor === undefined ? undefined : Number(minor);
}

function labelOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

/** Whether every pod that `before` lets pass may be refused by `now`. */
export function isStricter(now: Policy, before: Policy): boolean {
  const [strictness, was] = [LEVELS.indexOf(now.level), LEVELS.indexOf(before.level)];
  if (strictness !== was) return strictness > was;
  return now.level !== "privileged" && now.minor !== before.minor;
}
