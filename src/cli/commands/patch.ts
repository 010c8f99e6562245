// `pctl patch`: changes objects by a strategic merge, merge or JSON patch. Requirements: document 1, "Patch".

import { equalJson, type Json, type JsonObject } from "../../base/json.ts";
import { isApiError } from "../../client/api-error.ts";
import { jsonText } from "../../codec/json.ts";
import { CliError, type Command, type Flags } from "../command.ts";
import { fileText } from "../file-text.ts";
import { withQuery } from "../list-pages.ts";
import { parsePatch, patchHere } from "../patch-here.ts";
import { nameOf } from "../printing/object-text.ts";
import type { Session } from "../session.ts";
import { forEachTarget, manifestsOf, readTargets, resourceOfManifest, TARGET_FLAGS, targetPath } from "../targets.ts";
import { readWriteSettings, WRITE_FLAGS } from "../write-flags.ts";

const TYPES = {
  strategic: "application/strategic-merge-patch+json",
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
};

export const patch: Command = {
  name: "patch",
  summary: "change fields of objects",
  arguments: "TYPE NAME... | TYPE/NAME... -p PATCH",
  flags: [
    ...TARGET_FLAGS,
    ...WRITE_FLAGS,
    { name: "patch", short: "p", value: "patch", summary: "the patch, as JSON or YAML" },
    { name: "patch-file", value: "file", summary: "a file with the patch" },
    { name: "type", value: "type", summary: "strategic (when not given; merge for custom kinds), merge, json" },
    { name: "subresource", value: "name", summary: "status, scale, ..." },
    { name: "local", summary: "patch what files say, and show it; nothing is sent" },
  ],
  async run(session, args, flags) {
    const patchValue = readPatch(flags);
    const body = jsonText(patchValue);
    const settings = readWriteSettings(flags);
    const type = flags.choice("type", ["strategic", "merge", "json"]);
    if (flags.switch("local")) return patchFiles(session, args, patchValue, flags);
    await forEachTarget(session, await readTargets(session, args, flags), async (target) => {
      const path = targetPath(target, flags.text("subresource"));
      const before = await session.sendForJson({ method: "GET", path });
      const send = (how: keyof typeof TYPES): Promise<Json | undefined> =>
        settings.dryRun === "client"
          ? patchHere(session, before as JsonObject, patchValue, how)
          : session
              .sendForJson({
                method: "PATCH",
                path: withQuery(path, settings.query),
                headers: { "content-type": TYPES[how] },
                body,
              })
              .catch((error: unknown) => {
                if (!isApiError(error, "UnsupportedMediaType") || flags.text("type") !== undefined) throw error;
                return undefined;
              });
      // Custom kinds have no strategic merge; who has not asked for it gets what they have.
      const answer = (await send(type)) ?? (flags.text("type") === undefined ? await send("merge") : undefined);
      if (answer === undefined)
        throw new CliError(`${target.resource.kind} is a custom kind, without strategic merge: use --type=merge`);
      const outcome = equalJson(answer, before) ? "patched (no change)" : "patched";
      session.terminal.write(settings.shown(target.resource, target.name, answer, outcome));
    });
  },
};

/** Fails with CliError. */
async function patchFiles(session: Session, args: readonly string[], value: Json, flags: Flags): Promise<void> {
  if (args.length > 0 || flags.list("filename").length === 0) throw new CliError("--local patches files: use -f");
  const settings = readWriteSettings(flags);
  const type = flags.choice("type", ["strategic", "merge", "json"]);
  await forEachTarget(session, await manifestsOf(session, flags), async (manifest) => {
    const resource = await resourceOfManifest(session, manifest);
    const patched = await patchHere(session, manifest.object, value, type);
    if (patched === undefined)
      throw new CliError(`${manifest.kind} is a custom kind, without strategic merge: use --type=merge`);
    const outcome = equalJson(patched, manifest.object) ? "patched (no change)" : "patched";
    session.terminal.write(settings.shown(resource, nameOf(manifest.object), patched, outcome));
  });
}

function readPatch(flags: Flags): Json {
  const file = flags.text("patch-file");
  const text = file === undefined ? flags.text("patch") : fileText(file);
  if (text === undefined)
    throw new CliError("must specify --patch or --patch-file containing the contents of the patch");
  return parsePatch(text, "the patch");
}
