// Places of lists and maps in a schema, and values to fill them with: half of the entries are different, half are equal, so
// that looking for one and telling of the other both show.

import { setKey } from "../../src/base/json.ts";
import type { Field, Schema, StructSchema } from "../../src/schema/schema.ts";

export interface Place {
  /** Names and, for lists and maps on the way, `[]`. */
  readonly path: readonly string[];
  readonly schema: Extract<Schema, { type: "list" | "map" }>;
  /** The struct that it is a field of. */
  readonly parent: StructSchema | undefined;
}

const MAX_PATH = 16;

/** Every list and map of the schema, recursion followed once. */
export function* placesOf(schema: Schema, isSkipped: (path: string) => boolean): Generator<Place> {
  yield* visit(schema, [], [], isSkipped);
}

function* visit(
  schema: Schema,
  path: readonly string[],
  above: readonly Schema[],
  isSkipped: (path: string) => boolean,
): Generator<Place> {
  if (above.includes(schema) || path.length > MAX_PATH || isSkipped(path.join("."))) return;
  const inside = [...above, schema];
  if (schema.type === "struct") {
    for (const each of schema.fields.values()) yield* visit(each.schema, [...path, each.name], inside, isSkipped);
  } else if (schema.type === "list" || schema.type === "map") {
    const parent = above.at(-1);
    yield { path, schema, parent: parent?.type === "struct" ? parent : undefined };
    const inner = schema.type === "list" ? schema.items : schema.values;
    yield* visit(inner, [...path, "[]"], inside, isSkipped);
  }
}

/**
 * How much is filled. empty: nothing of each entry, which is a mistake nearly everywhere; sparse: of each entry what tells it
 * apart; siblings: the same, and the lists beside the place too, since some are compared with each other; parts: of each entry
 * and of the structs in it what tells them apart, so that most of it is right; full: all there is of each entry to a depth of
 * three.
 */
export type Filling = "empty" | "sparse" | "siblings" | "parts" | "full";

/** The fillings that show something at the place. */
export function fillingsOf(place: Place): readonly Exclude<Filling, "empty">[] {
  const fillings: Exclude<Filling, "empty">[] = ["sparse"];
  if (siblingsOf(place).length > 0) fillings.push("siblings");
  if (holdsParts(place.schema)) fillings.push("parts");
  if (!place.path.includes("[]") && holdsStructs(place.schema)) fillings.push("full");
  return fillings;
}

export function holdsStructs(schema: Place["schema"]): boolean {
  return entrySchema(schema).type === "struct";
}

/** Structs in the structs that it holds. */
function holdsParts(schema: Place["schema"]): boolean {
  const entry = entrySchema(schema);
  return entry.type === "struct" && [...entry.fields.values()].some((field) => field.schema.type === "struct");
}

const entrySchema = (schema: Place["schema"]): Schema => (schema.type === "list" ? schema.items : schema.values);

/** Lists of texts beside a list of texts. */
function siblingsOf({ schema, parent, path }: Place): readonly Field[] {
  if (holdsStructs(schema) || parent === undefined) return [];
  return [...parent.fields.values()].filter(
    (field) => field.name !== path.at(-1) && field.schema.type === "list" && field.schema.items.type === "scalar",
  );
}

/** The object with `size` entries at the place. What stands on the way there has one entry. */
export function filledObject(
  base: object,
  root: StructSchema,
  place: Place,
  size: number,
  filling: Filling,
): Record<string, unknown> {
  let object = put(base, root, place.path, size, filling);
  if (filling === "siblings") {
    for (const { name } of siblingsOf(place))
      object = put(object, root, [...place.path.slice(0, -1), name], size, filling);
  }
  return object as Record<string, unknown>;
}

function put(current: unknown, schema: Schema, path: readonly string[], size: number, filling: Filling): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return entries(schema, size, filling);
  if (schema.type === "struct") {
    const object: Record<string, unknown> = { ...(current as object | undefined) };
    setKey(object, step, put(object[step], schema.fields.get(step)!.schema, rest, size, filling));
    return object;
  }
  if (schema.type === "list") {
    const [first, ...others] = (current as unknown[] | undefined) ?? [];
    return [put(first ?? entryOf(schema.items, 0, "sparse", 0), schema.items, rest, size, filling), ...others];
  }
  if (schema.type === "map") return { k: put(undefined, schema.values, rest, size, filling) };
  return current;
}

function entries(schema: Schema, size: number, filling: Filling): unknown {
  if (schema.type === "map") {
    const map: Record<string, unknown> = {};
    for (let index = 0; index < size; index++) map[`k${index}`] = entryOf(schema.values, index, filling, 0);
    return map;
  }
  const items = schema.type === "list" ? schema.items : schema;
  return Array.from({ length: size }, (_, index) => entryOf(items, index % 2 === 0 ? index : 1, filling, 0));
}

const MAX_FILLED_DEPTH = 3;

function entryOf(schema: Schema, index: number, filling: Filling, depth: number): unknown {
  switch (schema.type) {
    case "scalar":
      return scalarOf(schema, index);
    case "any":
      return {};
    case "map":
      return filling === "full" && depth < MAX_FILLED_DEPTH
        ? { [`k${index}`]: entryOf(schema.values, index, filling, depth + 1) }
        : {};
    case "list":
      return filling === "full" && depth < MAX_FILLED_DEPTH ? [entryOf(schema.items, index, filling, depth + 1)] : [];
    case "struct": {
      const object: Record<string, unknown> = {};
      if (filling === "empty") return object;
      for (const field of schema.fields.values()) {
        if (isFilled(field, schema, filling, depth))
          setKey(object, field.name, entryOf(field.schema, index, filling, depth + 1));
      }
      return object;
    }
  }
}

function isFilled(field: Field, struct: StructSchema, filling: Filling, depth: number): boolean {
  if (filling === "full") return depth < MAX_FILLED_DEPTH;
  const { type } = field.schema;
  if (type === "struct") return filling === "parts" && depth < MAX_FILLED_DEPTH;
  return type === "scalar" && isTelling(field, struct);
}

/** A name, a key, a port: something that validation compares with that of other entries. */
function isTelling(field: Field, struct: StructSchema): boolean {
  if (/^(name|key|uid|ip|port|containerPort|mountPath|devicePath|type|request|path)$/.test(field.name)) return true;
  return field.required || struct.fields.size <= 4;
}

function scalarOf(schema: Extract<Schema, { type: "scalar" }>, index: number): unknown {
  switch (schema.scalar) {
    case "string":
      return schema.enum?.[index % schema.enum.length] ?? `x${index}`;
    case "boolean":
      return true;
    case "int32":
    case "int64":
    case "double":
    case "intOrString":
      return index + 1;
    case "bytes":
      return Buffer.from(`x${index}`).toString("base64");
    case "quantity":
      return String(index);
    case "time":
      return "2030-01-01T00:00:00Z";
    case "microTime":
      return "2030-01-01T00:00:00.000000Z";
    case "duration":
      return "1s";
  }
}
