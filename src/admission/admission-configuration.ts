// The file of --admission-control-config-file: settings of plug-ins, inside it or in files that it names.

import { dirname, resolve } from "node:path";
import { getKey, isObject, type JsonObject } from "../base/json.ts";
import { readSmallFileSync } from "../base/read-small-file.ts";
import { StartError } from "../base/start-error.ts";
import type { ReadFile } from "../base/start-files.ts";
import { decodeYaml } from "../codec/yaml.ts";
import type { EventLimit, LimitType } from "./event-rate-limit.ts";

const LIMIT_TYPES: readonly string[] = ["Server", "Namespace", "User", "SourceAndObject"];
const DEFAULT_CACHE_SIZE = 4096;
const MAX_CACHE_SIZE = 1_000_000;
const FLAG = "--admission-control-config-file";

/** Plug-ins that upstream has settings of: what they would refuse, or show to others, must not be left away in silence. */
const UNREAD: ReadonlySet<string> = new Set([
  "MutatingAdmissionWebhook",
  "ResourceQuota",
  "ValidatingAdmissionWebhook",
]);

/** The settings of the plug-ins by name. Fails with StartError, naming file and field. */
export function readAdmissionConfiguration(
  file: string | undefined,
  readStartFile: ReadFile = readSmallFileSync,
): ReadonlyMap<string, JsonObject> {
  const settings = new Map<string, JsonObject>();
  if (file === undefined) return settings;
  const plugins = getKey(readObject(file, readStartFile), "plugins");
  if (!Array.isArray(plugins)) throw new StartError(`${FLAG} ${file}: plugins: must be a list`);
  plugins.forEach((plugin, index) => {
    const at = `${FLAG} ${file}: plugins[${index}]`;
    if (!isObject(plugin) || typeof plugin["name"] !== "string") throw new StartError(`${at}.name: must be a text`);
    const { name, path, configuration } = plugin;
    if (UNREAD.has(name)) throw new StartError(`${at}: this server has no settings of ${name}`);
    if (isObject(configuration)) settings.set(name, configuration);
    else if (typeof path === "string" && path !== "")
      settings.set(name, readObject(resolve(dirname(file), path), readStartFile));
    else throw new StartError(`${at}: needs a configuration or a path`);
  });
  return settings;
}

export function readEventLimits(settings: JsonObject | undefined): EventLimit[] {
  if (settings === undefined)
    throw new StartError(`EventRateLimit needs limits: name a file with ${FLAG} that holds them`);
  const limits = settings["limits"];
  if (!Array.isArray(limits) || limits.length === 0)
    throw new StartError(`${FLAG}: EventRateLimit: limits: must have at least one limit`);
  return limits.map((limit, index) => {
    const at = `${FLAG}: EventRateLimit: limits[${index}]`;
    const { type, qps, burst, cacheSize = DEFAULT_CACHE_SIZE } = isObject(limit) ? limit : {};
    if (typeof type !== "string" || !LIMIT_TYPES.includes(type))
      throw new StartError(`${at}.type: must be one of ${LIMIT_TYPES.join(", ")}`);
    return {
      type: type as LimitType,
      qps: positive(qps, `${at}.qps`),
      burst: positive(burst, `${at}.burst`),
      cacheSize: Math.min(positive(cacheSize, `${at}.cacheSize`), MAX_CACHE_SIZE),
    };
  });
}

function positive(value: unknown, at: string): number {
  if (typeof value === "number" && Number.isInteger(value) && value > 0) return value;
  throw new StartError(`${at}: must be a positive whole number`);
}

function readObject(file: string, readStartFile: ReadFile): JsonObject {
  let value: unknown;
  try {
    value = decodeYaml(readStartFile(file)).value;
  } catch (error) {
    throw new StartError(`${FLAG} ${file}: ${(error as Error).message}`);
  }
  if (!isObject(value)) throw new StartError(`${FLAG} ${file}: must hold an object`);
  return value;
}
