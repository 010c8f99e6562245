// The expressions that select devices: what they may name, and whether they compile.
// Requirements: document 1, "Expression language (CEL) in API fields".

import { apiEnvironment } from "../cel/api-environment.ts";
import type { StructDeclaration } from "../cel/declarations.ts";
import type { Environment } from "../cel/environment.ts";
import { compileFailure } from "../cel/errors.ts";
import {
  BOOL,
  type CelType,
  DYN,
  equalTypes,
  formatType,
  isDyn,
  mapOf,
  opaqueType,
  STRING,
  structType,
} from "../cel/types.ts";

/** Undefined when the text is an expression that says yes or no about a device. */
export function deviceExpressionProblem(text: string, dialect: string, minor: number): string | undefined {
  const compiled = environmentOf(dialect, minor).compile(text);
  if (!compiled.ok) return compileFailure(compiled.issues);
  const { resultType } = compiled.program;
  if (equalTypes(resultType, BOOL) || isDyn(resultType)) return undefined;
  return `must evaluate to bool or the unknown type, not ${formatType(resultType)}`;
}

/** One for each dialect and version that is asked for. */
const environments = new Map<string, Environment>();

function environmentOf(dialect: string, minor: number): Environment {
  const key = `${dialect} ${minor}`;
  const known = environments.get(key);
  if (known !== undefined) return known;
  const device = structType(`${dialect}.DRADevice`);
  const fields = new Map<string, CelType>([
    ["driver", STRING],
    ["attributes", mapOf(STRING, mapOf(STRING, DYN))],
    ["capacity", mapOf(STRING, mapOf(STRING, opaqueType(`${dialect}.Quantity`)))],
  ]);
  const declaration: StructDeclaration = {
    type: device,
    field: (name) => fields.get(name),
    fieldNames: () => fields.keys(),
  };
  const made = apiEnvironment({ minor, namespace: dialect }).withVariables(
    [{ name: "device", type: device }],
    [declaration],
  );
  environments.set(key, made);
  return made;
}
