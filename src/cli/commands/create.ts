// `pctl create`: makes objects from files, or from words for the kinds that are made most often.

import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { didYouMean } from "../../base/nearest-word.ts";
import { pathOf } from "../../client/discovery.ts";
import { jsonText } from "../../codec/json.ts";
import { CliError, type Command, type Flags } from "../command.ts";
import { editText, LINE_ENDS_FLAG } from "../edit-text.ts";
import type { Generator } from "../generators/generator.ts";
import { GENERATORS } from "../generators.ts";
import { SAVE_CONFIG_FLAG, withLastApplied } from "../last-applied.ts";
import { withQuery } from "../list-pages.ts";
import { nameOf, objectText } from "../printing/object-text.ts";
import { RAW_FLAG, sendRaw } from "../raw-request.ts";
import type { Manifest } from "../read-manifests.ts";
import type { Session } from "../session.ts";
import {
  forEachManifest,
  MANIFEST_FLAGS,
  manifestsOf,
  metadataText,
  resourceOfManifest,
  withNamespace,
} from "../targets.ts";
import { readWriteSettings, WRITE_FLAGS } from "../write-flags.ts";
import { createToken } from "./create-token.ts";

export const create: Command = {
  name: "create",
  summary: "make objects from files, or from words",
  arguments: "-f FILE|FOLDER|-",
  flags: [
    ...MANIFEST_FLAGS,
    ...WRITE_FLAGS,
    { name: "edit", summary: "change each object in an editor first; what is left as it is, is not made" },
    LINE_ENDS_FLAG,
    SAVE_CONFIG_FLAG,
    RAW_FLAG,
  ],
  commands: [...GENERATORS.map((generator) => generatorCommand(generator)), createToken],
  async run(session, args, flags) {
    if (await sendRaw(session, "POST", args, flags)) return;
    const [word] = args;
    if (word !== undefined) {
      const names = create.commands!.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
      const hint = didYouMean(word, names) || " (see pctl create --help, or use -f FILE)";
      throw new CliError(`${JSON.stringify(word)} is not made from words${hint}`);
    }
    if (flags.list("filename").length === 0) throw new CliError("must specify -f, or what to create");
    const manifests = await manifestsOf(session, flags);
    if (manifests.length === 0) throw new CliError("no objects passed to create");
    const settings = readWriteSettings(flags);
    await forEachManifest(session, manifests, async (manifest) => {
      const object = await placed(session, manifest);
      const make = (made: JsonObject): Promise<Json> =>
        createOne(session, made, manifest.place, flags, "created", settings);
      if (flags.switch("edit")) await editFirst(session, object, flags, make);
      else await make(object);
    });
  },
};

/** What a file holds belongs to the namespace of the session, unless it says so, or to none. */
async function placed(session: Session, manifest: Manifest): Promise<JsonObject> {
  const { object } = manifest;
  const { namespaced } = await resourceOfManifest(session, manifest);
  if (namespaced) return withNamespace(session, object);
  if (metadataText(object, "namespace") === undefined) return object;
  const { namespace: _, ...metadata } = object["metadata"] as JsonObject;
  return { ...object, metadata };
}

/** Lets the user change the object before it is made. What the server refuses can be mended. */
function editFirst(
  session: Session,
  object: JsonObject,
  flags: Flags,
  make: (object: JsonObject) => Promise<Json>,
): Promise<void> {
  return editText(session, {
    fileName: `${nameOf(object) || "object"}.yaml`,
    text: objectText(object, "yaml"),
    flags,
    async save(value) {
      if (!isObject(value)) throw new CliError("an object is expected");
      await make(value);
    },
  });
}

function generatorCommand({ name, aliases = [], summary, arguments: words, flags: own, make }: Generator): Command {
  return {
    name,
    aliases,
    summary,
    arguments: words,
    flags: [...own, ...WRITE_FLAGS, SAVE_CONFIG_FLAG],
    run: async (session, args, flags) => {
      const { dialect } = await session.discovery();
      await createOne(session, await make({ args, flags, dialect, session }), "the command line", flags);
    },
  };
}

/** The answer: the object as it was made. */
export async function createOne(
  session: Session,
  object: JsonObject,
  place: string,
  flags: Flags,
  outcome = "created",
  { query, dryRun, send, shown } = readWriteSettings(flags),
): Promise<Json> {
  const type = { apiVersion: String(object["apiVersion"]), kind: String(object["kind"]) };
  const resource = await resourceOfManifest(session, { ...type, place });
  const own = resource.namespaced ? withNamespace(session, object) : object;
  // What words make, to be kept in a file, belongs to no namespace unless somebody says so.
  const isToBeKept = dryRun === "client" && session.givenNamespace === undefined;
  const sent = await withLastApplied(session, isToBeKept ? object : own, flags);
  const answer = await send(session, {
    method: "POST",
    path: withQuery(pathOf(resource, metadataText(own, "namespace")), query),
    body: jsonText(sent),
  });
  session.terminal.write(shown(resource, nameOf(answer) || "<unknown>", answer, outcome));
  return answer;
}
