// `pctl apply`: server-side apply of the objects in files. Requirements: document 1, "Server-side apply".

import { pathOf } from "../../client/discovery.ts";
import { jsonText } from "../../codec/json.ts";
import { CliError, type Command } from "../command.ts";
import { withQuery } from "../list-pages.ts";
import { nameOf } from "../printing/object-text.ts";
import type { Manifest } from "../read-manifests.ts";
import type { Session } from "../session.ts";
import { FILE_FLAGS, forEachTarget, manifestsOf, metadataText, resourceOfManifest, withNamespace } from "../targets.ts";
import { readWriteSettings, WRITE_FLAGS, type WriteSettings } from "../write-flags.ts";

export const apply: Command = {
  name: "apply",
  summary: "make objects as files say, by server-side apply",
  arguments: "-f FILE|FOLDER|-",
  flags: [
    ...FILE_FLAGS,
    ...WRITE_FLAGS,
    { name: "force-conflicts", summary: "take fields over from other owners" },
    { name: "server-side", summary: "how it is always done here" },
  ],
  async run(session, args, flags) {
    if (args.length > 0) throw new CliError(`unexpected argument ${JSON.stringify(args[0])}`);
    if (flags.list("filename").length === 0) throw new CliError("must specify -f");
    if (!flags.switch("server-side", true)) throw new CliError("objects are applied by the server only");
    const manifests = await manifestsOf(session, flags);
    if (manifests.length === 0) throw new CliError("no objects passed to apply");
    const settings = readWriteSettings(flags);
    if (flags.switch("force-conflicts")) settings.query.set("force", "true");
    await forEachTarget(session, manifests, (manifest) =>
      applyOne(session, manifest, settings, flags.text("namespace")),
    );
  },
};

async function applyOne(
  session: Session,
  manifest: Manifest,
  { query, shown }: WriteSettings,
  given: string | undefined,
): Promise<void> {
  const resource = await resourceOfManifest(session, manifest);
  const name = nameOf(manifest.object);
  if (name === "") throw new CliError(`${manifest.source}: metadata.name is not set`);
  const object = resource.namespaced ? withNamespace(session, manifest.object, given) : manifest.object;
  const answer = await session.sendForJson({
    method: "PATCH",
    path: withQuery(pathOf(resource, metadataText(object, "namespace"), name), query),
    headers: { "content-type": "application/apply-patch+yaml" },
    body: jsonText(object),
    // The same wish twice has the same outcome.
    idempotent: true,
  });
  session.terminal.write(shown(resource, name, answer, "serverside-applied"));
}
