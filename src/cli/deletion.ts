// How objects are deleted, and the wait until they are gone. Requirements: document 1, "Deletion".

import { isObject, type Json, type JsonObject } from "../base/json.ts";
import { isApiError } from "../client/api-error.ts";
import type { ApiRequest } from "../client/transport.ts";
import { jsonText } from "../codec/json.ts";
import { CliError, type Flag, type Flags } from "./command.ts";
import { kindWord, objectName } from "./printing/object-text.ts";
import { whileWaiting } from "./progress.ts";
import { readDurationMs } from "./read-duration.ts";
import type { Session } from "./session.ts";
import { metadataText, type Target, targetPath } from "./targets.ts";
import { DRY_RUN_NOTES, type DryRun, readDryRun } from "./write-flags.ts";

export const CASCADE_FLAG: Flag = {
  name: "cascade",
  value: "mode",
  summary: "background (when not given), foreground, orphan: what objects own",
};

export const GRACE_PERIOD_FLAG: Flag = {
  name: "grace-period",
  value: "seconds",
  summary: "how long an object may take to end; -1 for its own",
};

export const DELETE_TIMEOUT_FLAG: Flag = {
  name: "timeout",
  value: "duration",
  summary: "wait so long and no longer until objects are gone; 0 for as long as it takes",
};

/** Of every command that deletes: how, and how long it waits. */
export const DELETION_FLAGS: readonly Flag[] = [
  CASCADE_FLAG,
  GRACE_PERIOD_FLAG,
  { name: "force", summary: "with --grace-period=0: without waiting for anybody" },
  DELETE_TIMEOUT_FLAG,
];

export interface Deletion {
  /** The server's DeleteOptions. */
  readonly body: JsonObject;
  readonly dryRun: DryRun;
  /** Whether nobody is waited for who runs it. */
  readonly forced: boolean;
  /** For the objects to be gone. */
  readonly timeoutMs: number;
}

const POLICIES = { background: "Background", foreground: "Foreground", orphan: "Orphan" };

/** `forces`: whether --force is about how an object ends; else it is a word of the command. Fails with CliError. */
export function readDeletion(flags: Flags, { forces = true } = {}): Deletion {
  const cascade = flags.choice("cascade", ["background", "foreground", "orphan"]);
  const dryRun = readDryRun(flags);
  const forced = forces && flags.switch("force");
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
    forced,
    timeoutMs: readDurationMs(flags, "timeout") || Number.POSITIVE_INFINITY,
  };
}

/** For room: in the background, and as long as it takes. */
const PLAIN: Deletion = {
  body: { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: POLICIES.background },
  dryRun: "none",
  forced: false,
  timeoutMs: Number.POSITIVE_INFINITY,
};

export const readOf = (target: Target): ApiRequest => ({ method: "GET", path: targetPath(target) });

export function deleteOne(session: Session, target: Target, { body, dryRun }: Deletion): Promise<Json> {
  // What is not there cannot be deleted.
  if (dryRun === "client") return session.sendForJson(readOf(target));
  return session.sendForJson({ method: "DELETE", path: targetPath(target), body: jsonText(body) });
}

/** What is told of an object that was deleted. */
export function deletedText({ resource, namespace, name }: Target, { dryRun, forced }: Deletion): string {
  const where = namespace === undefined ? "" : ` from ${namespace} namespace`;
  const how = `${forced ? "force deleted" : "deleted"}${where}${DRY_RUN_NOTES[dryRun]}`;
  return `${kindWord(resource)} ${JSON.stringify(name)} ${how}\n`;
}

/** An object that was deleted and may still be there. */
export interface Leaving extends Target {
  readonly uid: string | undefined;
}

/** The object of which the server says that something keeps it; undefined when it is gone. */
export function leaving(target: Target, answer: Json): Leaving | undefined {
  if (!isObject(answer) || answer["kind"] === "Status") return undefined;
  return { ...target, uid: metadataText(answer, "uid") };
}

interface DeleteAndWaitOptions {
  readonly deletion?: Deletion;
  readonly quiet?: boolean;
  /** Whether to wait until it is gone. */
  readonly waits?: boolean;
}

/** Makes room for another object of the same name. What is not there is no error. Fails with CliError. */
export async function deleteAndWait(
  session: Session,
  target: Target,
  { deletion = PLAIN, quiet = false, waits = true }: DeleteAndWaitOptions = {},
): Promise<void> {
  try {
    const answer = await deleteOne(session, target, deletion);
    if (!quiet) session.terminal.write(deletedText(target, deletion));
    const left = leaving(target, answer);
    if (waits && left !== undefined) await untilGone(session, left, session.clock.monotonicMs() + deletion.timeoutMs);
  } catch (error) {
    if (!isApiError(error, "NotFound")) throw error;
  }
}

const FIRST_LOOK_MS = 50;
const LAST_LOOK_MS = 1_000;

/** Another object of the same name is not the one that was deleted. Fails with CliError when the time is over. */
export async function untilGone(session: Session, { uid, ...target }: Leaving, deadlineMs: number): Promise<void> {
  const { resource, name } = target;
  const look = async (): Promise<void> => {
    for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(pauseMs * 2, LAST_LOOK_MS)) {
      session.terminal.interrupted.throwIfAborted();
      try {
        const found = await session.sendForJson(readOf(target), { untilMs: deadlineMs });
        if (!isObject(found) || metadataText(found, "uid") !== uid) return;
      } catch (error) {
        if (isApiError(error, "NotFound")) return;
        throw error;
      }
      const leftMs = deadlineMs - session.clock.monotonicMs();
      if (leftMs <= 0) throw new CliError(`timed out waiting for the condition on ${resource.resource}/${name}`);
      await session.pause(Math.min(pauseMs, leftMs));
    }
  };
  await whileWaiting(session, () => `waiting until ${objectName(resource, name)} is gone`, look);
}
