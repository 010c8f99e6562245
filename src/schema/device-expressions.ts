// The expressions that select devices: what they may name, whether they compile, and what they select.
// Requirements: document 1, "Expression language (CEL) in API fields".

import type { Pace, Steps } from "../base/steps.ts";
import { apiEnvironment } from "../cel/api-environment.ts";
import type { StructDeclaration } from "../cel/declarations.ts";
import { compileParts, type Environment } from "../cel/environment.ts";
import { CelError, compileFailure } from "../cel/errors.ts";
import { ANY, BOOL, type CelType, equalTypes, mapOf, opaqueType, STRING, structType, typeText } from "../cel/types.ts";
import { typeOf } from "../cel/values.ts";
import { deviceValue, type SelectableDevice } from "./device-values.ts";
import { API_MINOR } from "./rule-programs.ts";

/** An expression that cannot be used, or one that would take too long. */
type DeviceExpressionProblem = { readonly invalid: string } | { readonly forbidden: string };

/** Undefined when the text is an expression that says yes or no about a device, at a cost that can be afforded. */
export function* deviceExpressionProblem(
  text: string,
  dialect: string,
  minor: number,
  pace: Pace,
): Steps<DeviceExpressionProblem | undefined> {
  if (pace.due(compileParts(text))) yield;
  const environment = environmentOf(dialect, minor);
  const compiled = yield* environment.compileInSteps(text);
  if (!compiled.ok) return { invalid: compileFailure(compiled.issues) };
  const { resultType } = compiled.program;
  if (!equalTypes(resultType, BOOL) && !equalTypes(resultType, ANY)) {
    return { invalid: `must evaluate to bool or the unknown type, not ${typeText(resultType)}` };
  }
  const cost = environment.estimate(text, deviceSizes)?.max ?? Number.POSITIVE_INFINITY;
  return cost > DEVICE_SELECTOR_COST_LIMIT ? { forbidden: "too complex, exceeds cost limit" } : undefined;
}

const DEVICE_SELECTOR_COST_LIMIT = 1_000_000;

/** Whether the expression selects the device; otherwise why it cannot say. */
export function selectsDevice(
  text: string,
  dialect: string,
  device: SelectableDevice,
): boolean | { readonly problem: string } {
  const compiled = environmentOf(dialect, API_MINOR).compile(text);
  if (!compiled.ok) return { problem: `CEL compile error: ${compileFailure(compiled.issues)}` };
  const activation = { device: deviceValue(device, deviceType(dialect), dialect) };
  const result = compiled.program.evaluate(activation, { costLimit: DEVICE_SELECTOR_COST_LIMIT });
  if (typeof result === "boolean") return result;
  if (result instanceof CelError) return { problem: `CEL runtime error: ${result.message}` };
  return { problem: `CEL result of type ${typeOf(result).name} could not be converted to bool` };
}

interface Sizes {
  readonly max: number;
  readonly fields?: ReadonlyMap<string, Sizes>;
  readonly keys?: Sizes;
  readonly values?: Sizes;
  /** Values may be reached by their names, too. */
  readonly byName?: boolean;
}

/** As long as a driver's name, the domain and the name of an attribute, and the value of one may be. */
const DRIVER: Sizes = { max: 63 };
const DOMAIN: Sizes = { max: 63 };
const NAME: Sizes = { max: 32 };
const VALUE: Sizes = { max: 64 };
const MAX_ATTRIBUTES = 32;

const attributes: Sizes = { max: MAX_ATTRIBUTES, keys: NAME, values: VALUE, byName: true };
const capacities: Sizes = { max: MAX_ATTRIBUTES, keys: NAME, values: { max: 0 } };
const DEVICE: Sizes = {
  max: 0,
  fields: new Map([
    ["driver", DRIVER],
    ["attributes", { max: MAX_ATTRIBUTES, keys: DOMAIN, values: attributes }],
    ["capacity", { max: MAX_ATTRIBUTES, keys: DOMAIN, values: capacities }],
  ]),
};

function deviceSizes([root, ...path]: readonly string[]): { min: number; max: number } | undefined {
  let node: Sizes | undefined = root === "device" ? DEVICE : undefined;
  for (const step of path) {
    if (step === "@values" || step === "@items") node = node?.values;
    else if (step === "@keys") node = node?.keys;
    else node = node?.byName ? node.values : node?.fields?.get(step);
  }
  return node === undefined ? undefined : { min: 0, max: node.max };
}

const deviceType = (dialect: string): CelType => structType(`${dialect}.DRADevice`);

/** One for each dialect and version that is asked for. */
const environments = new Map<string, Environment>();

function environmentOf(dialect: string, minor: number): Environment {
  const key = `${dialect} ${minor}`;
  const known = environments.get(key);
  if (known !== undefined) return known;
  const device = deviceType(dialect);
  const fields = new Map<string, CelType>([
    ["driver", STRING],
    ["attributes", mapOf(STRING, mapOf(STRING, ANY))],
    ["capacity", mapOf(STRING, mapOf(STRING, opaqueType(`${dialect}.Quantity`)))],
  ]);
  const declaration: StructDeclaration = {
    type: device,
    field: (name) => fields.get(name),
    fieldNames: () => fields.keys(),
  };
  const made = apiEnvironment({ minor, namespace: dialect, bindings: true }).withVariables(
    [{ name: "device", type: device }],
    [declaration],
  );
  environments.set(key, made);
  return made;
}
