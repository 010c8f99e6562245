// Feature gates: switches with a stage of life. Requirements: document 1, "Feature gate stages".

import { UsageError } from "./start-error.ts";
import { parseBool } from "./truth-words.ts";

export type GateStage = "alpha" | "beta" | "ga" | "deprecated";

export interface GateSpec {
  readonly stage: GateStage;
  readonly default: boolean;
  /** The gate has no effect any more: only its default is accepted. */
  readonly locked?: boolean;
  /** Another gate without which this one is off. */
  readonly needs?: string;
}

/** Sets every gate of a stage that is not set by its own name. */
const GROUPS: ReadonlyMap<string, GateStage> = new Map([
  ["AllAlpha", "alpha"],
  ["AllBeta", "beta"],
]);

export class FeatureGates<Name extends string = string> {
  readonly #specs: ReadonlyMap<string, GateSpec>;
  /** What was set, by gate and by group. */
  readonly #wanted: ReadonlyMap<string, boolean>;
  /** One sentence for each setting that will not be possible for ever. */
  readonly warnings: readonly string[];

  /** Fails with UsageError on an unknown gate, on a value that is no truth value, and on a gate that cannot be set so. */
  constructor(specs: ReadonlyMap<Name, GateSpec>, settings: ReadonlyMap<string, string> = new Map()) {
    this.#specs = specs;
    const wanted = new Map<string, boolean>();
    for (const [name, text] of settings) wanted.set(name, readSetting(name, text, specs));
    this.#wanted = wanted;
    const warnings: string[] = [];
    for (const [name, value] of wanted) {
      const stage = this.#specs.get(name)?.stage;
      if (stage !== "ga" && stage !== "deprecated") continue;
      warnings.push(
        `Setting ${stage === "ga" ? "GA" : "deprecated"} feature gate ${name}=${value}. It will be removed in a future release.`,
      );
    }
    this.warnings = warnings;
  }

  /** Gates that were set by their own name, and to something else than their default. */
  get changed(): readonly Name[] {
    const wanted = this.#wanted;
    return [...this.#specs]
      .filter(([name, spec]) => (wanted.get(name) ?? spec.default) !== spec.default)
      .map(([name]) => name as Name);
  }

  /** Whether a feature is on. Fails for a name that is not in the table: a mistake in the program. */
  enabled(name: Name): boolean {
    const needs = this.#specs.get(name)?.needs;
    return this.#valueOf(name) && (needs === undefined || this.#valueOf(needs));
  }

  #valueOf(name: string): boolean {
    const spec = this.#specs.get(name);
    if (spec === undefined) throw new Error(`there is no feature gate ${name}`);
    const wanted = this.#wanted;
    // In most programs nothing is set.
    return wanted.size === 0 ? spec.default : (wanted.get(name) ?? groupValue(spec, wanted) ?? spec.default);
  }

  /** Every gate with its stage and value, for the metric and for display. */
  all(): { readonly name: string; readonly stage: GateStage; readonly enabled: boolean }[] {
    return [...this.#specs].map(([name, { stage }]) => ({ name, stage, enabled: this.enabled(name as Name) }));
  }
}

function readSetting(name: string, text: string, specs: ReadonlyMap<string, GateSpec>): boolean {
  const spec = specs.get(name);
  if (spec === undefined && !GROUPS.has(name)) {
    throw new UsageError(`flag --feature-gates: unrecognized feature gate: ${name}`);
  }
  const value = parseBool(text);
  if (value === undefined) {
    throw new UsageError(
      `flag --feature-gates: invalid value of ${name}: ${JSON.stringify(text)} is neither true nor false`,
    );
  }
  if (spec?.locked && value !== spec.default) {
    throw new UsageError(
      `flag --feature-gates: cannot set feature gate ${name} to ${value}, feature is locked to ${spec.default}`,
    );
  }
  return value;
}

function groupValue(spec: GateSpec, wanted: ReadonlyMap<string, boolean>): boolean | undefined {
  if (spec.locked) return undefined;
  for (const [group, stage] of GROUPS) if (stage === spec.stage) return wanted.get(group);
  return undefined;
}
