// `pctl edit`: opens objects in the user's editor and writes what is changed. A text that the server refuses can be mended.

import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { isApiError } from "../../client/api-error.ts";
import { jsonText } from "../../codec/json.ts";
import { CliError, type Command, type Flags } from "../command.ts";
import { editText, LINE_ENDS_FLAG } from "../edit-text.ts";
import { memberOf } from "../json-members.ts";
import { SAVE_CONFIG_FLAG, withLastApplied } from "../last-applied.ts";
import { withQuery } from "../list-pages.ts";
import { mergePatch, patchesMeet } from "../merge-patch.ts";
import { objectText } from "../printing/object-text.ts";
import type { Session } from "../session.ts";
import { FILE_FLAGS, forEachTarget, readTargets, type Target, targetPath } from "../targets.ts";
import { readWriteSettings, WRITE_FLAGS } from "../write-flags.ts";

export const edit: Command = {
  name: "edit",
  summary: "change objects in an editor; of what others change meanwhile nothing is lost",
  arguments: "TYPE NAME... | TYPE/NAME... | -f FILE|FOLDER|-",
  flags: [
    ...FILE_FLAGS,
    ...WRITE_FLAGS.filter(({ name }) => name !== "dry-run" && name !== "field-manager"),
    { name: "field-manager", value: "name", summary: "who owns the fields afterwards (pctl-edit)" },
    { name: "subresource", value: "name", summary: "status, scale, ..." },
    { name: "output-patch", summary: "also show what was sent" },
    LINE_ENDS_FLAG,
    SAVE_CONFIG_FLAG,
  ],
  async run(session, args, flags) {
    const targets = await readTargets(session, args, flags);
    await forEachTarget(session, targets, (target) => editOne(session, target, flags));
  },
};

async function editOne(session: Session, target: Target, flags: Flags): Promise<void> {
  const { query, shown } = readWriteSettings(flags);
  query.set("fieldManager", flags.text("field-manager") ?? "pctl-edit");
  const path = targetPath(target, flags.text("subresource"));
  const before = await readWhole(session, path);
  const format = flags.text("output") === "json" ? "json" : "yaml";
  const write = (patch: JsonObject, { resourceVersion }: Versioned): Promise<Json> =>
    session.sendForJson({
      method: "PATCH",
      path: withQuery(path, query),
      headers: { "content-type": "application/merge-patch+json" },
      // Lists are written whole: what came into them meanwhile would be lost.
      body: jsonText({ ...patch, metadata: { ...memberOf(patch, "metadata"), resourceVersion } }),
    });
  await editText(session, {
    fileName: `${target.name}.${format}`,
    text: objectText(before.object, format),
    flags,
    async save(value) {
      if (!isObject(value)) throw new CliError("an object is expected");
      const patch = mergePatch(before.object, await withLastApplied(session, value, flags));
      let answer: Json;
      try {
        answer = await write(patch, before);
      } catch (error) {
        if (!isApiError(error, "Conflict")) throw error;
        const now = await readWhole(session, path);
        if (patchesMeet(patch, mergePatch(before.object, now.object))) throw error;
        answer = await write(patch, now);
      }
      if (flags.switch("output-patch")) session.terminal.write(`Patch: ${jsonText(patch)}\n`);
      session.terminal.write(shown(target.resource, target.name, answer, "edited"));
    },
  });
}

interface Versioned {
  /** What is shown and compared: without its version. */
  readonly object: JsonObject;
  readonly resourceVersion: string;
}

async function readWhole(session: Session, path: string): Promise<Versioned> {
  const answer = await session.sendForJson({ method: "GET", path });
  if (!isObject(answer)) throw new CliError("the server answers with something else than an object");
  const { resourceVersion, managedFields: _, ...metadata } = memberOf(answer, "metadata");
  return { object: { ...answer, metadata }, resourceVersion: String(resourceVersion) };
}
