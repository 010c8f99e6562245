// `pctl wait`: until objects have a condition, a value at a path, exist, or are gone.

import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { isApiError } from "../../client/api-error.ts";
import { parseJsonPaths } from "../../codec/json-path.ts";
import { CliError, type Command } from "../command.ts";
import { itemsAt, memberOf, numberAt } from "../json-members.ts";
import { outputFlags, SHOW_MANAGED_FIELDS_FLAG } from "../printing/object-form.ts";
import { objectName } from "../printing/object-text.ts";
import { valueText } from "../printing/path-template.ts";
import { whileWaiting } from "../progress.ts";
import { readDurationMs } from "../read-duration.ts";
import type { Session } from "../session.ts";
import { forEachTarget, readTargets, TARGET_FLAGS, type Target, targetPath } from "../targets.ts";
import { readWriteSettings } from "../write-flags.ts";

const DEFAULT_TIMEOUT_MS = 30_000;

export const wait: Command = {
  name: "wait",
  summary: "wait until objects are as they should be",
  arguments: "TYPE NAME... | TYPE/NAME... --for=delete|create|condition=TYPE[=STATUS]|jsonpath=PATH[=VALUE]",
  flags: [
    ...TARGET_FLAGS,
    { name: "for", value: "what", summary: "delete, create, condition=Ready, jsonpath='{.status.phase}'=Running" },
    { name: "timeout", value: "duration", summary: "give up after so long (30s); 0 looks once, below 0 waits a week" },
    { name: "local", summary: "", refused: "what a file says does not change: only the server knows what comes of it" },
    ...outputFlags("json, yaml, name"),
    SHOW_MANAGED_FIELDS_FLAG,
  ],
  async run(session, args, flags) {
    const goal = readGoal(flags.text("for"));
    const { shown } = readWriteSettings(flags);
    const asked = readDurationMs(flags, "timeout") ?? DEFAULT_TIMEOUT_MS;
    const timeoutMs = asked < 0 ? WEEK_MS : asked;
    const deadlineMs = session.clock.monotonicMs() + timeoutMs;
    const targets = await readTargets(session, args, flags);
    // Of what is not there, only its end has come.
    if (targets.length === 0 && goal.met !== "deleted") throw new CliError("no matching resources found");
    await forEachTarget(session, targets, async (target) => {
      const waiting = `waiting for ${objectName(target.resource, target.name)}: ${flags.text("for")}`;
      const object = await whileWaiting(
        session,
        () => waiting,
        () => untilReached(session, target, goal, deadlineMs),
      );
      if (object !== NEVER_SEEN) session.terminal.write(shown(target.resource, target.name, object, goal.met));
    });
  },
};

const WEEK_MS = 7 * 24 * 3_600_000;

interface Goal {
  readonly met: string;
  /** `undefined`: there is no such object. Fails when it can never be reached. */
  reached(object: JsonObject | undefined): boolean;
}

/** Fails with CliError. */
function readGoal(text: string | undefined): Goal {
  if (text === undefined) throw new CliError("--for is needed: delete, create, condition=TYPE, jsonpath=PATH");
  if (text.toLowerCase() === "delete") return { met: "deleted", reached: (object) => object === undefined };
  if (text.toLowerCase() === "create") return { met: "created", reached: (object) => object !== undefined };
  const condition = /^condition=([^=]+)(?:=(.*))?$/.exec(text);
  if (condition !== null) return conditionGoal(condition[1]!, condition[2] ?? "true");
  const path = /^jsonpath=(.*)$/s.exec(text);
  if (path !== null) return pathGoal(path[1]!);
  throw new CliError(`--for: ${JSON.stringify(text)} is none of delete, create, condition=TYPE, jsonpath=PATH`);
}

function conditionGoal(type: string, status: string): Goal {
  return {
    met: "condition met",
    reached(object) {
      const found = itemsAt(memberOf(object, "status"), "conditions").find((each) => sameText(each["type"], type));
      if (found === undefined || !sameText(found["status"], status)) return false;
      // A condition that tells of an older form of the object says nothing of this one.
      const generation = numberAt(memberOf(object, "metadata"), "generation");
      return numberAt(found, "observedGeneration", generation) >= generation;
    },
  };
}

/** A path and a value behind `=`; what is compared in brackets belongs to the path. Both may stand in quotes. */
const PATH_GOAL = /^('?)((?:[^='"[\]]|\[(?:[^'"[\]]|'[^']*'|"[^"]*"|\[[^\]]*\])*\])+)\1(?:=(.*))?$/s;

function pathGoal(text: string): Goal {
  const [, , path = "{", value] = PATH_GOAL.exec(text) ?? [];
  const isOpen = path.startsWith("{") !== path.endsWith("}");
  const values = isOpen ? undefined : parseJsonPaths(path);
  if (values === undefined) throw new CliError(`--for: ${JSON.stringify(text)} has no path`);
  const wanted = value?.replace(/^(['"])(.*)\1$/s, "$2");
  return {
    met: "condition met",
    reached(object) {
      const found = object === undefined ? [] : values(object);
      if (wanted === undefined) return found.length > 0;
      if (found.length > 1 || typeof (found[0] ?? "") === "object")
        throw new CliError(`--for: ${path} leads to more than one value`);
      return found.length === 1 && valueText(found[0]) === wanted;
    },
  };
}

const sameText = (value: Json | undefined, text: string): boolean =>
  typeof value === "string" && value.toLowerCase() === text.toLowerCase();

const FIRST_LOOK_MS = 50;
const LAST_LOOK_MS = 1_000;

/** There is nothing to tell of it: nobody saw it go. */
const NEVER_SEEN = Symbol("never seen");

/** The object as it was last. */
async function untilReached(
  session: Session,
  target: Target,
  goal: Goal,
  deadlineMs: number,
): Promise<JsonObject | typeof NEVER_SEEN> {
  let seen: JsonObject | typeof NEVER_SEEN = NEVER_SEEN;
  for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(pauseMs * 2, LAST_LOOK_MS)) {
    const object = await find(session, target, goal, deadlineMs);
    seen = object ?? seen;
    if (goal.reached(object)) return seen;
    const leftMs = deadlineMs - session.clock.monotonicMs();
    if (leftMs <= 0)
      throw new CliError(`timed out waiting for the condition on ${target.resource.resource}/${target.name}`);
    await session.pause(Math.min(pauseMs, leftMs));
  }
}

/** Fails where an object is needed, and is not there. */
async function find(session: Session, target: Target, { met }: Goal, untilMs: number): Promise<JsonObject | undefined> {
  try {
    const object = await session.sendForJson({ method: "GET", path: targetPath(target) }, { untilMs });
    return isObject(object) ? object : undefined;
  } catch (error) {
    if (isApiError(error, "NotFound") && met !== "condition met") return undefined;
    throw error;
  }
}
