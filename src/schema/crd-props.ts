// JSONSchemaProps: the schema of a custom resource as its definition carries it (openAPIV3Schema), already shaped by
// the definition's own schema, so that types need no more checking here.

import { type Json, setKey } from "../base/json.ts";
import { keysInStep } from "../base/json-in-steps.ts";
import { Pace, type Steps } from "../base/steps.ts";
import { keysOf } from "../base/wide-keys.ts";

export interface Props {
  readonly id?: string;
  readonly $schema?: string;
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly title?: string;
  readonly default?: Json;
  readonly maximum?: number | bigint;
  readonly exclusiveMaximum?: boolean;
  readonly minimum?: number | bigint;
  readonly exclusiveMinimum?: boolean;
  readonly maxLength?: number | bigint;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly maxItems?: number | bigint;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly multipleOf?: number | bigint;
  readonly enum?: readonly Json[];
  readonly maxProperties?: number | bigint;
  readonly minProperties?: number;
  readonly required?: readonly string[];
  readonly items?: Props | readonly Props[];
  readonly allOf?: readonly Props[];
  readonly oneOf?: readonly Props[];
  readonly anyOf?: readonly Props[];
  readonly not?: Props;
  readonly properties?: Readonly<Record<string, Props>>;
  readonly additionalProperties?: Props | boolean;
  readonly patternProperties?: Readonly<Record<string, Props>>;
  readonly dependencies?: Readonly<Record<string, Props | readonly string[]>>;
  readonly additionalItems?: Props | boolean;
  readonly definitions?: Readonly<Record<string, Props>>;
  readonly externalDocs?: Json;
  readonly example?: Json;
  readonly nullable?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-validations"?: readonly PropsRule[];
}

/** So many levels of a schema are looked at in one step. */
export const LEVELS_PER_STEP = 60;

export interface PropsRule {
  readonly rule?: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** The one schema of all items; undefined when there is none or when there are several. */
export function itemsOf(props: Props): Props | undefined {
  const { items } = props;
  return items === undefined || isList(items) ? undefined : items;
}

/** The schemas of single items, which no structural schema has. */
export function tupleOf(props: Props): readonly Props[] {
  const { items } = props;
  return items !== undefined && isList(items) ? items : [];
}

function isList(items: Props | readonly Props[]): items is readonly Props[] {
  return Array.isArray(items);
}

/** The schema of the values of a map; undefined when there is none or when it says only true or false. */
export function additionalOf(props: Props): Props | undefined {
  const additional = props.additionalProperties;
  return typeof additional === "object" ? additional : undefined;
}

/** The names of all properties, which are user text. */
export function propertyNamesOf({ properties }: Props): readonly string[] {
  return properties === undefined ? NO_NAMES : keysOf(properties);
}

/** The same, and a turn after them where they are many. */
export function* propertyNamesInStep({ properties }: Props): Steps<readonly string[]> {
  return properties === undefined ? NO_NAMES : yield* keysInStep(properties);
}

const NO_NAMES: readonly string[] = [];

/** [name, schema] of every property; names are user text. The entries of a large map take longer to find one by one. */
export function propertiesOf(props: Props): [string, Props][] {
  return propertyNamesOf(props).map((name) => [name, props.properties![name]!]);
}

export function propertyOf(props: Props, name: string): Props | undefined {
  const { properties } = props;
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

export function hasProperties(props: Props): boolean {
  for (const _name in props.properties) return true;
  return false;
}

/** The schema of a definition of old, of which no object prunes anything. */
export function* keepingUnknown(props: Props, pace = new Pace(LEVELS_PER_STEP)): Steps<Props> {
  if (pace.due()) yield;
  const items = itemsOf(props);
  const additional = additionalOf(props);
  const properties: Record<string, Props> = {};
  for (const name of yield* propertyNamesInStep(props))
    setKey(properties, name, yield* keepingUnknown(props.properties![name]!, pace));
  return {
    ...props,
    ...(items === undefined ? {} : { items: yield* keepingUnknown(items, pace) }),
    ...(additional === undefined ? {} : { additionalProperties: yield* keepingUnknown(additional, pace) }),
    ...(props.properties === undefined ? {} : { properties }),
    ...(props.type === "object" && additional === undefined ? { "x-kubernetes-preserve-unknown-fields": true } : {}),
  };
}
