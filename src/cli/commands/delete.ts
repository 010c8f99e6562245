// `pctl delete`: deletes objects by name, by label, or as files name them, and waits until they are gone.
// Requirements: document 1, "Deletion".

import { isApiError } from "../../client/api-error.ts";
import { confirmed } from "../ask.ts";
import { CliError, type Command, type Flags } from "../command.ts";
import {
  DELETION_FLAGS,
  deletedText,
  deleteOne,
  type Leaving,
  leaving,
  readDeletion,
  readOf,
  untilGone,
} from "../deletion.ts";
import { outputFlags, readOutput, SHOW_MANAGED_FIELDS_FLAG, shownObject } from "../printing/object-form.ts";
import { objectName } from "../printing/object-text.ts";
import { RAW_FLAG, sendRaw } from "../raw-request.ts";
import type { Session } from "../session.ts";
import { readTargets, TARGET_FLAGS, type Target } from "../targets.ts";
import { DRY_RUN_FLAG } from "../write-flags.ts";

export const deleteObjects: Command = {
  name: "delete",
  summary: "delete objects",
  arguments: "TYPE NAME... | TYPE/NAME... | TYPE -l SELECTOR | -f FILE|FOLDER|-",
  flags: [
    ...TARGET_FLAGS,
    ...DELETION_FLAGS,
    { name: "now", summary: "end within a second" },
    { name: "ignore-not-found", summary: "what does not exist is no error (true with --all and selectors)" },
    { name: "interactive", short: "i", summary: "show what goes, and ask before anything is deleted" },
    { name: "wait", summary: "wait until the objects are gone (true when not given)" },
    DRY_RUN_FLAG,
    ...outputFlags("name, and what it was: json, yaml"),
    SHOW_MANAGED_FIELDS_FLAG,
    RAW_FLAG,
  ],
  async run(session, args, flags) {
    const asks = flags.switch("interactive");
    if (asks && flags.text("raw") !== undefined) throw new CliError("--interactive can not be used with --raw");
    if (asks && flags.list("filename").includes("-"))
      throw new CliError("--interactive needs standard input for your answer: -f - would read it");
    if (await sendRaw(session, "DELETE", args, flags)) return;
    const deletion = readDeletion(flags);
    const mayMiss = mayBeGone(flags);
    const output = readOutput(flags, ["", "name"]);
    if (deletion.forced && deletion.dryRun === "none") session.terminal.writeError(`Warning: ${FORCED}\n`);
    const named = await readTargets(session, args, flags);
    // Of those that the files name, the selector has left none.
    if (named.length === 0 && flags.list("filename").length > 0) session.terminal.write("No resources found\n");
    const targets = asks ? await existing(session, named, flags) : named;
    if (asks && targets.length > 0 && !(await mayDelete(session, targets))) return;
    const deadlineMs = session.clock.monotonicMs() + deletion.timeoutMs;
    const left: Leaving[] = [];
    for (const target of targets) {
      try {
        const before = typeof output === "function" ? await session.sendForJson(readOf(target)) : null;
        const answer = await deleteOne(session, target, deletion);
        if (typeof output === "function") session.terminal.write(output(shownObject(before, flags)));
        else if (output === "name") session.terminal.write(`${objectName(target.resource, target.name)}\n`);
        else session.terminal.write(deletedText(target, deletion));
        const staying = leaving(target, answer);
        if (staying !== undefined) left.push(staying);
      } catch (error) {
        if (isApiError(error, "NotFound") && mayMiss) continue;
        if (targets.length === 1) throw error;
        session.report(error);
      }
    }
    if (!flags.switch("wait", true) || deletion.dryRun !== "none") return;
    for (const target of left) await untilGone(session, target, deadlineMs);
  },
};

const FORCED =
  "Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may " +
  "continue to run on the cluster indefinitely.";

/** What was found by a list may have gone since: with its owner, which was in the list too. */
function mayBeGone(flags: Flags): boolean {
  const isListed = flags.switch("all") || SELECTORS.some((name) => flags.text(name) !== undefined);
  return flags.switch("ignore-not-found", isListed);
}

const SELECTORS = ["selector", "field-selector"];

/** Nobody is asked about what is not there: it is told of first. */
async function existing(session: Session, targets: readonly Target[], flags: Flags): Promise<Target[]> {
  const found: Target[] = [];
  for (const target of targets) {
    try {
      await session.sendForJson(readOf(target));
      found.push(target);
    } catch (error) {
      if (!isApiError(error, "NotFound")) throw error;
      if (mayBeGone(flags)) continue;
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
