// Deployments, Jobs, CronJobs, disruption budgets.

import type { JsonObject } from "../../base/json.ts";
import { findResource } from "../../client/discovery.ts";
import { namesFor } from "../../meta/names.ts";
import { CliError, type Flag, type Flags } from "../command.ts";
import { targetPath } from "../targets.ts";
import { type Generator, head, needed, pair, splitList, type Words } from "./generator.ts";

const IMAGE_FLAG: Flag = { name: "image", value: "image", summary: "the image of the container" };

export const WORKLOAD_GENERATORS: readonly Generator[] = [
  {
    name: "deployment",
    aliases: ["deploy"],
    summary: "a Deployment of an image",
    arguments: "NAME --image=IMAGE [-- COMMAND...]",
    flags: [
      IMAGE_FLAG,
      { name: "replicas", short: "r", value: "count", summary: "how many pods (1)" },
      { name: "port", value: "port", summary: "the port that the container listens on" },
    ],
    make: deployment,
  },
  {
    name: "job",
    summary: "a Job of an image, or what a CronJob would start now",
    arguments: "NAME --image=IMAGE [-- COMMAND...] | NAME --from=cronjob/NAME",
    flags: [IMAGE_FLAG, { name: "from", value: "cronjob/name", summary: "the CronJob" }],
    make: job,
  },
  {
    name: "cronjob",
    aliases: ["cj"],
    summary: "a CronJob of an image",
    arguments: "NAME --image=IMAGE --schedule=SCHEDULE [-- COMMAND...]",
    flags: [
      IMAGE_FLAG,
      { name: "schedule", value: "schedule", summary: 'when it starts: "0 * * * *"' },
      { name: "restart", value: "policy", summary: "OnFailure (when not given), Never" },
    ],
    make: ({ args, flags }) => {
      const schedule = needed(flags, "schedule");
      const spec = jobSpec(args, flags, flags.choice("restart", ["OnFailure", "Never"]));
      return { ...head("batch/v1", "CronJob", args.slice(0, 1)), spec: { schedule, jobTemplate: { spec } } };
    },
  },
  {
    name: "priorityclass",
    aliases: ["pc"],
    summary: "a PriorityClass",
    arguments: "NAME --value=NUMBER",
    flags: [
      { name: "value", value: "number", summary: "the priority (0)" },
      { name: "global-default", summary: "of pods that name none" },
      { name: "description", value: "text", summary: "when to use it" },
      { name: "preemption-policy", value: "policy", summary: "PreemptLowerPriority (when not given), Never" },
    ],
    make: ({ args, flags, dialect }) => ({
      ...head(`${namesFor(dialect).group("scheduling")}/v1`, "PriorityClass", args),
      value: flags.number("value") ?? 0,
      globalDefault: flags.switch("global-default"),
      description: flags.text("description") ?? "",
      preemptionPolicy: flags.choice("preemption-policy", ["PreemptLowerPriority", "Never"]),
    }),
  },
  {
    name: "poddisruptionbudget",
    aliases: ["pdb"],
    summary: "a PodDisruptionBudget",
    arguments: "NAME --selector=SELECTOR --min-available=COUNT|--max-unavailable=COUNT",
    flags: [
      { name: "selector", value: "key=value,...", summary: "the pods" },
      { name: "min-available", value: "count", summary: "a number or a percentage" },
      { name: "max-unavailable", value: "count", summary: "a number or a percentage" },
    ],
    make: ({ args, flags }) => {
      const counts = {
        ...countOf(flags, "min-available", "minAvailable"),
        ...countOf(flags, "max-unavailable", "maxUnavailable"),
      };
      if (Object.keys(counts).length === 0)
        throw new CliError("one of min-available or max-unavailable must be specified");
      // Without one all pods of the namespace would be meant.
      needed(flags, "selector");
      const matchLabels = Object.fromEntries(splitList(flags, "selector").map((text) => pair(text, "--selector")));
      return {
        ...head("policy/v1", "PodDisruptionBudget", args),
        spec: { selector: { matchLabels }, ...counts },
      };
    },
  },
];

interface CronJobShape {
  readonly metadata: { readonly uid: string };
  readonly spec: {
    readonly jobTemplate: {
      readonly metadata?: { readonly labels?: JsonObject; readonly annotations?: JsonObject };
      readonly spec: JsonObject;
    };
  };
}

function deployment({ args, flags }: Words): JsonObject {
  const object = head("apps/v1", "Deployment", args.slice(0, 1));
  const labels = { app: String(object.metadata["name"]) };
  const port = flags.number("port");
  const images = splitList(flags, "image");
  if (images.length === 0) throw new CliError("--image is needed");
  if (images.length > 1 && args.length > 1)
    throw new CliError("a command is of one container: it cannot be given with several images");
  const containers = images.map((image, index) => ({
    name: containerName(image),
    image,
    ...(args.length > 1 ? { command: args.slice(1) } : {}),
    // The containers of a pod share its ports.
    ...(port === undefined || index > 0 ? {} : { ports: [{ containerPort: port }] }),
  }));
  return {
    ...object,
    metadata: { ...object.metadata, labels },
    spec: {
      replicas: flags.number("replicas") ?? 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  };
}

async function job({ args, flags, session, dialect }: Words): Promise<JsonObject> {
  const from = flags.text("from");
  if ((from === undefined) === (flags.text("image") === undefined))
    throw new CliError("either --image or --from must be specified");
  if (from === undefined) return { ...head("batch/v1", "Job", args.slice(0, 1)), spec: jobSpec(args, flags) };
  const [type = "", name = ""] = from.split("/", 2);
  const resource = findResource(await session.discovery(), type);
  if (resource?.kind !== "CronJob" || name === "")
    throw new CliError(`--from: only a CronJob can start a Job: cronjob/NAME`);
  const target = { resource, namespace: session.namespace, name };
  const cronJob = (await session.sendForJson({ method: "GET", path: targetPath(target) })) as unknown as CronJobShape;
  const template = cronJob.spec.jobTemplate;
  const object = head("batch/v1", "Job", args);
  return {
    ...object,
    metadata: {
      ...object.metadata,
      labels: template.metadata?.labels ?? {},
      annotations: { ...template.metadata?.annotations, [namesFor(dialect).cronJobInstantiateAnnotation]: "manual" },
      ownerReferences: [{ apiVersion: "batch/v1", kind: "CronJob", name, uid: cronJob.metadata.uid, controller: true }],
    },
    spec: template.spec,
  };
}

function jobSpec(args: readonly string[], flags: Flags, restartPolicy = "Never"): JsonObject {
  const [name = "", ...command] = args;
  const container = { name, image: needed(flags, "image"), ...(command.length > 0 ? { command } : {}) };
  return { template: { spec: { containers: [container], restartPolicy } } };
}

function countOf(flags: Flags, flag: string, field: string): JsonObject {
  const text = flags.text(flag);
  return text === undefined ? {} : { [field]: /^\d+$/.test(text) ? Number(text) : text };
}

/** The last part of an image's name, as the name of its container. */
function containerName(image: string): string {
  const last = image.split("/").at(-1) ?? "";
  return (
    last
      .split(/[:@]/)[0]!
      .toLowerCase()
      .replaceAll(/[^a-z0-9-]/g, "-") || "main"
  );
}
