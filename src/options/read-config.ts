// What one file says, checked against the declaration: unknown fields, repeated ones and values of a wrong type are refused
// with the field named. A layer holds only what the file says; null says nothing.

import { isObject, type Json, type JsonObject, setKey } from "../base/json.ts";
import { parseDuration } from "../meta/duration.ts";
import type { Field, FieldTable } from "./config-fields.ts";

/** A value is not what its field holds. The message begins with the path of the field. */
export class ConfigError extends Error {
  constructor(path: string, problem: string) {
    super(path === "" ? problem : `${path}: ${problem}`);
    this.name = "ConfigError";
  }
}

/** What a whole file may call itself. */
interface ConfigType {
  readonly apiVersion: string;
  readonly kind: string;
}

interface ConfigDocument {
  readonly value: Json | undefined;
  /** Fields that stand in it twice, as messages. */
  readonly duplicates: readonly string[];
}

/** What a file says beside its apiVersion and kind, which must be one of `types`. Fails with ConfigError. */
export function readDocument(
  { value, duplicates }: ConfigDocument,
  types: readonly ConfigType[],
  fields: FieldTable,
): JsonObject {
  if (!isObject(value)) throw new ConfigError("", "holds no configuration: expected apiVersion, kind and fields");
  const { apiVersion, kind, ...given } = value;
  const kinds = [...new Set(types.map((each) => each.kind))].join(" or ");
  const known = types.filter((each) => each.kind === kind).map((each) => each.apiVersion);
  if (known.length === 0) throw new ConfigError("kind", `${JSON.stringify(kind) ?? "nothing"} is not ${kinds}`);
  if (!known.some((each) => each === apiVersion))
    throw new ConfigError("apiVersion", `${JSON.stringify(apiVersion) ?? "nothing"} is not ${known.join(" or ")}`);
  if (duplicates[0] !== undefined) throw new ConfigError("", duplicates[0]);
  return readStruct(fields, given, "");
}

/** What an object says of the fields. Fails with ConfigError, which begins with the path. */
export function readStruct(fields: FieldTable, value: Json | undefined, path: string): JsonObject {
  const object = asObject(value, path);
  const layer: JsonObject = {};
  for (const [name, given] of Object.entries(object)) {
    const at = path === "" ? name : `${path}.${name}`;
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field === undefined) throw new ConfigError(clip(at), "unknown field");
    if (given !== null && given !== undefined) layer[name] = readValue(field, given, at);
  }
  return layer;
}

function readValue(field: Field, value: Json, path: string): Json {
  switch (field.type) {
    case "struct":
      return readStruct(field.fields, value, path);
    case "json":
      return value;
    case "map": {
      const map: JsonObject = {};
      for (const [key, each] of Object.entries(asObject(value, path)))
        setKey(map, key, readValue(field.of, each ?? null, `${path}[${clip(key)}]`));
      return map;
    }
    case "list":
      if (!Array.isArray(value)) throw wrongType(path, value, "a list");
      return value.map((each, index) => readValue(field.of, each, `${path}[${index}]`));
    case "duration":
      if (typeof value !== "string") throw wrongType(path, value, 'a duration such as "10s"');
      if (typeof parseDuration(value) === "string")
        throw new ConfigError(path, `${shown(value)} is not a duration such as 90s, 5m or 1h30m`);
      return value;
    case "string":
      if (typeof value !== "string") throw wrongType(path, value, "a text");
      if (value === "" && field.emptyIsUnset) return value;
      if (field.choices !== undefined && !field.choices.includes(value))
        throw new ConfigError(path, `${shown(value)} is not one of ${field.choices.map(shown).join(", ")}`);
      return value;
    case "bool":
      if (typeof value !== "boolean") throw wrongType(path, value, "true or false");
      return value;
    case "int":
      if (!Number.isSafeInteger(value)) throw wrongType(path, value, "a whole number");
      return value;
    case "number":
      if (typeof value !== "number") throw wrongType(path, value, "a number");
      return value;
  }
}

function asObject(value: Json | undefined, path: string): JsonObject {
  if (!isObject(value)) throw wrongType(path, value ?? null, "fields with values");
  return value;
}

function wrongType(path: string, value: Json, expected: string): ConfigError {
  const found =
    isObject(value) || Array.isArray(value) ? (Array.isArray(value) ? "a list" : "an object") : shown(value);
  return new ConfigError(path, `expected ${expected}, found ${found}`);
}

const MAX_SHOWN_CHARS = 100;

const clip = (text: string): string => (text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}...` : text);

function shown(value: Json): string {
  return clip(typeof value === "bigint" ? String(value) : JSON.stringify(value));
}
