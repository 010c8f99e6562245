// `pctl debug`: looks into a pod with a container beside its own, into a copy of it, or into a node.

import { isObject, type JsonObject } from "../../base/json.ts";
import { jsonText } from "../../codec/json.ts";
import { CliError, type Command, type Flags } from "../command.ts";
import { type CopyWish, type DebugContainer, debugContainer, nodePod, podCopy } from "../debug-pods.ts";
import { deleteAndWait } from "../deletion.ts";
import { fileText } from "../file-text.ts";
import { pair, splitList } from "../generators/generator.ts";
import { itemsAt, memberOf, textAt } from "../json-members.ts";
import { withQuery } from "../list-pages.ts";
import { parsePatch, patchHere } from "../patch-here.ts";
import { nameOf } from "../printing/object-text.ts";
import type { Session } from "../session.ts";
import { readTarget, readTargets, type Target, targetPath } from "../targets.ts";
import { type DryRun, readWriteSettings, WRITE_FLAGS } from "../write-flags.ts";
import { createOne } from "./create.ts";
import { join } from "./pods.ts";

export const debug: Command = {
  name: "debug",
  summary: "look into a pod or a node with a container of another image",
  arguments: "POD | pod/NAME | node/NAME | -f FILE --image=IMAGE [-- COMMAND...]",
  flags: [
    {
      name: "filename",
      short: "f",
      value: "path",
      summary: "the file that names the pod or the node, or - for standard input",
    },
    ...WRITE_FLAGS,
    { name: "image", value: "image", summary: "the image of the container" },
    { name: "image-pull-policy", value: "policy", summary: "Always, IfNotPresent, Never" },
    { name: "container", short: "c", value: "name", summary: "the name of the container" },
    { name: "target", value: "container", summary: "see the processes of this container" },
    { name: "env", value: "name=value", summary: "a variable; may be repeated" },
    { name: "stdin", short: "i", summary: "pass standard input on" },
    { name: "tty", short: "t", summary: "in a terminal" },
    { name: "attach", summary: "join it as soon as it runs (true with -i)" },
    { name: "arguments-only", summary: "the words after -- are arguments, not the command" },
    {
      name: "profile",
      value: "name",
      summary: "legacy (when not given), general, baseline, restricted, netadmin, sysadmin: what it may do",
    },
    {
      name: "custom",
      value: "file",
      summary: "more of the container, as JSON or YAML, over what the profile says",
    },
    { name: "copy-to", value: "name", summary: "leave the pod alone, and look into a copy of this name" },
    { name: "set-image", value: "container=image,...", summary: "--copy-to with these images; * for all" },
    { name: "same-node", summary: "--copy-to on the node of the pod" },
    { name: "share-processes", summary: "--copy-to whose containers see each other (true when not given)" },
    { name: "replace", summary: "--copy-to, and delete the pod" },
    { name: "keep-labels", summary: "--copy-to with the labels of the pod" },
    { name: "keep-annotations", summary: "--copy-to with its annotations" },
    { name: "keep-init-containers", summary: "--copy-to with its init containers (true when not given)" },
    { name: "keep-liveness", summary: "--copy-to with its liveness probes" },
    { name: "keep-readiness", summary: "--copy-to with its readiness probes" },
    { name: "keep-startup", summary: "--copy-to with its startup probes" },
    { name: "quiet", short: "q", summary: "without saying what is done" },
  ],
  async run(session, args, flags) {
    const { target, command } = await readLine(session, args, flags);
    const container = readContainer(flags, command);
    const made =
      target.resource.kind === "Node"
        ? await onNode(session, target, container, flags)
        : target.resource.kind !== "Pod"
          ? refuse(target)
          : flags.text("copy-to") === undefined
            ? await beside(session, target, container, flags)
            : await inCopy(session, target, container, flags);
    if (made === undefined || !flags.switch("attach", flags.switch("stdin"))) return;
    await join(session, made.pod, made.container, flags);
  },
};

/** What is looked into, and the words after it. Fails with CliError. */
async function readLine(session: Session, args: readonly string[], flags: Flags) {
  if (flags.list("filename").length > 0) {
    const [target, ...more] = await readTargets(session, [], flags);
    if (target === undefined || more.length > 0) throw new CliError("-f: exactly one object must be named there");
    return { target, command: args };
  }
  const [word, ...command] = args;
  if (word === undefined) throw new CliError("a pod or a node is needed: pctl debug POD --image=IMAGE");
  return { target: await readTarget(session, word.includes("/") ? [word] : ["pods", word]), command };
}

interface Made {
  readonly pod: string;
  readonly container: string;
}

function refuse({ resource }: Target): never {
  throw new CliError(`a ${resource.kind} cannot be looked into: name a pod or a node`);
}

/** Undefined where only images change. Fails with CliError. */
function readContainer(flags: Flags, command: readonly string[]): DebugContainer | undefined {
  const profiles = ["legacy", "general", "baseline", "restricted", "netadmin", "sysadmin"] as const;
  const image = flags.text("image");
  if (image === undefined) {
    if (flags.list("set-image").length > 0) return undefined;
    throw new CliError("--image is needed");
  }
  return {
    name: flags.text("container"),
    image,
    pullPolicy: flags.text("image-pull-policy"),
    command,
    argumentsOnly: flags.switch("arguments-only"),
    env: flags.list("env").map((text) => {
      const [name, value] = pair(text, "--env");
      return { name, value };
    }),
    stdin: flags.switch("stdin"),
    tty: flags.switch("tty"),
    profile: flags.choice("profile", profiles),
  };
}

/** What flags say already, and what only other containers have. */
const NOT_CUSTOM = ["name", "command", "image", "lifecycle", "volumeDevices"];

/** The pod, with what the file of --custom says over a container of it. Fails with CliError. */
async function customized(session: Session, pod: JsonObject, container: string, flags: Flags): Promise<JsonObject> {
  const file = flags.text("custom");
  if (file === undefined) return pod;
  const custom = parsePatch(fileText(file), "--custom");
  if (!isObject(custom)) throw new CliError("--custom: a part of a container is expected");
  if (NOT_CUSTOM.some((field) => custom[field] !== undefined))
    throw new CliError("--custom: name, command, image, lifecycle and volume devices are not modifiable");
  const patch = { spec: { containers: [{ ...custom, name: container }] } };
  return (await patchHere(session, pod, patch, "strategic")) as JsonObject;
}

function say(session: Session, flags: Flags, text: string): void {
  if (!flags.switch("quiet")) session.terminal.writeError(`${text}\n`);
}

async function beside(
  session: Session,
  target: Target,
  wanted: DebugContainer | undefined,
  flags: Flags,
): Promise<Made | undefined> {
  if (wanted === undefined) throw new CliError("--set-image changes a copy: use --copy-to");
  const pod = await readPod(session, target);
  const plain = debugContainer(wanted, pod);
  const alone = { apiVersion: "v1", kind: "Pod", spec: { containers: [plain] } };
  const whole = await customized(session, alone, textAt(plain, "name"), flags);
  const container = itemsAt(memberOf(whole, "spec"), "containers")[0]!;
  const targeted = flags.text("target");
  if (wanted.name === undefined)
    say(session, flags, `Defaulting debug container name to ${textAt(container, "name")}.`);
  const { query, send, shown, dryRun } = readWriteSettings(flags);
  const added = { ...container, ...(targeted === undefined ? {} : { targetContainerName: targeted }) };
  const spec = memberOf(pod, "spec");
  const ephemeralContainers = [...itemsAt(spec, "ephemeralContainers"), added];
  const answer = await send(
    session,
    {
      method: "PATCH",
      path: withQuery(targetPath(target, "ephemeralcontainers"), query),
      headers: { "content-type": "application/merge-patch+json" },
      body: jsonText({
        metadata: { resourceVersion: textAt(memberOf(pod, "metadata"), "resourceVersion") },
        spec: { ephemeralContainers },
      }),
    },
    { ...pod, spec: { ...spec, ephemeralContainers } },
  );
  if (!follows(flags, dryRun)) session.terminal.write(shown(target.resource, target.name, answer, "debugged"));
  return dryRun === "none" ? { pod: target.name, container: textAt(container, "name") } : undefined;
}

async function inCopy(
  session: Session,
  target: Target,
  container: DebugContainer | undefined,
  flags: Flags,
): Promise<Made | undefined> {
  const probes = ["liveness", "readiness", "startup"].filter((name) => flags.switch(`keep-${name}`));
  const wish: CopyWish = {
    name: flags.text("copy-to")!,
    container,
    images: new Map(splitList(flags, "set-image").map((text) => pair(text, "--set-image"))),
    sameNode: flags.switch("same-node"),
    shareProcesses: flags.switch("share-processes", true),
    keep: {
      labels: flags.switch("keep-labels"),
      annotations: flags.switch("keep-annotations"),
      initContainers: flags.switch("keep-init-containers", true),
      probes: new Set(probes.map((name) => `${name}Probe`)),
    },
  };
  const made = podCopy(await readPod(session, target), wish);
  const copy = container === undefined ? made.copy : await customized(session, made.copy, made.container, flags);
  const { dryRun } = await createHere(session, copy, flags);
  if (dryRun !== "none") return undefined;
  if (flags.switch("replace")) await deleteAndWait(session, target);
  return { pod: wish.name, container: made.container };
}

async function onNode(
  session: Session,
  target: Target,
  container: DebugContainer | undefined,
  flags: Flags,
): Promise<Made | undefined> {
  if (container === undefined) throw new CliError("--image is needed");
  const node = await session.sendForJson({ method: "GET", path: targetPath(target) });
  const plain = nodePod(nameOf(node), container);
  const name = textAt(itemsAt(memberOf(plain, "spec"), "containers")[0], "name");
  const pod = await customized(session, plain, name, flags);
  const { dryRun, answer } = await createHere(session, pod, flags);
  if (dryRun !== "none") return undefined;
  say(session, flags, `Creating debugging pod ${nameOf(answer)} with container ${name} on node ${target.name}.`);
  return { pod: nameOf(answer), container: name };
}

/** What the container writes is not to be mixed with words about it. */
const follows = (flags: Flags, dryRun: DryRun): boolean =>
  dryRun === "none" && flags.switch("attach", flags.switch("stdin"));

async function createHere(session: Session, pod: JsonObject, flags: Flags) {
  const settings = readWriteSettings(flags);
  const silent = { ...settings, ...(follows(flags, settings.dryRun) ? { shown: () => "" } : {}) };
  const answer = await createOne(session, pod, "the command line", flags, "created", silent);
  return { answer, dryRun: settings.dryRun };
}

async function readPod(session: Session, target: Target): Promise<JsonObject> {
  const pod = await session.sendForJson({ method: "GET", path: targetPath(target) });
  if (!isObject(pod)) throw new CliError("the server answers with something else than a pod");
  return pod;
}
