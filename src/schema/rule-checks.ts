// What is wrong with the expressions of a definition: texts that do not compile, and rules whose cost cannot be afforded.
// Requirements: document 1, "Expression language (CEL) in API fields", "Limits".

import { Pace, type Steps } from "../base/steps.ts";
import { compileParts } from "../cel/environment.ts";
import { MAX_REQUEST_BYTES, RULE_ESTIMATE_LIMIT, SCHEMA_ESTIMATE_LIMIT } from "../cel/limits.ts";
import { type FieldError, forbiddenField, internalFieldError, invalid } from "../meta/field-error.ts";
import { additionalOf, itemsOf, LEVELS_PER_STEP, type Props, type PropsRule, propertyNamesOf } from "./crd-props.ts";
import { schemaFromCrdInSteps, schemaOfProps } from "./from-crd.ts";
import { API_MINOR, declareSelf, RuleCompiler } from "./rule-programs.ts";
import type { ValidationRule } from "./schema.ts";
import { compareByBytes, sortedInSteps } from "./sorted-keys.ts";

interface RuleCheckOptions {
  /** Path of the schema, as messages say it. */
  readonly at: string;
  readonly namespace: string;
  /** Expressions that were stored before may use what is new in this version. */
  readonly stored?: ReadonlySet<string>;
  /** What else is wrong with the schema: expressions around or at such a place are not looked at. */
  readonly found?: readonly FieldError[];
}

/** Longer ones have names that nobody means. */
const MAX_COMPARED_PATH = 16 * 1024;

/** Must only be asked about structural schemas. */
export function* ruleErrors(props: Props, options: RuleCheckOptions): Steps<FieldError[]> {
  const fields = (options.found ?? []).map(({ field }) => field);
  // To compare paths of megabytes takes seconds, and the definition is refused in any case.
  if (fields.some(({ length }) => length > MAX_COMPARED_PATH)) return [];
  const broken = yield* sortedInSteps(fields);
  const check = new RuleCheck(options, broken);
  yield* check.visit(props, { at: options.at, root: true, cardinality: 1, uncorrelatable: undefined });
  return [...check.errors, ...check.totalErrors()];
}

/** All expressions of a schema: what an update may keep. */
export function* expressionsOf(props: Props, found: Set<string>, pace = new Pace(LEVELS_PER_STEP)): Steps<void> {
  if (pace.due()) yield;
  for (const rule of props["x-kubernetes-validations"] ?? []) {
    if (pace.due()) yield;
    if (rule.rule) found.add(rule.rule);
    if (rule.messageExpression) found.add(rule.messageExpression);
  }
  for (const child of [itemsOf(props), additionalOf(props)])
    if (child !== undefined) yield* expressionsOf(child, found, pace);
  for (const name of propertyNamesOf(props)) yield* expressionsOf(props.properties![name]!, found, pace);
}

interface Level {
  readonly at: string;
  readonly root: boolean;
  /** How often a value of this schema can stand in one object; undefined: nothing but the size of a request bounds it. */
  readonly cardinality: number | undefined;
  /** The list whose items cannot be found again in an old object. */
  readonly uncorrelatable: string | undefined;
}

/** So many of the dearest rules are named when all together are too dear. */
const MAX_NAMED_RULES = 4;
/** Cheaper rules are not to blame. */
const MIN_NAMED_COST = SCHEMA_ESTIMATE_LIMIT / 100;

const NO_TYPE_INFORMATION =
  "internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations";

/** So many rules are compiled in one step. */
const RULES_PER_STEP = 60;

class RuleCheck {
  readonly errors: FieldError[] = [];
  readonly #options: RuleCheckOptions;
  readonly #pace = new Pace(RULES_PER_STEP);
  readonly #levels = new Pace(LEVELS_PER_STEP);
  readonly #costs: { readonly path: string; readonly cost: number }[] = [];

  /** Where something else is wrong, in the order of the texts. */
  readonly #broken: readonly string[];

  constructor(options: RuleCheckOptions, broken: readonly string[]) {
    this.#options = options;
    this.#broken = broken;
  }

  *visit(props: Props, level: Level): Steps<void> {
    if (this.#levels.due()) yield;
    for (const name of propertyNamesOf(props)) {
      yield* this.visit(props.properties![name]!, { ...level, at: `${level.at}.properties[${name}]`, root: false });
    }
    const values = additionalOf(props);
    if (values !== undefined) {
      const cardinality = times(level.cardinality, props.maxProperties);
      yield* this.visit(values, { ...level, at: `${level.at}.additionalProperties`, root: false, cardinality });
    }
    const items = itemsOf(props);
    if (items !== undefined) {
      const correlated = props["x-kubernetes-list-type"] === "map";
      yield* this.visit(items, {
        at: `${level.at}.items`,
        root: false,
        cardinality: times(level.cardinality, props.maxItems),
        uncorrelatable: correlated ? level.uncorrelatable : (level.uncorrelatable ?? level.at),
      });
    }
    const rules = props["x-kubernetes-validations"] ?? [];
    if (rules.length > 0 && !this.#isBroken(level.at)) yield* this.#checkRules(props, rules, level);
  }

  /** Whether anything else is wrong at this place or below it. */
  #isBroken(at: string): boolean {
    let [low, high] = [0, this.#broken.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareByBytes(this.#broken[middle]!, at) < 0) low = middle + 1;
      else high = middle;
    }
    return this.#broken[low]?.startsWith(at) === true;
  }

  totalErrors(): FieldError[] {
    const total = this.#costs.reduce((sum, { cost }) => sum + cost, 0);
    if (total <= SCHEMA_ESTIMATE_LIMIT) return [];
    const dearest = this.#costs
      .filter(({ cost }) => cost >= MIN_NAMED_COST)
      .sort((a, b) => b.cost - a.cost)
      .slice(0, MAX_NAMED_RULES);
    const each = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
    const what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
    return [
      ...dearest.map(({ path }) => forbiddenField(path, each)),
      forbiddenField(this.#options.at, costText(what, total, SCHEMA_ESTIMATE_LIMIT)),
    ];
  }

  *#checkRules(props: Props, rules: readonly PropsRule[], level: Level): Steps<void> {
    const { root } = level;
    const schema = yield* root ? schemaFromCrdInSteps(props) : schemaOfProps(props);
    const declaration = yield* declareSelf(schema, { root });
    yield;
    const { namespace, stored } = this.#options;
    let fresh: RuleCompiler | undefined;
    let known: RuleCompiler | undefined;
    for (const [i, rule] of rules.entries()) {
      if ((rule.rule ?? "").trim() === "") continue;
      if (this.#pace.due(compileParts(`${rule.rule}${rule.messageExpression ?? ""}`))) yield;
      const isStored =
        stored?.has(rule.rule ?? "") === true && (!rule.messageExpression || stored.has(rule.messageExpression));
      if (isStored) known ??= new RuleCompiler(declaration, { namespace });
      else fresh ??= new RuleCompiler(declaration, { namespace, minor: API_MINOR - 1 });
      const compiler = (isStored ? known : fresh)!;
      if (compiler.declaration === undefined) {
        this.errors.push(internalFieldError(`${level.at}.x-kubernetes-validations`, NO_TYPE_INFORMATION));
        return;
      }
      yield* this.#checkRule(rule as ValidationRule, `${level.at}.x-kubernetes-validations[${i}]`, compiler, level);
    }
  }

  *#checkRule(rule: ValidationRule, path: string, compiler: RuleCompiler, level: Level): Steps<void> {
    const compiled = yield* compiler.compileInSteps(rule);
    const maxCardinality = Math.floor(MAX_REQUEST_BYTES / ((compiler.declaration?.minBytes ?? 0) + 1));
    if (compiled.program !== undefined) {
      const cost = compiler.maxCost(rule, rule.rule) * (level.cardinality ?? maxCardinality);
      if (cost > RULE_ESTIMATE_LIMIT)
        this.errors.push(forbiddenField(`${path}.rule`, costText("estimated rule cost", cost, RULE_ESTIMATE_LIMIT)));
      this.#costs.push({ path: `${path}.rule`, cost });
    } else {
      this.errors.push(invalid(`${path}.rule`, printed(rule), compiled.error ?? ""));
    }
    if (compiled.messageError !== undefined) {
      this.errors.push(invalid(`${path}.messageExpression`, printed(rule), compiled.messageError));
    } else if (compiled.message !== undefined) {
      const cost = compiler.maxCost(rule, compiled.message.source);
      if (cost > RULE_ESTIMATE_LIMIT) {
        this.errors.push(
          forbiddenField(
            `${path}.messageExpression`,
            costText("estimated messageExpression cost", cost, RULE_ESTIMATE_LIMIT),
          ),
        );
      }
      this.#costs.push({ path: `${path}.messageExpression`, cost });
    }
    if (compiled.usesOldSelf && level.uncorrelatable !== undefined) {
      this.errors.push(
        invalid(
          `${path}.rule`,
          rule.rule,
          `oldSelf cannot be used on the uncorrelatable portion of the schema within ${level.uncorrelatable}`,
        ),
      );
    } else if (!compiled.usesOldSelf && rule.optionalOldSelf !== undefined) {
      this.errors.push(
        invalid(`${path}.optionalOldSelf`, rule.optionalOldSelf, "may not be set if oldSelf is not used in rule"),
      );
    }
  }
}

function times(cardinality: number | undefined, max: number | bigint | undefined): number | undefined {
  return cardinality === undefined || max === undefined ? undefined : cardinality * Math.max(Number(max), 0);
}

function costText(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const shown = factor > 100 ? "more than 100x" : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
  return `${what} exceeds budget by factor of ${shown} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

/** A rule as upstream prints it in messages. */
function printed(rule: ValidationRule): Record<string, unknown> {
  return {
    Rule: rule.rule,
    Message: rule.message ?? "",
    MessageExpression: rule.messageExpression ?? "",
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? "",
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  };
}
