// `pctl apply`: server-side apply of the objects in files. Requirements: document 1, "Server-side apply".

import { getKey, isObject, type Json, type JsonObject } from "../../base/json.ts";
import { findKind, pathOf, type ServedResource } from "../../client/discovery.ts";
import { jsonText } from "../../codec/json.ts";
import { CliError, type Command, type Flags } from "../command.ts";
import { withQuery } from "../list-pages.ts";
import { nameOf, objectName, objectText, withoutManagedFields } from "../printing/object-text.ts";
import { type Manifest, readManifests } from "../read-manifests.ts";
import type { Session } from "../session.ts";

export const apply: Command = {
  name: "apply",
  summary: "make objects as files say, by server-side apply",
  arguments: "-f FILE|FOLDER|-",
  flags: [
    {
      name: "filename",
      short: "f",
      value: "path",
      summary: "files, folders, or - for standard input; may be repeated",
    },
    { name: "recursive", short: "R", summary: "folders in folders too" },
    { name: "field-manager", value: "name", summary: "who owns the fields afterwards (pctl)" },
    { name: "force-conflicts", summary: "take fields over from other owners" },
    { name: "dry-run", value: "mode", summary: "none (when not given), or server: nothing is kept" },
    { name: "validate", value: "mode", summary: "strict (when not given), warn, ignore: unknown fields" },
    { name: "server-side", summary: "how it is always done here" },
    { name: "output", short: "o", value: "format", summary: "json, yaml, name" },
  ],
  async run(session, args, flags) {
    const names = flags.list("filename");
    if (args.length > 0) throw new CliError(`unexpected argument ${JSON.stringify(args[0])}`);
    if (names.length === 0) throw new CliError("must specify -f");
    if (!flags.switch("server-side", true)) throw new CliError("objects are applied by the server only");
    if (names.includes("-")) session.takeStdin("used by stdin resource manifest reader");
    const { readInput } = session.terminal;
    const manifests = await readManifests({ names, recursive: flags.switch("recursive"), readInput });
    if (manifests.length === 0) throw new CliError("no objects passed to apply");
    const options = readOptions(flags);
    for (const manifest of manifests) {
      try {
        await applyOne(session, manifest, options);
      } catch (error) {
        if (manifests.length === 1) throw error;
        session.report(error);
      }
    }
  },
};

interface Options {
  readonly query: URLSearchParams;
  readonly dryRun: boolean;
  readonly format: "" | "json" | "yaml" | "name";
  /** Of the command line, which objects must not contradict. */
  readonly namespace: string | undefined;
}

const VALIDATION = { "": "Strict", strict: "Strict", true: "Strict", warn: "Warn", ignore: "Ignore", false: "Ignore" };

function readOptions(flags: Flags): Options {
  const validate = flags.choice("validate", ["", "strict", "true", "warn", "ignore", "false"]);
  const dryRun = flags.choice("dry-run", ["none", "server"]) === "server";
  return {
    query: new URLSearchParams({
      fieldManager: flags.text("field-manager") ?? "pctl",
      fieldValidation: VALIDATION[validate],
      ...(flags.switch("force-conflicts") ? { force: "true" } : {}),
      ...(dryRun ? { dryRun: "All" } : {}),
    }),
    dryRun,
    format: flags.choice("output", ["", "json", "yaml", "name"]),
    namespace: flags.text("namespace"),
  };
}

async function applyOne(session: Session, manifest: Manifest, options: Options): Promise<void> {
  const resource = await resourceOf(session, manifest);
  const name = nameOf(manifest.object);
  if (name === "") throw new CliError(`${manifest.source}: metadata.name is not set`);
  const object = resource.namespaced ? inNamespace(session, manifest.object, options) : manifest.object;
  const answer = await session.sendForJson({
    method: "PATCH",
    path: withQuery(pathOf(resource, namespaceIn(object), name), options.query),
    headers: { "content-type": "application/apply-patch+yaml" },
    body: jsonText(object),
    // The same wish twice has the same outcome.
    idempotent: true,
  });
  session.terminal.write(shown(resource, name, answer, options));
}

/** A kind that is not known yet may have come with an object just applied. */
async function resourceOf(session: Session, { apiVersion, kind, source }: Manifest): Promise<ServedResource> {
  const known = findKind(await session.discovery(), apiVersion, kind);
  if (known !== undefined) return known;
  session.forgetDiscovery();
  const found = findKind(await session.discovery(), apiVersion, kind);
  if (found !== undefined) return found;
  throw new CliError(
    `${source}: the server has no kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`,
  );
}

function inNamespace(session: Session, object: JsonObject, { namespace }: Options): JsonObject {
  const own = namespaceIn(object);
  if (own !== undefined && namespace !== undefined && own !== namespace) {
    throw new CliError(
      `the namespace from the provided object ${JSON.stringify(own)} does not match the namespace ${JSON.stringify(namespace)}`,
    );
  }
  if (own !== undefined) return object;
  return { ...object, metadata: { ...(object["metadata"] as JsonObject), namespace: session.namespace } };
}

function namespaceIn(object: JsonObject): string | undefined {
  const metadata = getKey(object, "metadata");
  const namespace = isObject(metadata) ? getKey(metadata, "namespace") : undefined;
  return typeof namespace === "string" && namespace !== "" ? namespace : undefined;
}

function shown(resource: ServedResource, name: string, answer: Json, { format, dryRun }: Options): string {
  if (format === "name") return `${objectName(resource, name)}\n`;
  if (format !== "") return objectText(isObject(answer) ? withoutManagedFields(answer) : answer, format);
  return `${objectName(resource, name)} serverside-applied${dryRun ? " (server dry run)" : ""}\n`;
}
