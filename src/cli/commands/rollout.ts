// `pctl rollout`: how far a workload has come with its newest template, its revisions, and back to an older one.

import { isObject, type JsonObject } from "../../base/json.ts";
import { namesFor } from "../../meta/names.ts";
import { CHANGE_FLAGS, changeObjects } from "../change-objects.ts";
import { CliError, type Command, type Flag, type Flags } from "../command.ts";
import { writeTemplate } from "../describe/pod.ts";
import { Sheet } from "../describe/sheet.ts";
import { memberOf, textAt } from "../json-members.ts";
import { outputFlags, readOutput, SHOW_MANAGED_FIELDS_FLAG, shownObject } from "../printing/object-form.ts";
import { objectName } from "../printing/object-text.ts";
import { textTable } from "../printing/text-table.ts";
import { whileWaiting } from "../progress.ts";
import { readDurationMs } from "../read-duration.ts";
import { type Progress, rolloutProgress } from "../rollout-progress.ts";
import { revisionsOf, withTemplate } from "../rollout-revisions.ts";
import type { Session } from "../session.ts";
import { forEachTarget, readTargets, TARGET_FLAGS, type Target, targetPath } from "../targets.ts";

const REVISION: Flag = { name: "revision", value: "number", summary: "this revision" };
const TARGETS = "TYPE [NAME...] | TYPE/NAME... | -f FILE|FOLDER|-";

const status: Command = {
  name: "status",
  summary: "wait until the newest template is everywhere",
  arguments: TARGETS,
  flags: [
    ...TARGET_FLAGS,
    { name: "watch", short: "w", summary: "wait until it is done (true when not given)" },
    { name: "timeout", value: "duration", summary: "give up after so long; 0 for never" },
    { ...REVISION, summary: "fail unless this revision is the newest; 0 for any" },
  ],
  async run(session, args, flags) {
    const timeoutMs = readDurationMs(flags, "timeout") || Number.POSITIVE_INFINITY;
    const deadlineMs = session.clock.monotonicMs() + timeoutMs;
    await forEachTarget(session, await workloads(session, args, flags), (target) =>
      whileWaiting(
        session,
        () => `waiting for ${objectName(target.resource, target.name)}`,
        () => waitFor(session, target, flags, deadlineMs),
      ),
    );
  },
};

const history: Command = {
  name: "history",
  summary: "the revisions that there are, or the template of one",
  arguments: TARGETS,
  flags: [...TARGET_FLAGS, REVISION, ...outputFlags("json, yaml (what keeps the revisions)"), SHOW_MANAGED_FIELDS_FLAG],
  async run(session, args, flags) {
    await forEachTarget(session, await workloads(session, args, flags), (target) =>
      showHistory(session, target, flags),
    );
  },
};

const undo: Command = {
  name: "undo",
  summary: "go back to the revision before, or to another",
  arguments: TARGETS,
  flags: [...CHANGE_FLAGS, { name: "to-revision", value: "number", summary: "this revision; 0 for the one before" }],
  async run(session, args, flags) {
    const wanted = flags.number("to-revision") ?? 0;
    let number = wanted;
    await changeObjects(session, args, flags, {
      outcome: "rolled back",
      unchanged: () => `skipped rollback (current template already matches revision ${number})`,
      async apply(object, title) {
        refuseOthers(object, WORKLOADS, `${title} rolling back`);
        if (isPaused(object))
          throw new CliError(
            "you cannot rollback a paused deployment; resume it first with 'pctl rollout resume' and try again",
          );
        const revisions = await revisionsOf(session, object);
        const found = wanted === 0 ? revisions.at(-2) : revisions.find((revision) => revision.number === wanted);
        if (found === undefined)
          throw new CliError(
            wanted === 0 ? "no rollout history found" : `unable to find specified revision ${wanted} in history`,
          );
        number = found.number;
        return withTemplate(object, found.template);
      },
    });
  },
};

const restart: Command = {
  name: "restart",
  summary: "replace all pods",
  arguments: TARGETS,
  flags: CHANGE_FLAGS,
  async run(session, args, flags) {
    const { restartedAtAnnotation } = namesFor((await session.discovery()).dialect);
    const now = new Date(session.clock.nowMs()).toISOString().replace(/\.\d+Z$/, "Z");
    await changeObjects(session, args, flags, {
      outcome: "restarted",
      allWhenUnnamed: true,
      unchanged: () => "restarted (it was within this second)",
      apply(object, title) {
        refuseOthers(object, WORKLOADS, `${title} restarting`);
        if (isPaused(object)) throw new CliError(`${title} can't restart paused deployment (run rollout resume first)`);
        const template = memberOf(memberOf(object, "spec"), "template");
        const metadata = memberOf(template, "metadata");
        // The annotation changes the template, and so every pod is made anew.
        const annotations = { ...memberOf(metadata, "annotations"), [restartedAtAnnotation]: now };
        return withSpec(object, { template: { ...template, metadata: { ...metadata, annotations } } });
      },
    });
  },
};

const pause: Command = {
  name: "pause",
  summary: "do nothing about changes for now",
  arguments: TARGETS,
  flags: CHANGE_FLAGS,
  run: (session, args, flags) =>
    changeObjects(session, args, flags, {
      outcome: "paused",
      allWhenUnnamed: true,
      apply(object, title) {
        refuseOthers(object, PAUSABLE, `${title} pausing`);
        if (isPaused(object)) throw new CliError(`${title} is already paused`);
        return withSpec(object, { paused: true });
      },
    }),
};

const resume: Command = {
  name: "resume",
  summary: "go on after a pause",
  arguments: TARGETS,
  flags: CHANGE_FLAGS,
  run: (session, args, flags) =>
    changeObjects(session, args, flags, {
      outcome: "resumed",
      allWhenUnnamed: true,
      apply(object, title) {
        refuseOthers(object, PAUSABLE, `${title} resuming`);
        if (!isPaused(object)) throw new CliError(`${title} is not paused`);
        const { paused: _, ...spec } = memberOf(object, "spec");
        return { ...object, spec };
      },
    }),
};

export const rollout: Command = {
  name: "rollout",
  summary: "about the newest template of a workload and how far it has come",
  commands: [status, history, undo, restart, pause, resume],
};

/** Those with revisions. */
const WORKLOADS: ReadonlySet<string> = new Set(["Deployment", "DaemonSet", "StatefulSet"]);
const PAUSABLE: ReadonlySet<string> = new Set(["Deployment"]);

/** Fails with CliError. */
function refuseOthers(object: JsonObject, kinds: ReadonlySet<string>, doing: string): void {
  if (!kinds.has(textAt(object, "kind"))) throw new CliError(`${doing} is not supported`);
}

const isPaused = (object: JsonObject): boolean => memberOf(object, "spec")["paused"] === true;

const withSpec = (object: JsonObject, changed: JsonObject): JsonObject => ({
  ...object,
  spec: { ...memberOf(object, "spec"), ...changed },
});

/** Fails with CliError where something else is meant. */
async function workloads(session: Session, args: readonly string[], flags: Flags): Promise<Target[]> {
  const targets = await readTargets(session, args, flags, { allWhenUnnamed: true });
  for (const { resource } of targets)
    if (!WORKLOADS.has(resource.kind)) throw new CliError(`a ${resource.kind} has no revisions that are rolled out`);
  return targets;
}

async function readObject(session: Session, target: Target, untilMs?: number): Promise<JsonObject> {
  const options = untilMs === undefined ? {} : { untilMs };
  const object = await session.sendForJson({ method: "GET", path: targetPath(target) }, options);
  if (!isObject(object)) throw new CliError("the server answers with something else than an object");
  return object;
}

const LOOK_MS = 200;

async function waitFor(session: Session, target: Target, flags: Flags, deadlineMs: number): Promise<void> {
  const waits = flags.switch("watch", true);
  const wanted = flags.number("revision") ?? 0;
  const { deploymentRevisionAnnotation } = namesFor((await session.discovery()).dialect);
  let last = "";
  for (;;) {
    const object = await readObject(session, target, deadlineMs);
    const running = textAt(memberOf(memberOf(object, "metadata"), "annotations"), deploymentRevisionAnnotation);
    if (wanted > 0 && target.resource.kind === "Deployment" && running !== String(wanted))
      throw new CliError(`desired revision (${wanted}) is different from the running revision (${running || "none"})`);
    const progress: Progress = rolloutProgress(target.resource.kind, object);
    if (progress.message !== last) session.terminal.write(`${progress.message}\n`);
    last = progress.message;
    if (progress.type === "failed") throw new CliError(progress.message);
    if (progress.type === "done" || !waits) return;
    if (session.clock.monotonicMs() >= deadlineMs) throw new CliError("timed out waiting for the condition");
    await session.pause(LOOK_MS);
  }
}

const HISTORY_TITLES = ["REVISION", "CHANGE-CAUSE"];

async function showHistory(session: Session, target: Target, flags: Flags): Promise<void> {
  const { terminal } = session;
  const wanted = flags.number("revision") ?? 0;
  const format = readOutput(flags, [""]);
  const revisions = await revisionsOf(session, await readObject(session, target));
  const chosen = wanted === 0 ? revisions : revisions.filter(({ number }) => number === wanted);
  if (wanted > 0 && chosen.length === 0)
    throw new CliError(`unable to find the specified revision ${wanted} in history`);
  if (format !== "") {
    for (const { keeper } of chosen) terminal.write(format(shownObject(keeper, flags)));
    return;
  }
  const name = objectName(target.resource, target.name);
  if (wanted > 0) {
    const sheet = new Sheet();
    writeTemplate(sheet, chosen[0]!.template, namesFor((await session.discovery()).dialect));
    terminal.write(`${name} with revision #${wanted}\n${sheet.tabbedText()}\n`);
    return;
  }
  const rows = chosen.map(({ number, cause }) => [String(number), cause]);
  const shown = rows.length === 0 ? "No rollout history found." : textTable([HISTORY_TITLES, ...rows], { gap: "  " });
  // As kubectl has it, which scripts cut by: with the space, and an empty line between workloads.
  terminal.write(`${name} \n${shown}\n`);
}
