// A configuration file of the server: one object in YAML, of a known kind and version, shaped by its schema.

import { isObject } from "../base/json.ts";
import type { Names } from "../meta/names.ts";
import type { Struct } from "../schema/builder.ts";
import { conform } from "../schema/conform.ts";
import { decodeYaml } from "./yaml.ts";

interface ConfigKind<T> {
  readonly kind: string;
  /** Of the group of configuration files; the first is the one that messages name. */
  readonly versions: readonly string[];
  readonly schema: Struct<T>;
}

/** Fails with an Error that says what is wrong. */
export function decodeConfigFile<T>(bytes: Uint8Array, { kind, versions, schema }: ConfigKind<T>, names: Names): T {
  const value = readYaml(bytes);
  if (!isObject(value)) throw new Error(`an ${kind} object is expected`);
  const group = names.group("apiserver.config");
  const { apiVersion, kind: given } = value;
  if (!versions.some((version) => apiVersion === `${group}/${version}`) || given !== kind) {
    const found = `${String(apiVersion ?? "")} ${String(given ?? "")}`;
    throw new Error(`apiVersion and kind must be ${group}/${versions[0]} and ${kind}, not ${found}`);
  }
  const { value: shaped, unknown } = conform(value, schema, { unknownFields: "collect", gate: () => true });
  if (unknown.length > 0) throw new Error(unknown.join(", "));
  return shaped as T;
}

function readYaml(bytes: Uint8Array): unknown {
  try {
    const { value, duplicates } = decodeYaml(bytes);
    if (duplicates.length > 0) throw new Error(duplicates.join("; "));
    return value;
  } catch (error) {
    throw new Error(`not readable as YAML: ${(error as Error).message}`);
  }
}
