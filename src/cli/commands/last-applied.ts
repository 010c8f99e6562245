// `pctl apply view-last-applied`, `set-last-applied` and `edit-last-applied`: what was applied last. Clients that apply by
// themselves keep it in an annotation; of what the server has applied it knows who owns which field.

import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { pathOf } from "../../client/discovery.ts";
import { jsonText } from "../../codec/json.ts";
import { CliError, type Command } from "../command.ts";
import { editText, LINE_ENDS_FLAG } from "../edit-text.ts";
import { appliedPart } from "../field-owners.ts";
import { memberOf } from "../json-members.ts";
import { annotationsOf, keptIn, keptText, lastAppliedAnnotation } from "../last-applied.ts";
import { withQuery } from "../list-pages.ts";
import { nameOf, objectName, objectText } from "../printing/object-text.ts";
import type { Session } from "../session.ts";
import {
  FILE_FLAGS,
  forEachManifest,
  forEachTarget,
  manifestsOf,
  metadataText,
  nameOfManifest,
  readTargets,
  resourceOfManifest,
  TARGET_FLAGS,
  targetPath,
  withNamespace,
} from "../targets.ts";
import { readWriteSettings, WRITE_FLAGS, type WriteSettings } from "../write-flags.ts";

export const viewLastApplied: Command = {
  name: "view-last-applied",
  summary: "show what was applied last: what a client has kept of it, or what a manager owns by it",
  arguments: "TYPE NAME... | TYPE/NAME... | -f FILE|FOLDER|-",
  flags: [
    ...TARGET_FLAGS,
    {
      name: "field-manager",
      value: "name",
      summary: "what this manager owns (pctl, where no client has kept anything)",
    },
    { name: "output", short: "o", value: "format", summary: "yaml (when not given), json" },
  ],
  async run(session, args, flags) {
    const asked = flags.text("field-manager");
    const format = flags.choice("output", ["yaml", "json"]);
    const annotation = await lastAppliedAnnotation(session);
    await forEachTarget(session, await readTargets(session, args, flags), async (target) => {
      const object = await session.sendForJson({ method: "GET", path: targetPath(target) });
      const kept = asked === undefined ? keptIn(object, annotation) : undefined;
      const applied = kept ?? (isObject(object) ? appliedPart(object, asked ?? "pctl") : undefined);
      if (applied === undefined) {
        const name = objectName(target.resource, target.name);
        throw new CliError(`nothing of ${name} was applied by ${JSON.stringify(asked ?? "pctl")}`);
      }
      session.terminal.write(objectText(applied, format));
    });
  },
};

export const setLastApplied: Command = {
  name: "set-last-applied",
  summary: "let clients take what files say for what was applied last; nothing else of the objects changes",
  arguments: "-f FILE|FOLDER|-",
  flags: [
    ...FILE_FLAGS,
    ...WRITE_FLAGS,
    { name: "create-annotation", summary: "also where no client has kept anything yet" },
  ],
  async run(session, args, flags) {
    if (args.length > 0) throw new CliError(`unexpected argument ${JSON.stringify(args[0])}`);
    if (flags.list("filename").length === 0) throw new CliError("must specify -f");
    const settings = readWriteSettings(flags);
    const annotation = await lastAppliedAnnotation(session);
    await forEachManifest(session, await manifestsOf(session, flags), async (manifest) => {
      const resource = await resourceOfManifest(session, manifest);
      const object = resource.namespaced ? withNamespace(session, manifest.object) : manifest.object;
      const target = { resource, namespace: metadataText(object, "namespace"), name: nameOfManifest(manifest) };
      const live = await session.sendForJson({ method: "GET", path: targetPath(target) });
      const before = annotationsOf(live)[annotation];
      if (before === undefined && !flags.switch("create-annotation")) {
        throw new CliError(
          `no last-applied-configuration annotation found on resource: ${target.name}, to create the annotation, ` +
            "run the command with --create-annotation",
        );
      }
      const text = keptText(object, annotation);
      if (before === text) {
        session.terminal.write(`set-last-applied ${target.name}: no changes required.\n`);
        return;
      }
      const path = pathOf(resource, target.namespace, target.name);
      const answer = await keep(session, { path, live, annotation, text }, settings);
      session.terminal.write(settings.shown(resource, target.name, answer, "configured"));
    });
  },
};

export const editLastApplied: Command = {
  name: "edit-last-applied",
  summary: "change in an editor what clients take for what was applied last",
  arguments: "TYPE NAME... | TYPE/NAME... | -f FILE|FOLDER|-",
  flags: [
    ...TARGET_FLAGS,
    { name: "field-manager", value: "name", summary: "who owns the annotation afterwards (pctl-edit)" },
    { name: "output", short: "o", value: "format", summary: "yaml (when not given), json: what the editor shows" },
    LINE_ENDS_FLAG,
  ],
  async run(session, args, flags) {
    const format = flags.choice("output", ["yaml", "json"]);
    const annotation = await lastAppliedAnnotation(session);
    const query = new URLSearchParams({ fieldManager: flags.text("field-manager") ?? "pctl-edit" });
    await forEachTarget(session, await readTargets(session, args, flags), async (target) => {
      const path = targetPath(target);
      const name = objectName(target.resource, target.name);
      const kept = keptIn(await session.sendForJson({ method: "GET", path }), annotation);
      if (kept === undefined) throw new CliError(`no last-applied-configuration annotation found on resource: ${name}`);
      await editText(session, {
        fileName: `${target.name}.${format}`,
        text: objectText(kept, format),
        flags,
        async save(value) {
          if (!isObject(value) || value["kind"] !== kept["kind"] || nameOf(value) !== nameOf(kept))
            throw new CliError("kind and metadata.name must stay as they are");
          const text = keptText(value, annotation);
          await session.sendForJson(patchOf(withQuery(path, query), annotation, text));
          session.terminal.write(`${name} edited\n`);
        },
      });
    });
  },
};

interface Keeping {
  readonly path: string;
  readonly live: Json;
  readonly annotation: string;
  readonly text: string;
}

function keep(session: Session, { path, live, annotation, text }: Keeping, settings: WriteSettings): Promise<Json> {
  const annotations = { ...annotationsOf(live), [annotation]: text };
  const outcome = { ...(live as JsonObject), metadata: { ...memberOf(live, "metadata"), annotations } };
  return settings.send(session, patchOf(withQuery(path, settings.query), annotation, text), outcome);
}

const patchOf = (path: string, annotation: string, text: string) => ({
  method: "PATCH" as const,
  path,
  headers: { "content-type": "application/merge-patch+json" },
  body: jsonText({ metadata: { annotations: { [annotation]: text } } }),
});
