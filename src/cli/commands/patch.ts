// `pctl patch`: changes objects by a strategic merge, merge or JSON patch. Requirements: document 1, "Patch".

import { readFileSync } from "node:fs";
import { equalJson } from "../../base/json.ts";
import { isApiError } from "../../client/api-error.ts";
import { jsonText } from "../../codec/json.ts";
import { decodeYaml } from "../../codec/yaml.ts";
import { CliError, type Command, type Flags } from "../command.ts";
import { withQuery } from "../list-pages.ts";
import { forEachTarget, readTargets, TARGET_FLAGS, targetPath } from "../targets.ts";
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
  ],
  async run(session, args, flags) {
    const body = readPatch(flags);
    const settings = readWriteSettings(flags);
    const type = flags.choice("type", ["strategic", "merge", "json"]);
    await forEachTarget(session, await readTargets(session, args, flags), async (target) => {
      const path = targetPath(target, flags.text("subresource"));
      const before = await session.sendForJson({ method: "GET", path });
      const send = (mediaType: string) =>
        settings.send(session, {
          method: "PATCH",
          path: withQuery(path, settings.query),
          headers: { "content-type": mediaType },
          body,
        });
      const answer = await send(TYPES[type]).catch((error: unknown) => {
        // Custom kinds have no strategic merge; who has not asked for it gets what they have.
        if (flags.text("type") !== undefined || !isApiError(error, "UnsupportedMediaType")) throw error;
        return send(TYPES.merge);
      });
      const outcome = equalJson(answer, before) ? "patched (no change)" : "patched";
      session.terminal.write(settings.shown(target.resource, target.name, answer, outcome));
    });
  },
};

function readPatch(flags: Flags): string {
  const file = flags.text("patch-file");
  const text = file === undefined ? flags.text("patch") : readFileSync(file, "utf8");
  if (text === undefined)
    throw new CliError("must specify --patch or --patch-file containing the contents of the patch");
  try {
    return jsonText(decodeYaml(Buffer.from(text)).value);
  } catch (error) {
    throw new CliError(`unable to parse the patch: ${(error as Error).message}`);
  }
}
