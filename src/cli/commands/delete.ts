// `pctl delete`: deletes objects by name, by label, or as files name them, and waits until they are gone.
// Requirements: document 1, "Deletion".

import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { isApiError } from "../../client/api-error.ts";
import type { ApiRequest } from "../../client/transport.ts";
import { jsonText } from "../../codec/json.ts";
import { confirmed } from "../ask.ts";
import { CliError, type Command, type Flags } from "../command.ts";
import { outputFlag, readOutput, SHOW_MANAGED_FIELDS_FLAG, shownObject } from "../printing/object-form.ts";
import { kindWord, objectName } from "../printing/object-text.ts";
import { whileWaiting } from "../progress.ts";
import { RAW_FLAG, sendRaw } from "../raw-request.ts";
import { readDurationMs } from "../read-duration.ts";
import type { Session } from "../session.ts";
import { metadataText, readTargets, TARGET_FLAGS, type Target, targetPath } from "../targets.ts";
import { DRY_RUN_FLAG, DRY_RUN_NOTES, type DryRun, readDryRun } from "../write-flags.ts";

export const deleteObjects: Command = {
  name: "delete",
  summary: "delete objects",
  arguments: "TYPE NAME... | TYPE/NAME... | TYPE -l SELECTOR | -f FILE|FOLDER|-",
  flags: [
    ...TARGET_FLAGS,
    { name: "cascade", value: "mode", summary: "background (when not given), foreground, orphan: what objects own" },
    { name: "grace-period", value: "seconds", summary: "how long an object may take to end; -1 for its own" },
    { name: "now", summary: "end within a second" },
    { name: "force", summary: "with --grace-period=0: without waiting for anybody" },
    { name: "ignore-not-found", summary: "what does not exist is no error" },
    { name: "timeout", value: "duration", summary: "wait so long and no longer; 0 for as long as it takes" },
    { name: "interactive", short: "i", summary: "show what goes, and ask before anything is deleted" },
    { name: "wait", summary: "wait until the objects are gone (true when not given)" },
    DRY_RUN_FLAG,
    outputFlag("name, and what it was: json, yaml"),
    SHOW_MANAGED_FIELDS_FLAG,
    RAW_FLAG,
  ],
  async run(session, args, flags) {
    const asks = flags.switch("interactive");
    if (asks && flags.text("raw") !== undefined) throw new CliError("--interactive can not be used with --raw");
    if (asks && flags.list("filename").includes("-"))
      throw new CliError("--interactive needs standard input for your answer: -f - would read it");
    if (await sendRaw(session, "DELETE", args, flags)) return;
    const options = readOptions(flags);
    const timeoutMs = readDurationMs(flags, "timeout") || Number.POSITIVE_INFINITY;
    if (options.forced && options.dryRun === "none") session.terminal.writeError(`Warning: ${FORCED}\n`);
    const named = await readTargets(session, args, flags);
    const targets = asks ? await existing(session, named, flags) : named;
    if (asks && targets.length > 0 && !(await mayDelete(session, targets))) return;
    const deadlineMs = session.clock.monotonicMs() + timeoutMs;
    const leaving: Leaving[] = [];
    for (const target of targets) {
      try {
        const before = options.form === undefined ? null : await session.sendForJson(readOf(target));
        const answer = await deleteOne(session, target, options);
        session.terminal.write(options.form?.(before) ?? shown(target, options));
        if (isStaying(answer)) leaving.push({ ...target, uid: uidOf(answer) });
      } catch (error) {
        if (isApiError(error, "NotFound") && flags.switch("ignore-not-found")) continue;
        if (targets.length === 1) throw error;
        session.report(error);
      }
    }
    if (!flags.switch("wait", true) || options.dryRun !== "none") return;
    for (const target of leaving) {
      const waiting = `waiting until ${objectName(target.resource, target.name)} is gone`;
      await whileWaiting(
        session,
        () => waiting,
        () => untilGone(session, target, deadlineMs),
      );
    }
  },
};

/** Nobody is asked about what is not there: it is told of first. */
async function existing(session: Session, targets: readonly Target[], flags: Flags): Promise<Target[]> {
  const found: Target[] = [];
  for (const target of targets) {
    try {
      await session.sendForJson(readOf(target));
      found.push(target);
    } catch (error) {
      if (!isApiError(error, "NotFound")) throw error;
      if (flags.switch("ignore-not-found")) continue;
      if (targets.length === 1) throw error;
      session.report(error);
    }
  }
  return found;
}

async function mayDelete(session: Session, targets: readonly Target[]): Promise<boolean> {
  session.terminal.write(`You are about to delete the following ${targets.length} resource(s):\n`);
  for (const { resource, name } of targets) session.terminal.write(`${objectName(resource, name)}\n`);
  const may = await confirmed(session, "Do you want to continue?");
  if (!may) session.terminal.write("deletion is cancelled\n");
  return may;
}

/** Makes room for another object of the same name. What is not there is no error. */
export async function deleteAndWait(session: Session, target: Target, { quiet = false } = {}): Promise<void> {
  const options: Options = {
    body: { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: POLICIES.background },
    dryRun: "none",
    nameOnly: false,
    forced: false,
  };
  try {
    const answer = await deleteOne(session, target, options);
    if (!quiet) session.terminal.write(shown(target, options));
    if (isStaying(answer)) await untilGone(session, { ...target, uid: uidOf(answer) }, Number.POSITIVE_INFINITY);
  } catch (error) {
    if (!isApiError(error, "NotFound")) throw error;
  }
}

interface Leaving extends Target {
  readonly uid: string | undefined;
}

interface Options {
  readonly body: JsonObject;
  readonly dryRun: DryRun;
  readonly nameOnly: boolean;
  /** How the object is shown that was deleted; undefined for a word about it. */
  readonly form?: ((object: Json) => string) | undefined;
  readonly forced: boolean;
}

const FORCED =
  "Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may " +
  "continue to run on the cluster indefinitely.";

const POLICIES = { background: "Background", foreground: "Foreground", orphan: "Orphan" };

function readOptions(flags: Flags): Options {
  const cascade = flags.choice("cascade", ["background", "foreground", "orphan"]);
  const dryRun = readDryRun(flags);
  const output = readOutput(flags, ["", "name"]);
  const forced = flags.switch("force");
  const asked = flags.number("grace-period") ?? -1;
  const graceSeconds = flags.switch("now") ? 1 : forced && asked < 0 ? 0 : asked;
  if (graceSeconds === 0 && !forced) throw new CliError("--grace-period=0 needs --force");
  return {
    body: {
      kind: "DeleteOptions",
      apiVersion: "v1",
      propagationPolicy: POLICIES[cascade],
      ...(graceSeconds < 0 ? {} : { gracePeriodSeconds: graceSeconds }),
      ...(dryRun === "server" ? { dryRun: ["All"] } : {}),
    },
    dryRun,
    nameOnly: output === "name",
    form: typeof output === "function" ? (object) => output(shownObject(object, flags)) : undefined,
    forced,
  };
}

const readOf = (target: Target): ApiRequest => ({ method: "GET", path: targetPath(target) });

function deleteOne(session: Session, target: Target, { body, dryRun }: Options): Promise<Json> {
  // What is not there cannot be deleted.
  if (dryRun === "client") return session.sendForJson(readOf(target));
  return session.sendForJson({ method: "DELETE", path: targetPath(target), body: jsonText(body) });
}

function shown({ resource, namespace, name }: Target, { nameOnly, dryRun, forced }: Options): string {
  if (nameOnly) return `${objectName(resource, name)}\n`;
  const where = namespace === undefined ? "" : ` from ${namespace} namespace`;
  const how = `${forced ? "force deleted" : "deleted"}${where}${DRY_RUN_NOTES[dryRun]}`;
  return `${kindWord(resource)} ${JSON.stringify(name)} ${how}\n`;
}

/** The server answers with the object while something keeps it, and with a Status when it is gone. */
const isStaying = (answer: Json): boolean => isObject(answer) && answer["kind"] !== "Status";

const uidOf = (answer: Json): string | undefined => (isObject(answer) ? metadataText(answer, "uid") : undefined);

const FIRST_LOOK_MS = 50;
const LAST_LOOK_MS = 1_000;

/** Another object of the same name is not the one that was deleted. */
async function untilGone(session: Session, { uid, ...target }: Leaving, deadlineMs: number): Promise<void> {
  for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(pauseMs * 2, LAST_LOOK_MS)) {
    try {
      const found = await session.sendForJson(readOf(target));
      if (uidOf(found) !== uid) return;
    } catch (error) {
      if (isApiError(error, "NotFound")) return;
      throw error;
    }
    const leftMs = deadlineMs - session.clock.monotonicMs();
    if (leftMs <= 0)
      throw new CliError(`timed out waiting for the condition on ${objectName(target.resource, target.name)}`);
    await session.clock.sleep(Math.min(pauseMs, leftMs));
  }
}
