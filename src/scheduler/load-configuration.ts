// The configuration file of the scheduler, read and checked, and the profiles that it means.

import { readSmallFileSync, UnfitFile } from "../base/read-small-file.ts";
import { StartError } from "../base/start-error.ts";
import { DecodeError } from "../codec/decode-error.ts";
import { decodeYaml } from "../codec/yaml.ts";
import { SCHEDULER_CONFIGURATIONS } from "../meta/names.ts";
import { completeStruct, usableStruct } from "../options/complete-config.ts";
import { ConfigError, readDocument } from "../options/read-config.ts";
import { unusedFields } from "../options/unused-fields.ts";
import { buildExtenders, ignoredResources } from "./extenders/build-extenders.ts";
import type { Extender } from "./extenders/extender.ts";
import {
  configurationFields,
  FIELDS_WITHOUT_EFFECT,
  type ProfileConfiguration,
  profileFields,
  type SchedulerConfiguration,
} from "./profiles/configuration.ts";
import { defaultProfile } from "./profiles/default-profile.ts";
import { type PluginArgs, readPluginArgs } from "./profiles/plugin-args.ts";
import { activePlugins } from "./profiles/plugins.ts";
import { buildProfile, type Profile } from "./profiles/profile.ts";
import { SCHEDULER_NAME } from "./scheduler-name.ts";

interface LoadedConfiguration {
  readonly configuration: SchedulerConfiguration;
  readonly profiles: readonly Profile[];
  readonly extenders: readonly Extender[];
  /** Fields that are set though nothing acts on them. */
  readonly unused: readonly string[];
}

const MAX_FILE_BYTES = 1024 * 1024;

/** Fails with StartError, which names flag, file and field. */
export function loadConfiguration(file: string): LoadedConfiguration {
  try {
    const bytes = readSmallFileSync(file, MAX_FILE_BYTES);
    const given = readDocument(decodeYaml(bytes), SCHEDULER_CONFIGURATIONS, configurationFields);
    const shown = completeStruct(configurationFields, given);
    const configuration = usableStruct(configurationFields, shown) as SchedulerConfiguration;
    check(configuration);
    const unused = unusedFields(FIELDS_WITHOUT_EFFECT, shown, completeStruct(configurationFields, {}));
    const extenders = buildExtenders(configuration.extenders);
    return { configuration, profiles: profilesOf(configuration), extenders, unused };
  } catch (error) {
    const isKnown = error instanceof ConfigError || error instanceof DecodeError || error instanceof UnfitFile;
    if (isKnown || (error instanceof Error && "syscall" in error))
      throw new StartError(`--config: ${file}: ${error.message}`, { cause: error });
    throw error;
  }
}

function profilesOf({
  profiles: given,
  percentageOfNodesToScore,
  extenders,
}: SchedulerConfiguration): readonly Profile[] {
  const ignored = ignoredResources(extenders);
  if (given.length === 0 && ignored.length === 0) return [defaultProfile(percentageOfNodesToScore)];
  const profiles = given.length === 0 ? [USUAL_PROFILE] : given;
  const names = new Set<string>();
  return profiles.map((profile, index) => {
    const path = `profiles[${index}]`;
    // As upstream: one alone may go without a name.
    const schedulerName =
      profile.schedulerName === "" && profiles.length === 1 ? SCHEDULER_NAME : profile.schedulerName;
    if (schedulerName === "")
      throw new ConfigError(`${path}.schedulerName`, "must be set where there are several profiles");
    if (names.has(schedulerName))
      throw new ConfigError(`${path}.schedulerName`, `${JSON.stringify(schedulerName)} is there twice`);
    names.add(schedulerName);
    const percentage = profile.percentageOfNodesToScore ?? percentageOfNodesToScore;
    checkPercentage(percentage, `${path}.percentageOfNodesToScore`);
    return buildProfile({
      schedulerName,
      percentageOfNodesToScore: percentage,
      plugins: activePlugins(profile.plugins, `${path}.plugins`),
      args: withIgnored(readPluginArgs(profile.pluginConfig, `${path}.pluginConfig`), ignored),
    });
  });
}

/** As a file says it that says nothing of it. */
const USUAL_PROFILE = usableStruct(profileFields, completeStruct(profileFields, {})) as ProfileConfiguration;

/** What extenders alone count, no node is asked for. */
function withIgnored(args: PluginArgs, ignored: readonly string[]): PluginArgs {
  const { NodeResourcesFit: fit } = args;
  return { ...args, NodeResourcesFit: { ...fit, ignoredResources: [...fit.ignoredResources, ...ignored] } };
}

function check(configuration: SchedulerConfiguration): void {
  const { parallelism, podInitialBackoffSeconds: first, podMaxBackoffSeconds: most } = configuration;
  if (parallelism < 1) throw new ConfigError("parallelism", "must be greater than zero");
  checkPercentage(configuration.percentageOfNodesToScore, "percentageOfNodesToScore");
  if (first < 1) throw new ConfigError("podInitialBackoffSeconds", "must be greater than 0");
  if (most < first)
    throw new ConfigError("podMaxBackoffSeconds", "must be greater than or equal to podInitialBackoffSeconds");
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = configuration.leaderElection;
  if (leaseDurationMs <= renewDeadlineMs)
    throw new ConfigError("leaderElection.leaseDuration", "must be greater than leaderElection.renewDeadline");
  if (renewDeadlineMs <= retryPeriodMs)
    throw new ConfigError("leaderElection.renewDeadline", "must be greater than leaderElection.retryPeriod");
}

function checkPercentage(percentage: number, path: string): void {
  if (percentage < 0 || percentage > 100) throw new ConfigError(path, `${percentage} is not between 0 and 100`);
}
