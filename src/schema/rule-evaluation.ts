// Runs the rules of a custom resource's schema over an object, within the budgets of one request.
// What did not change in an update is only warned about (ratcheting); rules with oldSelf run where the old value is known.
// Requirements: document 1, "Expression language (CEL) in API fields", "Limits".

import { isObject } from "../base/json.ts";
import { equalJsonInSteps } from "../base/json-in-steps.ts";
import { Pace, type Steps } from "../base/steps.ts";
import { keysOf } from "../base/wide-keys.ts";
import { CostBudget } from "../cel/cost-budget.ts";
import { compileParts } from "../cel/environment.ts";
import { CelError } from "../cel/errors.ts";
import { type Activation, Long } from "../cel/evaluation.ts";
import { REQUEST_COST_LIMIT } from "../cel/limits.ts";
import type { CelValue } from "../cel/values.ts";
import { duplicate, type FieldError, fieldErrorText, forbiddenField, invalid, required } from "../meta/field-error.ts";
import { type CompiledRule, declareSelf, NO_TYPE, RuleCompiler, type RuleEnvironmentOptions } from "./rule-programs.ts";
import type { Schema, StructSchema, ValidationRule } from "./schema.ts";
import { MAX_DEPTH } from "./walk.ts";

interface RuleOutcome {
  readonly errors: FieldError[];
  /** What failed but had not changed. */
  readonly warnings: string[];
}

/** The rules in a schema of a custom resource, compiled on first use. Undefined: there are none. */
export function ruleTreeOf(root: StructSchema, options: RuleEnvironmentOptions): Steps<RuleNode | undefined> {
  return nodeOf(root, options, new Pace(VALUES_PER_STEP), true);
}

/** The same for a part of an object. */
export function innerRuleTreeOf(schema: Schema, options: RuleEnvironmentOptions): Steps<RuleNode | undefined> {
  return nodeOf(schema, options, new Pace(VALUES_PER_STEP), false);
}

export interface RuleNode {
  readonly type: string;
  readonly schema: Schema;
  /** Undefined until somebody needs them, who compiles them then. */
  readonly rules: () => readonly CompiledRule[] | undefined;
  readonly compile: () => Steps<readonly CompiledRule[]>;
  readonly fields: ReadonlyMap<string, RuleNode>;
  /** Items of a list, values of a map, fields beyond the named ones. */
  readonly others: RuleNode | undefined;
}

interface EvaluateRulesOptions {
  /** The object before the update. */
  readonly old?: unknown;
  /** Where the value stands; the object itself when not given. */
  readonly at?: string;
  /** Whether what did not change is only warned about; it is when not given. */
  readonly ratcheting?: boolean;
}

export function* evaluateRules(value: unknown, tree: RuleNode, options: EvaluateRulesOptions = {}): Steps<RuleOutcome> {
  const { old, at = "", ratcheting = true } = options;
  const run = new Run(ratcheting);
  const unchanged = old !== undefined && (yield* equalJsonInSteps(old, value));
  yield* run.visit(value, tree, { path: at, old, unchanged, depth: 0 });
  return { errors: run.errors, warnings: run.warnings };
}

interface Place {
  readonly path: string;
  readonly old: unknown;
  readonly unchanged: boolean;
  readonly depth: number;
}

const VALUES_PER_STEP = 60;
const RULES_PER_STEP = 60;
/** Of text that is compiled, as `compileParts` counts it. */
const PARTS_PER_STEP = 25;
const MAX_FINDINGS = 1000;
/** Longer results of messageExpression are not shown. */
const MAX_MESSAGE_BYTES = 5120;
const NOWHERE = "<nil>";

class Run {
  readonly errors: FieldError[] = [];
  readonly warnings: string[] = [];
  readonly #budget = new CostBudget(REQUEST_COST_LIMIT);
  readonly #pace = new Pace(VALUES_PER_STEP);
  readonly #ratcheting: boolean;
  #stopped = false;

  constructor(ratcheting: boolean) {
    this.#ratcheting = ratcheting;
  }

  *visit(value: unknown, node: RuleNode, place: Place): Steps<void> {
    if (this.#stopped || value === undefined || value === null || place.depth > MAX_DEPTH) return;
    if (this.#pace.due()) yield;
    const rules = node.rules() ?? (yield* node.compile());
    for (let index = 0; index < rules.length; index += 1) {
      if ((index > 0 && index % RULES_PER_STEP === 0) || this.#budget.turnIsDue()) yield;
      const rest = this.#evaluate(value, node, rules[index]!, place);
      if (rest !== undefined) yield* rest;
      if (this.#stopped) return;
    }
    if (Array.isArray(value)) yield* this.#visitList(value, node, place);
    else if (isObject(value)) yield* this.#visitObject(value, node, place);
  }

  *#visitList(list: readonly unknown[], node: RuleNode, place: Place): Steps<void> {
    const { others } = node;
    if (others === undefined) return;
    const before = correlation(node.schema, list, place.old);
    for (const [index, item] of list.entries()) {
      const old = before(index);
      // Items that cannot be found again share the fate of their list.
      const unchanged = place.unchanged || (old !== undefined && (yield* equalJsonInSteps(old, item)));
      yield* this.visit(item, others, { path: `${place.path}[${index}]`, old, unchanged, depth: place.depth + 1 });
    }
  }

  *#visitObject(object: Readonly<Record<string, unknown>>, node: RuleNode, place: Place): Steps<void> {
    const { fields, others } = node;
    if (fields.size === 0 && others === undefined) return;
    const olds = isObject(place.old) ? place.old : undefined;
    for (const key of keysOf(object)) {
      const field = fields.get(key);
      const child = field ?? others;
      if (child === undefined) continue;
      const old = olds !== undefined && Object.hasOwn(olds, key) ? olds[key] : undefined;
      const path = field === undefined ? `${place.path}[${key}]` : place.path === "" ? key : `${place.path}.${key}`;
      const unchanged = place.unchanged || (old !== undefined && (yield* equalJsonInSteps(old, object[key])));
      yield* this.visit(object[key], child, { path, old, unchanged, depth: place.depth + 1 });
    }
  }

  /** What is left to do where the rule does not hold, or that is not known soon. */
  #evaluate(value: unknown, node: RuleNode, compiled: CompiledRule, place: Place): Steps<void> | undefined {
    const { rule, program } = compiled;
    if (program === undefined) {
      // The definition is told that it lacks the rule.
      if (compiled.error !== NO_TYPE && rule.rule.trim() === "") return undefined;
      const prefix = compiled.error === NO_TYPE ? "rule compiler initialization error" : "rule compile error";
      this.#add(invalid(place.path || NOWHERE, node.type, `${prefix}: ${compiled.error ?? ""}`));
      return undefined;
    }
    const old = place.old ?? undefined;
    if (compiled.usesOldSelf && old === undefined && rule.optionalOldSelf !== true) return undefined;
    const activation = { self: value, oldSelf: old ?? null };
    const begun = program.begin(activation, { budget: this.#budget });
    return begun === true ? undefined : this.#judge(begun, node, compiled, place, activation);
  }

  *#judge(
    begun: CelValue | Long,
    node: RuleNode,
    compiled: CompiledRule,
    place: Place,
    activation: Activation,
  ): Steps<void> {
    const result = begun instanceof Long ? yield* begun.inSteps() : begun;
    if (result === true) return;
    if (result instanceof CelError) {
      this.#add(invalid(place.path || NOWHERE, node.type, errorDetail(result, compiled.rule)));
      this.#stopped = result.code === "costLimit" || result.code === "budget";
      return;
    }
    const error = yield* this.#failure(node, compiled, place, activation);
    if (this.#ratcheting && !compiled.usesOldSelf && place.unchanged) this.warnings.push(fieldErrorText(error));
    else this.#add(error);
  }

  *#failure(node: RuleNode, compiled: CompiledRule, place: Place, activation: Activation): Steps<FieldError> {
    const { rule } = compiled;
    const path = fieldOf(place.path, rule.fieldPath);
    if (compiled.message !== undefined) {
      const text = yield* compiled.message.evaluateInSteps(activation, { budget: this.#budget });
      if (text instanceof CelError && text.code === "budget") {
        this.#stopped = true;
        return invalid(path, node.type, text.message);
      }
      if (typeof text === "string" && isGoodMessage(text)) return reasoned(rule, path, node.type, text.trim());
    }
    return reasoned(rule, path, node.type, messageOf(rule));
  }

  #add(error: FieldError): void {
    if (this.errors.length < MAX_FINDINGS) this.errors.push(error);
  }
}

function errorDetail(error: CelError, rule: ValidationRule): string {
  switch (error.code) {
    case "budget":
      return error.message;
    case "costLimit":
      return `'${error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${nameOf(rule)}`;
    case "noSuchOverload":
      return `'${error.message}': call arguments did not match a supported operator, function or macro signature for rule: ${nameOf(rule)}`;
    default:
      return `${error.message} evaluating rule: ${nameOf(rule)}`;
  }
}

function isGoodMessage(text: string): boolean {
  return text.trim() !== "" && !/[\n\r]/.test(text.trim()) && Buffer.byteLength(text) <= MAX_MESSAGE_BYTES;
}

function messageOf(rule: ValidationRule): string {
  const message = (rule.message ?? "").trim();
  return message === "" ? `failed rule: ${nameOf(rule)}` : message;
}

function nameOf(rule: ValidationRule): string {
  const message = (rule.message ?? "").trim();
  return message === "" ? rule.rule.trim() : message;
}

function reasoned(rule: ValidationRule, path: string, value: unknown, detail: string): FieldError {
  switch (rule.reason) {
    case "FieldValueForbidden":
      return forbiddenField(path, detail);
    case "FieldValueRequired":
      return required(path, detail);
    case "FieldValueDuplicate":
      return duplicate(path, value);
    default:
      return invalid(path, value, detail);
  }
}

/** `.a['b.c']` below `spec`, as errors write it. */
function fieldOf(base: string, fieldPath: string | undefined): string {
  const below = (fieldPath ?? "").trim().replace(/\['((?:[^'\\]|\\.)*)'\]/g, (_whole, name: string) => `.${name}`);
  if (below === "") return base === "" ? NOWHERE : base;
  return base === "" ? below.replace(/^\./, "") : `${base}${below}`;
}

/** Items of a list of maps are found again by their keys. */
function correlation(schema: Schema, list: readonly unknown[], old: unknown): (index: number) => unknown {
  if (schema.type !== "list" || schema.listType !== "map" || !Array.isArray(old)) return () => undefined;
  const { mapKeys = [] } = schema;
  const keyOf = (item: unknown): string =>
    JSON.stringify(mapKeys.map((key) => textOf(isObject(item) ? item[key] : undefined)));
  const byKey = new Map(old.map((item: unknown) => [keyOf(item), item]));
  return (index) => byKey.get(keyOf(list[index]));
}

const textOf = (value: unknown): unknown => (typeof value === "bigint" ? `int ${value}` : (value ?? null));

function* nodeOf(
  schema: Schema,
  options: RuleEnvironmentOptions,
  pace: Pace,
  root: boolean,
): Steps<RuleNode | undefined> {
  if (schema.inside?.rules !== true) return undefined;
  const fields = new Map<string, RuleNode>();
  let others: RuleNode | undefined;
  const declared = schema.type === "any" ? (schema.object ?? schema.list ?? schema) : schema;
  if (declared.type === "struct") {
    for (const field of declared.fields.values()) {
      if (pace.due()) yield;
      if (field.schema.inside?.rules !== true) continue;
      fields.set(field.name, (yield* nodeOf(field.schema, options, pace, false))!);
    }
    if (declared.additional !== undefined) others = yield* nodeOf(declared.additional, options, pace, false);
  } else if (declared.type === "map") others = yield* nodeOf(declared.values, options, pace, false);
  else if (declared.type === "list") others = yield* nodeOf(declared.items, options, pace, false);
  const { rules = [] } = schema;
  let compiled: readonly CompiledRule[] | undefined = rules.length === 0 ? NONE : undefined;
  return {
    type: typeWord(schema),
    schema,
    fields,
    others,
    rules: () => compiled,
    *compile() {
      compiled = yield* compileRules(rules, new RuleCompiler(yield* declareSelf(schema, { root }), options));
      return compiled;
    },
  };
}

function* compileRules(rules: readonly ValidationRule[], compiler: RuleCompiler): Steps<readonly CompiledRule[]> {
  const pace = new Pace(PARTS_PER_STEP);
  const compiled: CompiledRule[] = [];
  for (const rule of rules) {
    if (pace.due(compileParts(rule.rule) + compileParts(rule.messageExpression ?? ""))) yield;
    compiled.push(yield* compiler.compileInSteps(rule));
  }
  return compiled;
}

const NONE: readonly CompiledRule[] = [];

function typeWord(schema: Schema): string {
  if (schema.type === "struct" || schema.type === "map") return "object";
  if (schema.type === "list") return "array";
  if (schema.type === "any") return schema.objectOnly ? "object" : "";
  switch (schema.scalar) {
    case "boolean":
      return "boolean";
    case "int32":
    case "int64":
      return "integer";
    case "double":
      return "number";
    case "intOrString":
      return "";
    default:
      return "string";
  }
}
