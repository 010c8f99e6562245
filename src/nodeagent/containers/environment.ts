// The environment of a container, from its own variables, ConfigMaps, Secrets, fields of the pod, files of its volumes, and
// services.

import type { Container } from "../../kinds/core/pod/container.ts";
import type { EnvVarSource, FileKeySelector } from "../../kinds/core/pod/env.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { cutText } from "../../meta/quoted.ts";
import { expandVariables } from "./expand-variables.ts";
import { FactError, type PodAddresses, podField, resourceField } from "./pod-facts.ts";
import { MAX_VARIABLE_BYTES, MAX_VARIABLE_NAME_BYTES, VariableFileError, variableOf } from "./variable-file.ts";

/** The keys of a ConfigMap or Secret as bytes; undefined when there is no such object. */
export type KeysOf = (kind: "ConfigMap" | "Secret", name: string) => ReadonlyMap<string, Uint8Array> | undefined;

/** A file in a volume of the pod. */
export type VolumeFile = Pick<FileKeySelector, "volumeName" | "path">;

/** What a file holds. Fails with FactError where it cannot be read. */
export type TextOfFile = (file: VolumeFile) => string;

export interface EnvironmentFacts {
  readonly pod: Pod;
  readonly addresses: PodAddresses;
  /** What the node has for pods, for limits that are not set. */
  readonly allocatable: Readonly<Record<string, string>>;
  readonly services: ReadonlyMap<string, string>;
  readonly keysOf: KeysOf;
  /** Not given where values do not come from files. */
  readonly textOfFile?: TextOfFile | undefined;
}

/**
 * All variables by name. Later sources win: services, then `envFrom` in its order, then `env`. Fails with FactError
 * where something that is not optional is missing.
 */
export function environmentOf(
  container: Pick<Container, "name" | "env" | "envFrom" | "resources">,
  facts: EnvironmentFacts,
): Map<string, string> {
  const environment = new Map<string, string>();
  const lookup = (name: string): string | undefined => environment.get(name) ?? facts.services.get(name);
  for (const { prefix = "", configMapRef, secretRef } of container.envFrom ?? []) {
    if (configMapRef) addAll(environment, prefix, "ConfigMap", configMapRef, facts);
    if (secretRef) addAll(environment, prefix, "Secret", secretRef, facts);
  }
  for (const { name, value, valueFrom } of container.env ?? []) {
    const text = valueFrom ? sourceValue(valueFrom, container, facts) : expandVariables(value ?? "", lookup);
    if (text !== undefined) environment.set(name, text);
  }
  for (const [name, value] of facts.services) if (!environment.has(name)) environment.set(name, value);
  return environment;
}

/** What the environment of a container is read from. */
export function environmentSources({ env, envFrom }: Pick<Container, "env" | "envFrom">): {
  readonly configMaps: ReadonlySet<string>;
  readonly secrets: ReadonlySet<string>;
  readonly files: readonly VolumeFile[];
} {
  const configMaps = new Set<string>();
  const secrets = new Set<string>();
  const files: VolumeFile[] = [];
  for (const { configMapRef, secretRef } of envFrom ?? []) {
    if (configMapRef?.name) configMaps.add(configMapRef.name);
    if (secretRef?.name) secrets.add(secretRef.name);
  }
  for (const { valueFrom } of env ?? []) {
    if (valueFrom?.configMapKeyRef?.name) configMaps.add(valueFrom.configMapKeyRef.name);
    if (valueFrom?.secretKeyRef?.name) secrets.add(valueFrom.secretKeyRef.name);
    if (valueFrom?.fileKeyRef) files.push(valueFrom.fileKeyRef);
  }
  return { configMaps, secrets, files };
}

function addAll(
  environment: Map<string, string>,
  prefix: string,
  kind: "ConfigMap" | "Secret",
  { name = "", optional }: { name?: string; optional?: boolean },
  { keysOf }: EnvironmentFacts,
): void {
  const keys = keysOf(kind, name);
  if (keys === undefined) {
    if (optional) return;
    throw new FactError(`${kind.toLowerCase()} "${name}" not found`);
  }
  for (const [key, bytes] of keys) environment.set(prefix + key, textOf(bytes));
}

function sourceValue(
  source: EnvVarSource,
  container: Pick<Container, "name" | "resources">,
  facts: EnvironmentFacts,
): string | undefined {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = source;
  if (fieldRef) return podField(facts.pod, fieldRef.fieldPath, facts.addresses);
  if (resourceFieldRef) return resourceField(facts.pod, container, resourceFieldRef, facts.allocatable);
  if (configMapKeyRef) return keyValue("ConfigMap", configMapKeyRef, facts);
  if (secretKeyRef) return keyValue("Secret", secretKeyRef, facts);
  if (fileKeyRef && facts.textOfFile) return fileValue(fileKeyRef, facts.textOfFile);
  throw new FactError("the source of the variable is not supported on this node");
}

function keyValue(
  kind: "ConfigMap" | "Secret",
  { name = "", key, optional }: { name?: string; key: string; optional?: boolean },
  { keysOf, pod }: EnvironmentFacts,
): string | undefined {
  const keys = keysOf(kind, name);
  const bytes = keys?.get(key);
  if (bytes !== undefined) return textOf(bytes);
  if (optional) return undefined;
  if (keys === undefined) throw new FactError(`${kind.toLowerCase()} "${name}" not found`);
  throw new FactError(`couldn't find key ${key} in ${kind} ${pod.metadata.namespace}/${name}`);
}

/** The file must be there, also where it may lack the variable: who starts beside its writer waits for it. */
function fileValue({ key, optional = false, ...file }: FileKeySelector, textOfFile: TextOfFile): string | undefined {
  const named = `environment variable key ${JSON.stringify(cutText(key))}`;
  if (Buffer.byteLength(key) > MAX_VARIABLE_NAME_BYTES)
    throw new FactError(`${named} exceeds maximum length of ${MAX_VARIABLE_NAME_BYTES} characters`);
  const value = variableIn(file, key, textOfFile);
  if (Buffer.byteLength(value) > MAX_VARIABLE_BYTES)
    throw new FactError(`environment variable value for key ${JSON.stringify(key)} exceeds maximum size of 32KB`);
  if (value !== "") return value;
  if (optional) return undefined;
  throw new FactError(`${named} not found in file ${fileText(file)}`);
}

/** One without a value is as good as none. */
function variableIn(file: VolumeFile, key: string, textOfFile: TextOfFile): string {
  const text = textOfFile(file);
  try {
    return variableOf(text, key) ?? "";
  } catch (error) {
    if (error instanceof VariableFileError) throw unreadableFile(file, error.message);
    throw error;
  }
}

export const unreadableFile = (file: VolumeFile, why: string): FactError =>
  new FactError(`couldn't parse env file ${fileText(file)}: ${why}`);

const fileText = ({ volumeName, path }: VolumeFile): string =>
  `${JSON.stringify(cutText(path))} of the volume ${JSON.stringify(volumeName)}`;

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("utf8");
