// Pruning of custom resources: fields that the schema does not name are dropped and reported with their paths.
// Requirements: document 1, "Field validation".

import { keysInStep } from "../base/json-in-steps.ts";
import { atOnce, Pace, type Steps } from "../base/steps.ts";
import { type Schema, type StructSchema, schemaFor } from "./schema.ts";
import { compareByBytes } from "./sorted-keys.ts";
import { MAX_DEPTH, ShapeError } from "./walk.ts";

/**
 * Changes `object` in place. The root keeps apiVersion, kind and metadata, whatever the schema says of them: they are
 * shaped as every object's metadata. Answers `unknown field "spec.bogus"` for each field dropped, ordered by path.
 */
export function* prune(object: Record<string, unknown>, schema: StructSchema): Steps<string[]> {
  const walk: PruneWalk = { path: [], unknown: [], pace: new Pace(VALUES_PER_STEP) };
  yield* pruneValue(object, asRoot(schema), walk, 0);
  return walk.unknown.sort(compareByBytes).map((path) => `unknown field ${JSON.stringify(path)}`);
}

/** The same for a part of an object, without the root's exception and without report. */
export function pruneInner(value: object, schema: Schema): void {
  atOnce(pruneValue(value, schema, { path: [], unknown: [], pace: new Pace(VALUES_PER_STEP) }, 0));
}

const VALUES_PER_STEP = 4_000;

interface PruneWalk {
  /** Where the walk is; what stands at a depth below is of places that it has left. Texts are made only of what is found. */
  readonly path: (string | number)[];
  readonly unknown: string[];
  readonly pace: Pace;
}

function reportUnknown({ path, unknown }: PruneWalk, depth: number): void {
  let text = "";
  for (let i = 0; i <= depth; i++) {
    const part = path[i]!;
    if (typeof part === "number") text += `[${part}]`;
    else text += text === "" ? part : `.${part}`;
  }
  unknown.push(text);
}

const META_FIELDS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

function asRoot(schema: StructSchema): StructSchema {
  if (schema.embedded) return schema;
  let root = ROOTS.get(schema);
  if (root === undefined) {
    root = { ...schema, members: schema.members, fields: schema.fields, embedded: true };
    ROOTS.set(schema, root);
  }
  return root;
}

const ROOTS = new WeakMap<StructSchema, StructSchema>();

/**
 * Without a schema nothing is known: objects lose all their fields. `open`: the list around says that its items keep
 * theirs.
 */
function* pruneValue(
  value: object,
  schema: Schema | undefined,
  walk: PruneWalk,
  depth: number,
  open = false,
): Steps<void> {
  if (depth > MAX_DEPTH) throw new ShapeError("exceeded max depth", "");
  const keeps = open || keepsUnknown(schema);
  const declared = schema && schemaFor(value, schema);
  if (!Array.isArray(value)) {
    yield* pruneObject(value as Record<string, unknown>, declared, walk, depth, keeps);
    return;
  }
  const items = declared?.type === "list" ? declared.items : undefined;
  if (keeps && items === undefined) return;
  for (let index = 0; index < value.length; index++) {
    if (walk.pace.due()) yield;
    const item: unknown = value[index];
    walk.path[depth] = index;
    if (typeof item === "object" && item !== null) yield* pruneValue(item, items, walk, depth + 1, keeps);
  }
}

function keepsUnknown(schema: Schema | undefined): boolean {
  if (schema?.type === "any") return !schema.pruned;
  if (schema?.type !== "struct" && schema?.type !== "map" && schema?.type !== "list") return false;
  return schema.preserveUnknown === true;
}

function* pruneObject(
  object: Record<string, unknown>,
  schema: Schema | undefined,
  walk: PruneWalk,
  depth: number,
  keeps: boolean,
): Steps<void> {
  const struct = schema?.type === "struct" ? schema : undefined;
  const others = schema?.type === "map" ? schema.values : struct?.additional;
  if (keeps && struct === undefined && others === undefined) return;
  for (const key of yield* keysInStep(object)) {
    if (walk.pace.due()) yield;
    if (struct?.embedded && META_FIELDS.has(key)) continue;
    const known = struct?.fields.get(key)?.schema ?? others;
    if (known === undefined && keeps) continue;
    walk.path[depth] = key;
    if (known !== undefined) {
      const member = object[key];
      if (typeof member === "object" && member !== null) yield* pruneValue(member, known, walk, depth + 1);
    } else {
      reportUnknown(walk, depth);
      delete object[key];
    }
  }
}
