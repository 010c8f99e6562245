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

const ANYTHING: Policy = { level: "privileged", minor: Number.POSITIVE_INFINITY };
const NO_DEFAULTS: NamespacePolicy = { enforce: ANYTHING, audit: ANYTHING, warn: ANYTHING };

/** The policy of a namespace, and what is wrong with its labels; a wrong label counts as the strictest. */
export function readPolicy(
  labels: Labels,
  prefix: string,
  defaults = NO_DEFAULTS,
): { policy: NamespacePolicy; errors: FieldError[] } {
  const errors: FieldError[] = [];
  const read = (mode: Mode) =>
    readMode(labels, prefix, mode, defaults[mode], (key, value, why) =>
      errors.push(invalid(`metadata.labels[${key}]`, value, why)),
    );
  const [enforce, audit, warn] = [read("enforce"), read("audit"), read("warn")];
  return { policy: { enforce, audit, warn: warningOf(enforce, warn, labels, prefix) }, errors };
}

/** What settings say of namespaces that say nothing: each mode for itself. */
export function readDefaults(said: Readonly<Record<string, unknown>>, errors: FieldError[]): NamespacePolicy {
  const read = (mode: Mode) =>
    readMode(said as Labels, "", mode, ANYTHING, (key, value, why) =>
      errors.push(invalid(`defaults.${key}`, value, why)),
    );
  return { enforce: read("enforce"), audit: read("audit"), warn: read("warn") };
}

/** Where a namespace says what is refused and not what is warned of, makers of pods are told of what would be refused. */
function warningOf(enforce: Policy, warn: Policy, labels: Labels, prefix: string): Policy {
  const enforced = labelOf(labels, `${prefix}enforce`);
  if (labelOf(labels, `${prefix}warn`) !== undefined || enforced === undefined || !isLevel(enforced)) return warn;
  if (LEVELS.indexOf(enforce.level) <= LEVELS.indexOf(warn.level)) return warn;
  const named = labelOf(labels, `${prefix}warn-version`) !== undefined;
  return { level: enforce.level, minor: named ? warn.minor : enforce.minor };
}

function readMode(
  labels: Labels,
  prefix: string,
  mode: Mode,
  byDefault: Policy,
  isWrong: (key: string, value: string, why: string) => void,
): Policy {
  const level = labelOf(labels, prefix + mode);
  const version = labelOf(labels, `${prefix}${mode}-version`);
  const minor = version === undefined ? byDefault.minor : readVersion(version);
  if (level !== undefined && !isLevel(level)) isWrong(prefix + mode, level, `must be one of ${LEVELS.join(", ")}`);
  if (minor === undefined) isWrong(`${prefix}${mode}-version`, version!, 'must be "latest" or "v1.x"');
  return { level: readLevel(level, mode, byDefault), minor: minor ?? Number.POSITIVE_INFINITY };
}

function readLevel(level: string | undefined, mode: Mode, byDefault: Policy): Level {
  if (level === undefined) return byDefault.level;
  if (isLevel(level)) return level;
  return mode === "enforce" ? "restricted" : "privileged";
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

/** What the labels of a namespace ask for beyond the defaults that says something, as in `enforce=baseline:latest`; empty where nothing. */
export function saidText(labels: Labels, prefix: string, policy: NamespacePolicy): string {
  const said = (["enforce", "audit", "warn"] as const).filter(
    (mode) =>
      policy[mode].level !== "privileged" &&
      [mode, `${mode}-version`].some((key) => labelOf(labels, prefix + key) !== undefined),
  );
  return said.map((mode) => `${mode}=${policyText(policy[mode])}`).join(", ");
}

/** Whether `now` may refuse a pod that `before` lets pass: another version has other checks, also of a lower level. */
export function isStricter(now: Policy, before: Policy): boolean {
  if (now.level === "privileged") return false;
  return now.minor !== before.minor || LEVELS.indexOf(now.level) > LEVELS.indexOf(before.level);
}
