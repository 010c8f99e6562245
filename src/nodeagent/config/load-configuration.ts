// The configuration as flags and files give it: the main file, then the drop-ins in the order of their names, then what
// flags say. Requirements: document 3, "Node-agent local files and sockets", "Configuration merge with --config-dir".

import { readdirSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { FeatureGates } from "../../base/feature-gates.ts";
import type { JsonObject } from "../../base/json.ts";
import { readSmallFileSync, UnfitFile } from "../../base/read-small-file.ts";
import { StartError } from "../../base/start-error.ts";
import { DecodeError } from "../../codec/decode-error.ts";
import { decodeYaml } from "../../codec/yaml.ts";
import { AGENT_CONFIGURATIONS, type Dialect } from "../../meta/names.ts";
import { completeStruct, usableStruct } from "../../options/complete-config.ts";
import type { FieldTable } from "../../options/config-fields.ts";
import type { GateName } from "../../options/feature-gate-table.ts";
import { ConfigError, readDocument } from "../../options/read-config.ts";
import { agentGates } from "./agent-gates.ts";
import { configurationFields, type NodeAgentConfiguration } from "./configuration.ts";
import { lockedFields } from "./gated-fields.ts";
import { mergeLayers } from "./merge-layers.ts";
import { type ConfigProblem, validateConfiguration } from "./validate-configuration.ts";

interface ConfigurationSources {
  /** Whose gates are known. */
  readonly dialect: Dialect;
  readonly config?: string | undefined;
  readonly configDir?: string | undefined;
  /** What flags say, in the form of a file. They win over files. */
  readonly flags?: JsonObject;
}

export interface LoadedConfiguration {
  readonly configuration: NodeAgentConfiguration;
  readonly gates: FeatureGates<GateName>;
  /** In the form of a file, defaults filled in. */
  readonly shown: JsonObject;
}

/** Drop-ins are the files of this ending, in the folder and those below it. */
const DROP_IN_ENDING = ".conf";
const MAX_FILE_BYTES = 16 * 1024 * 1024;

interface Layer {
  /** For messages: the flag and the file. */
  readonly source: string;
  readonly values: JsonObject;
}

/** Fails with StartError, which names flag, file and field. */
export function loadConfiguration({
  dialect,
  config,
  configDir,
  flags = {},
}: ConfigurationSources): LoadedConfiguration {
  const layers: Layer[] = [];
  if (config !== undefined) layers.push(readLayer("--config", config));
  if (configDir !== undefined) for (const file of dropIns(configDir)) layers.push(readLayer("--config-dir", file));
  layers.push({ source: "flags", values: flags });
  let merged: JsonObject = {};
  for (const { values } of layers) merged = mergeLayers(configurationFields, merged, values);
  // Thresholds that are named replace all defaults, unless they shall be added to them.
  if (merged["mergeDefaultEvictionSettings"] === true) {
    const { evictionHard } = completeStruct(configurationFields, {});
    merged = mergeLayers(configurationFields, { evictionHard }, merged);
  }
  merged = { ...defaultsOf(merged), ...merged };
  const shown = completeStruct(configurationFields, merged);
  const configuration = usableStruct(configurationFields, shown) as NodeAgentConfiguration;
  refuseFirst(layers, validateConfiguration(configuration));
  const gates = gatesOf(layers, configuration, dialect);
  refuseFirst(layers, lockedFields({ configuration, shown }, gates));
  return { configuration, gates, shown };
}

/** What fields are by default because of others. */
function defaultsOf({ nodeStatusUpdateFrequency, maxParallelImagePulls }: JsonObject): JsonObject {
  return {
    // Who wants to look more often wants to hear of it, too.
    ...(nodeStatusUpdateFrequency === undefined ? {} : { nodeStatusReportFrequency: nodeStatusUpdateFrequency }),
    ...(typeof maxParallelImagePulls === "number" && maxParallelImagePulls > 1 ? { serializeImagePulls: false } : {}),
  };
}

function refuseFirst(layers: readonly Layer[], problems: Iterable<ConfigProblem>): void {
  const [first] = problems;
  if (first !== undefined) throw new StartError(`${sourceOf(layers, first.field)}: ${first.field}: ${first.problem}`);
}

function gatesOf(
  layers: readonly Layer[],
  { featureGates }: NodeAgentConfiguration,
  dialect: Dialect,
): FeatureGates<GateName> {
  try {
    return agentGates(featureGates, dialect);
  } catch (error) {
    if (error instanceof ConfigError) throw new StartError(`${sourceOf(layers, "featureGates")}: ${error.message}`);
    throw error;
  }
}

function readLayer(flag: string, file: string): Layer {
  const source = `${flag}: ${file}`;
  try {
    const bytes = readSmallFileSync(file, MAX_FILE_BYTES);
    return { source, values: withWholePaths(configurationFields, readConfiguration(bytes), dirname(resolve(file))) };
  } catch (error) {
    if (
      error instanceof ConfigError ||
      error instanceof DecodeError ||
      error instanceof UnfitFile ||
      isSystemError(error)
    )
      throw new StartError(`${source}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** Paths of a file count from its folder. */
function withWholePaths(fields: FieldTable, layer: JsonObject, folder: string): JsonObject {
  const whole: JsonObject = { ...layer };
  for (const [name, value] of Object.entries(layer)) {
    const field = fields[name]!;
    if (field.type === "struct") whole[name] = withWholePaths(field.fields, value as JsonObject, folder);
    else if (field.isPath && isRelative(value as string)) whole[name] = join(folder, value as string);
  }
  return whole;
}

const isRelative = (path: string): boolean => path !== "" && !isAbsolute(path);

/** What a file says. Fails with ConfigError or DecodeError. */
function readConfiguration(bytes: Uint8Array): JsonObject {
  return readDocument(decodeYaml(bytes), AGENT_CONFIGURATIONS, configurationFields);
}

/** In the order of their paths, folder by folder. */
function dropIns(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((entry) => {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) return dropIns(path);
        return entry.name.endsWith(DROP_IN_ENDING) ? [path] : [];
      });
  } catch (error) {
    if (isSystemError(error)) throw new StartError(`--config-dir: ${error.message}`, { cause: error });
    throw error;
  }
}

/** The last layer that says something about a field: its value is the one at fault. */
function sourceOf(layers: readonly Layer[], field: string): string {
  const top = /^[^.[]*/.exec(field)?.[0] ?? field;
  const layer = layers.findLast(({ values }) => Object.hasOwn(values, top)) ?? layers[0];
  return layer?.source ?? "configuration";
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}
