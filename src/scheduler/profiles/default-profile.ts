// How pods are placed without a configuration file.

import { completeStruct, usableStruct } from "../../options/complete-config.ts";
import { SCHEDULER_NAME } from "../scheduler-name.ts";
import { type PluginsConfiguration, profileFields } from "./configuration.ts";
import { readPluginArgs } from "./plugin-args.ts";
import { activePlugins } from "./plugins.ts";
import { buildProfile, type Profile } from "./profile.ts";

export function defaultProfile(percentageOfNodesToScore: number): Profile {
  const { plugins } = usableStruct(profileFields, completeStruct(profileFields, {}));
  return buildProfile({
    schedulerName: SCHEDULER_NAME,
    percentageOfNodesToScore,
    plugins: activePlugins(plugins as PluginsConfiguration, "plugins"),
    args: readPluginArgs([], "pluginConfig"),
  });
}
