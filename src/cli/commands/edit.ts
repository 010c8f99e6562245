// `pctl edit`: opens an object in the user's editor and writes what is saved. A text that the server refuses can be mended.

import { isObject } from "../../base/json.ts";
import { jsonText } from "../../codec/json.ts";
import { CliError, type Command } from "../command.ts";
import { editText } from "../edit-text.ts";
import { withQuery } from "../list-pages.ts";
import { objectName, objectText, withoutManagedFields } from "../printing/object-text.ts";
import { readTarget, targetPath } from "../targets.ts";

export const edit: Command = {
  name: "edit",
  summary: "change an object in an editor",
  arguments: "TYPE NAME | TYPE/NAME",
  flags: [
    { name: "subresource", value: "name", summary: "status, scale, ..." },
    { name: "field-manager", value: "name", summary: "who owns the fields afterwards (pctl-edit)" },
  ],
  async run(session, args, flags) {
    const target = await readTarget(session, args);
    const path = targetPath(target, flags.text("subresource"));
    const live = await session.sendForJson({ method: "GET", path });
    if (!isObject(live)) throw new CliError("the server answers with something else than an object");
    const query = new URLSearchParams({
      fieldManager: flags.text("field-manager") ?? "pctl-edit",
      fieldValidation: "Strict",
    });
    await editText(session, {
      fileName: `${target.name}.yaml`,
      text: objectText(withoutManagedFields(live), "yaml"),
      async save(value) {
        await session.sendForJson({ method: "PUT", path: withQuery(path, query), body: jsonText(value) });
        session.terminal.write(`${objectName(target.resource, target.name)} edited\n`);
      },
    });
  },
};
