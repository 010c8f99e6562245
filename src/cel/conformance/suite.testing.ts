// Reads the cases of the public conformance suite: declarations, bindings and expected values in our own types.

import type { Type } from "@bufbuild/cel-spec/cel/expr/checked_pb.js";
import type { Value } from "@bufbuild/cel-spec/cel/expr/value_pb.js";
import {
  getConformanceSuite,
  type IncrementalTest,
  type IncrementalTestSuite,
} from "@bufbuild/cel-spec/testdata/tests.js";
import { globalOverload, type Library, memberOverload, type Overload } from "../declarations.ts";
import type { Variable } from "../environment.ts";
import { noSuchOverload } from "../errors.ts";
import { LiteralMap } from "../operations/maps.ts";
import { intOf, uintOf } from "../operations/numbers.ts";
import {
  BOOL,
  BYTES,
  CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  opaqueType,
  STRING,
  TIMESTAMP,
  typeOfType,
  typeParam,
  UINT,
} from "../types.ts";
import { CelDouble, type CelValue } from "../values.ts";
import { registry, unpack } from "./message-values.testing.ts";
import { messageType, wrapperOf } from "./messages.testing.ts";

export type ConformanceCase = IncrementalTest & {
  /** Suite, section and name. */
  readonly title: string;
  readonly suite: string;
};

export function conformanceCases(): ConformanceCase[] {
  const cases: ConformanceCase[] = [];
  const visit = (suite: IncrementalTestSuite, path: string[]): void => {
    for (const test of suite.tests) {
      cases.push({ ...test, title: [...path, test.name].join("/"), suite: path[0] ?? "" });
    }
    for (const inner of suite.suites) visit(inner, [...path, inner.name]);
  };
  for (const suite of getConformanceSuite().suites) visit(suite, [suite.name]);
  return cases;
}

/** The declared and the bound variables of a case; undefined when one of them has an unknown type. */
export function variablesOf(test: IncrementalTest): Variable[] | undefined {
  const variables = new Map<string, Variable>();
  for (const name of Object.keys(test.original.bindings)) variables.set(name, { name, type: DYN, adapt: identity });
  for (const declaration of test.original.typeEnv) {
    if (declaration.declKind.case !== "ident") continue;
    const type = readType(declaration.declKind.value.type);
    if (type === undefined) return undefined;
    variables.set(declaration.name, { name: declaration.name, type, adapt: identity });
  }
  return [...variables.values()];
}

/** The functions that a case declares; they have no implementation, so such cases only check. */
export function functionsOf(test: IncrementalTest): Library {
  const functions = test.original.typeEnv.flatMap((declaration) => {
    if (declaration.declKind.case !== "function") return [];
    const overloads = declaration.declKind.value.overloads.map((overload): Overload => {
      const declare = overload.isInstanceFunction ? memberOverload : globalOverload;
      const params = overload.params.map((param) => readType(param) ?? DYN);
      return declare(overload.overloadId, params, readType(overload.resultType) ?? DYN, noSuchOverload);
    });
    return [{ name: declaration.name, overloads }];
  });
  return { name: "functions of the case", functions };
}

export function bindingsOf(test: IncrementalTest): Record<string, CelValue> | undefined {
  const bindings: Record<string, CelValue> = {};
  for (const [name, bound] of Object.entries(test.original.bindings)) {
    const value = bound.kind.case === "value" ? readValue(bound.kind.value) : undefined;
    if (value === undefined) return undefined;
    bindings[name] = value;
  }
  return bindings;
}

/** Undefined for enums with a type of their own. */
export function readValue(value: Value): CelValue | undefined {
  const { kind } = value;
  switch (kind.case) {
    case "nullValue":
      return null;
    case "boolValue":
    case "stringValue":
    case "bytesValue":
      return kind.value;
    case "int64Value":
      return intOf(kind.value);
    case "uint64Value":
      return uintOf(kind.value);
    case "doubleValue":
      return new CelDouble(kind.value);
    case "typeValue":
      return TYPES.get(kind.value) ?? new CelType("opaque", kind.value);
    case "listValue": {
      const items = kind.value.values.map(readValue);
      return items.some((item) => item === undefined) ? undefined : items.map((item) => item ?? null);
    }
    case "mapValue": {
      const map = new LiteralMap();
      for (const entry of kind.value.entries) {
        const key = entry.key === undefined ? undefined : readValue(entry.key);
        const item = entry.value === undefined ? undefined : readValue(entry.value);
        if (key === undefined || item === undefined) return undefined;
        map.insert(key, item);
      }
      return map;
    }
    case "objectValue":
      return unpack(kind.value);
    default:
      return undefined;
  }
}

/** Undefined for types that the language does not have. */
export function readType(type: Type | undefined): CelType | undefined {
  const kind = type?.typeKind;
  switch (kind?.case) {
    case "dyn":
      return DYN;
    case "null":
      return NULL;
    case "primitive":
      return PRIMITIVES[kind.value];
    case "wrapper": {
      const primitive = PRIMITIVES[kind.value];
      return primitive === undefined ? undefined : wrapperOf(primitive);
    }
    case "wellKnown":
      return [undefined, DYN, TIMESTAMP, DURATION][kind.value];
    case "listType": {
      const element = readType(kind.value.elemType);
      return element === undefined ? undefined : listOf(element);
    }
    case "mapType": {
      const key = readType(kind.value.keyType);
      const value = readType(kind.value.valueType);
      return key === undefined || value === undefined ? undefined : mapOf(key, value);
    }
    case "messageType": {
      const desc = registry.getMessage(kind.value);
      return desc === undefined ? undefined : messageType(desc);
    }
    case "typeParam":
      return typeParam(kind.value);
    case "type": {
      const inner = readType(kind.value);
      return inner === undefined ? undefined : typeOfType(inner);
    }
    case "abstractType": {
      const params = kind.value.parameterTypes.map(readType);
      if (params.some((param) => param === undefined)) return undefined;
      return opaqueType(
        kind.value.name,
        params.map((param) => param ?? DYN),
      );
    }
    default:
      return undefined;
  }
}

const PRIMITIVES: readonly (CelType | undefined)[] = [undefined, BOOL, INT, UINT, DOUBLE, STRING, BYTES];

const TYPES = new Map(
  [BOOL, INT, UINT, DOUBLE, STRING, BYTES, NULL, TIMESTAMP, DURATION, DYN].map((type) => [type.name, type]),
);

function identity(raw: unknown): CelValue {
  return raw as CelValue;
}
