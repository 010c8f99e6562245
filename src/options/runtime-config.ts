// --runtime-config: which versions and resources are served. Requirements: document 1, "Versioning".

import { UsageError } from "../base/start-error.ts";
import { parseBool } from "../base/truth-words.ts";

export interface RuntimeConfig {
  /**
   * Whether a resource is served; the core group is "". The most exact setting wins: resource, version, level of
   * stability, api/all; without any, stable versions are on and the others off.
   */
  isServed(group: string, version: string, resource: string): boolean;
  /** Versions and resources that were named, for a check that they exist. */
  readonly named: readonly NamedSetting[];
}

interface NamedSetting {
  readonly key: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string | undefined;
}

type Level = "ga" | "beta" | "alpha";

/** Fails with UsageError on a key or value of another shape. */
export function parseRuntimeConfig(settings: ReadonlyMap<string, string>): RuntimeConfig {
  const values = new Map<string, boolean>();
  const named: NamedSetting[] = [];
  for (const [key, text] of settings) {
    // As if it were left away.
    const value = text === "" || parseBool(text);
    if (value === undefined) throw bad(`invalid value of ${key}: ${JSON.stringify(text)} is neither true nor false`);
    if (GENERAL_KEYS.has(key)) {
      values.set(key, value);
      continue;
    }
    const setting = parseKey(key);
    named.push(setting);
    values.set(settingKey(setting.group, setting.version, setting.resource), value);
  }
  if (values.size === 1 && values.get("api/all") === false)
    throw bad("api/all=false alone would serve nothing: name what to serve");
  return {
    named,
    isServed(group, version, resource) {
      const level = levelOf(version);
      return (
        values.get(settingKey(group, version, resource)) ??
        values.get(settingKey(group, version, undefined)) ??
        (group === "" ? values.get("api/legacy") : undefined) ??
        values.get(`api/${level}`) ??
        values.get("api/all") ??
        level === "ga"
      );
    },
  };
}

const GENERAL_KEYS: ReadonlySet<string> = new Set(["api/all", "api/ga", "api/beta", "api/alpha", "api/legacy"]);

/** batch/v1, batch/v1/jobs; the core group is written api/v1 or v1. */
function parseKey(key: string): NamedSetting {
  const parts = key.split("/");
  const core = VERSION.test(parts[0]!) ? ["", ...parts] : parts[0] === "api" ? ["", ...parts.slice(1)] : parts;
  const [group, version, resource, ...more] = core;
  if (group === undefined || version === undefined || !VERSION.test(version) || resource === "" || more.length > 0) {
    throw bad(`${JSON.stringify(key)} is not of the form <group>/<version> or <group>/<version>/<resource>`);
  }
  return { key, group, version, resource };
}

const VERSION = /^v[1-9][0-9]*(?:(?:alpha|beta)[1-9][0-9]*)?$/;

function settingKey(group: string, version: string, resource: string | undefined): string {
  return resource === undefined ? `${group}/${version}` : `${group}/${version}/${resource}`;
}

function levelOf(version: string): Level {
  if (version.includes("alpha")) return "alpha";
  return version.includes("beta") ? "beta" : "ga";
}

function bad(problem: string): UsageError {
  return new UsageError(`flag --runtime-config: ${problem}`);
}
