// Reads objects, changes them by a rule, and writes what differs: for commands that change one thing of an object whose
// other parts they do not know.

import { equalJson, isObject, type Json, type JsonObject } from "../base/json.ts";
import { isApiError } from "../client/api-error.ts";
import { jsonText } from "../codec/json.ts";
import { CliError, type Flag, type Flags } from "./command.ts";
import { memberOf, textAt } from "./json-members.ts";
import { withQuery } from "./list-pages.ts";
import { mergePatch } from "./merge-patch.ts";
import { nameOf } from "./printing/object-text.ts";
import type { Session } from "./session.ts";
import { forEachTarget, manifestsOf, readTargets, TARGET_FLAGS, type Target, targetPath } from "./targets.ts";
import { readWriteSettings, WRITE_FLAGS, type WriteSettings } from "./write-flags.ts";

export const CHANGE_FLAGS: readonly Flag[] = [
  ...TARGET_FLAGS,
  ...WRITE_FLAGS,
  { name: "local", summary: "change what the files say and show it: no server is asked for the objects" },
];

interface Change {
  /** What is told of it: `image updated`. */
  readonly outcome: string;
  /** A type without names means all of it. */
  readonly allWhenUnnamed?: boolean;
  /** What is told where there was nothing to change; `image updated (no change)` when not given. */
  readonly unchanged?: () => string;
  /**
   * The object as it should be; the one given stays as it is. `title` is for messages: `deployments.apps "web"`. Fails
   * with CliError.
   */
  apply(object: JsonObject, title: string): JsonObject | Promise<JsonObject>;
}

/** Fails with CliError. */
export async function changeObjects(
  session: Session,
  words: readonly string[],
  flags: Flags,
  change: Change,
): Promise<void> {
  const settings = readWriteSettings(flags);
  if (flags.switch("local")) return changeFiles(session, words, flags, change, settings);
  const targets = await readTargets(session, words, flags, change);
  await forEachTarget(session, targets, (target) => changeOne(session, target, change, settings));
}

/** So often somebody else may come in between. */
const MAX_ROUNDS = 5;

async function changeOne(session: Session, target: Target, change: Change, settings: WriteSettings): Promise<void> {
  const { query, dryRun, shown } = settings;
  const { resource, group } = target.resource;
  const title = `${[resource, group].filter((part) => part !== "").join(".")} ${JSON.stringify(target.name)}`;
  for (let round = 1; ; round += 1) {
    const before = await session.sendForJson({ method: "GET", path: targetPath(target) });
    if (!isObject(before)) throw new CliError("the server answers with something else than an object");
    const after = await change.apply(before, title);
    const unchanged = equalJson(before, after);
    const outcome = unchanged ? (change.unchanged?.() ?? `${change.outcome} (no change)`) : change.outcome;
    const tell = (answer: Json): void => session.terminal.write(shown(target.resource, target.name, answer, outcome));
    if (unchanged || dryRun === "client") return tell(after);
    try {
      tell(
        await session.sendForJson({
          method: "PATCH",
          path: withQuery(targetPath(target), query),
          headers: { "content-type": "application/merge-patch+json" },
          body: jsonText(onlyFor(before, mergePatch(before, after))),
        }),
      );
      return;
    } catch (error) {
      if (!isApiError(error, "Conflict") || round === MAX_ROUNDS) throw error;
    }
  }
}

/** Lists are written whole, so that what came into them meanwhile would be lost: the version must be the one that was read. */
function onlyFor(before: JsonObject, patch: JsonObject): JsonObject {
  const resourceVersion = textAt(memberOf(before, "metadata"), "resourceVersion");
  return { ...patch, metadata: { ...memberOf(patch, "metadata"), resourceVersion } };
}

async function changeFiles(
  session: Session,
  words: readonly string[],
  flags: Flags,
  change: Change,
  { dryRun, shown }: WriteSettings,
): Promise<void> {
  if (words.length > 0) throw new CliError("--local changes what stands in files: use -f, without names");
  if (dryRun === "server") throw new CliError("--local asks no server: it excludes --dry-run=server");
  await forEachTarget(session, await manifestsOf(session, flags), async ({ apiVersion, kind, object }) => {
    const at = apiVersion.indexOf("/");
    const resource = { group: at < 0 ? "" : apiVersion.slice(0, at), kind };
    const title = `${kind.toLowerCase()} ${JSON.stringify(nameOf(object))}`;
    session.terminal.write(shown(resource, nameOf(object), await change.apply(object, title), change.outcome));
  });
}
