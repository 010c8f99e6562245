// `pctl label` and `pctl annotate`: `key=value` sets, `key-` removes; what is there is only changed with --overwrite.

import { getKey, type Json, type JsonObject } from "../../base/json.ts";
import { jsonText } from "../../codec/json.ts";
import { changeObjects } from "../change-objects.ts";
import { CliError, type Command } from "../command.ts";
import { memberOf } from "../json-members.ts";
import { withQuery } from "../list-pages.ts";
import type { Session } from "../session.ts";
import { forEachTarget, readTargets, TARGET_FLAGS, type Target, targetPath } from "../targets.ts";
import { readWriteSettings, WRITE_FLAGS, type WriteSettings } from "../write-flags.ts";

export const label = metadataCommand("label", "labels", { changed: "labeled", removed: "unlabeled" });
export const annotate = metadataCommand("annotate", "annotations", { changed: "annotated", removed: "annotated" });

interface Outcomes {
  readonly changed: string;
  /** When nothing but removals was asked for. */
  readonly removed: string;
}

function metadataCommand(name: string, field: "labels" | "annotations", outcomes: Outcomes): Command {
  return {
    name,
    summary: `set ${field} of objects, or remove them`,
    arguments: "TYPE NAME... | TYPE/NAME... KEY=VALUE... KEY-...",
    flags: [
      ...TARGET_FLAGS,
      ...WRITE_FLAGS,
      { name: "overwrite", summary: "change those that are there" },
      { name: "list", summary: `show the ${field} afterwards` },
      { name: "resource-version", value: "version", summary: "only if the object has this version now" },
      { name: "local", summary: "change what the files say and show it: no server is asked for the objects" },
    ],
    async run(session, args, flags) {
      // No name of an object has an equals sign, or ends with a dash.
      const isChange = (arg: string) => arg.includes("=") || arg.endsWith("-");
      const changes = readChanges(args.filter(isChange));
      if (changes.size === 0 && !flags.switch("list")) throw new CliError(`at least one change of ${field} is needed`);
      const words = args.filter((arg) => !isChange(arg));
      const settings = readWriteSettings(flags);
      const resourceVersion = flags.text("resource-version");
      const change = { name, field, changes, overwrite: flags.switch("overwrite"), resourceVersion, outcomes };
      if (flags.switch("local")) {
        await changeObjects(session, words, flags, {
          outcome: outcomes.changed,
          apply: (object) => withValues(object, judged(session, object, change), field),
        });
        return;
      }
      const targets = await readTargets(session, words, flags);
      await forEachTarget(session, targets, async (target) => {
        const values = await changeMetadata(session, target, change, settings);
        if (!flags.switch("list")) return;
        for (const [key, value] of Object.entries(values).sort()) session.terminal.write(`${key}=${String(value)}\n`);
      });
    },
  };
}

interface MetadataChange {
  /** What one of them is called. */
  readonly name: string;
  readonly field: "labels" | "annotations";
  /** Undefined removes. */
  readonly changes: ReadonlyMap<string, string | undefined>;
  readonly overwrite: boolean;
  /** That the object must have. */
  readonly resourceVersion: string | undefined;
  readonly outcomes: Outcomes;
}

/** What is there afterwards. Fails with CliError where something would be overwritten. */
function judged(session: Session, object: Json, { name, field, changes, overwrite }: MetadataChange): JsonObject {
  const before = valuesOf(object, field);
  for (const [key, value] of changes) {
    const there = getKey(before, key);
    if (value === undefined && there === undefined)
      session.terminal.write(`${name === "annotate" ? "annotation" : name} ${JSON.stringify(key)} not found.\n`);
    if (value !== undefined && there !== undefined && there !== value && !overwrite)
      throw new CliError(`'${key}' already has a value (${String(there)}), and --overwrite is false`);
  }
  const changed = Object.fromEntries([...changes].map(([key, value]) => [key, value ?? null]));
  return Object.fromEntries(Object.entries({ ...before, ...changed }).filter(([, value]) => value !== null));
}

function withValues(object: JsonObject, values: JsonObject, field: string): JsonObject {
  const { [field]: _, ...others } = memberOf(object, "metadata");
  return { ...object, metadata: Object.keys(values).length === 0 ? others : { ...others, [field]: values } };
}

/** The values afterwards. */
async function changeMetadata(
  session: Session,
  target: Target,
  change: MetadataChange,
  { query, send, shown }: WriteSettings,
): Promise<JsonObject> {
  const { field, changes, overwrite, resourceVersion, outcomes } = change;
  const path = targetPath(target);
  const live = await session.sendForJson({ method: "GET", path });
  const before = valuesOf(live, field);
  if (changes.size === 0) return before;
  const after = withValues(live as JsonObject, judged(session, live, change), field);
  const changed = [...changes].some(([key, value]) => getKey(before, key) !== value);
  if (!changed) {
    session.terminal.write(shown(target.resource, target.name, live, `not ${outcomes.changed}`));
    return before;
  }
  const values = Object.fromEntries([...changes].map(([key, value]) => [key, value ?? null]));
  // What was judged above is what is changed.
  const judgedVersion = overwrite ? undefined : (memberOf(live, "metadata")["resourceVersion"] ?? null);
  const version = resourceVersion ?? judgedVersion;
  const written = await send(
    session,
    {
      method: "PATCH",
      path: withQuery(path, query),
      headers: { "content-type": "application/merge-patch+json" },
      body: jsonText({ metadata: { ...(version === undefined ? {} : { resourceVersion: version }), [field]: values } }),
    },
    after,
  );
  const removing = [...changes.values()].every((value) => value === undefined);
  session.terminal.write(shown(target.resource, target.name, written, removing ? outcomes.removed : outcomes.changed));
  return valuesOf(written, field);
}

function readChanges(args: readonly string[]): Map<string, string | undefined> {
  const changes = new Map<string, string | undefined>();
  for (const arg of args) {
    const at = arg.indexOf("=");
    const key = at < 0 ? arg.slice(0, -1) : arg.slice(0, at);
    if (key === "" || changes.has(key)) throw new CliError(`${JSON.stringify(arg)}: a key is missing, or stands twice`);
    changes.set(key, at < 0 ? undefined : arg.slice(at + 1));
  }
  return changes;
}

const valuesOf = (object: Json, field: string): JsonObject => memberOf(memberOf(object, "metadata"), field);
