// Every field and item that value-only validation speaks of must be specified outside of it too.

import type { Pace, Steps } from "../base/steps.ts";
import { type FieldError, required } from "../meta/field-error.ts";
import { itemsOf, type Props, propertiesOf, propertyOf } from "./crd-props.ts";

export function* completenessErrors(props: Props, at: string, pace: Pace): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  for (const found of junctors(props, props, at, at)) {
    if (pace.due()) yield;
    if (found !== undefined) errors.push(found);
  }
  return errors;
}

/** What is missing, or nothing, for each schema that is looked at. */
type Findings = Generator<FieldError | undefined>;

/** `logic` stands at `logicAt` and is about the values that `schema`, at `schemaAt`, describes. */
function* junctors(logic: Props, schema: Props, schemaAt: string, logicAt: string): Findings {
  if (logic.not !== undefined) yield* nested(logic.not, schema, schemaAt, `${logicAt}.not`);
  for (const name of ["allOf", "anyOf", "oneOf"] as const) {
    for (const [i, each] of (logic[name] ?? []).entries()) {
      yield* nested(each, schema, schemaAt, `${logicAt}.${name}[${i}]`);
    }
  }
}

function* nested(logic: Props, schema: Props | undefined, schemaAt: string, logicAt: string): Findings {
  if (schema === undefined) {
    yield required(schemaAt, `because it is defined in ${logicAt}`);
    return;
  }
  yield;
  yield* junctors(logic, schema, schemaAt, logicAt);
  const items = itemsOf(logic);
  if (items !== undefined) yield* nested(items, itemsOf(schema), `${schemaAt}.items`, `${logicAt}.items`);
  for (const [name, property] of propertiesOf(logic)) {
    const path = `.properties[${name}]`;
    yield* nested(property, propertyOf(schema, name), schemaAt + path, logicAt + path);
  }
}
