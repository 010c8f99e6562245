// The environment of a container, from its own variables, ConfigMaps, Secrets, fields of the pod, and services.

import type { Container } from "../../kinds/core/pod/container.ts";
import type { EnvVarSource } from "../../kinds/core/pod/env.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { expandVariables } from "./expand-variables.ts";
import { FactError, type PodAddresses, podField, resourceField } from "./pod-facts.ts";

/** The keys of a ConfigMap or Secret as bytes; undefined when there is no such object. */
export type KeysOf = (kind: "ConfigMap" | "Secret", name: string) => ReadonlyMap<string, Uint8Array> | undefined;

export interface EnvironmentFacts {
  readonly pod: Pod;
  readonly addresses: PodAddresses;
  /** What the node has for pods, for limits that are not set. */
  readonly allocatable: Readonly<Record<string, string>>;
  readonly services: ReadonlyMap<string, string>;
  readonly keysOf: KeysOf;
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

/** Which ConfigMaps and Secrets the environment of a container is read from. */
export function environmentSources({ env, envFrom }: Pick<Container, "env" | "envFrom">): {
  readonly configMaps: ReadonlySet<string>;
  readonly secrets: ReadonlySet<string>;
} {
  const configMaps = new Set<string>();
  const secrets = new Set<string>();
  for (const { configMapRef, secretRef } of envFrom ?? []) {
    if (configMapRef?.name) configMaps.add(configMapRef.name);
    if (secretRef?.name) secrets.add(secretRef.name);
  }
  for (const { valueFrom } of env ?? []) {
    if (valueFrom?.configMapKeyRef?.name) configMaps.add(valueFrom.configMapKeyRef.name);
    if (valueFrom?.secretKeyRef?.name) secrets.add(valueFrom.secretKeyRef.name);
  }
  return { configMaps, secrets };
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
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = source;
  if (fieldRef) return podField(facts.pod, fieldRef.fieldPath, facts.addresses);
  if (resourceFieldRef) return resourceField(facts.pod, container, resourceFieldRef, facts.allocatable);
  if (configMapKeyRef) return keyValue("ConfigMap", configMapKeyRef, facts);
  if (secretKeyRef) return keyValue("Secret", secretKeyRef, facts);
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

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("utf8");
