// `pctl replace`: puts whole objects in the place of those that are there.

import { isObject, type JsonObject } from "../../base/json.ts";
import { pathOf } from "../../client/discovery.ts";
import { jsonText } from "../../codec/json.ts";
import { CliError, type Command } from "../command.ts";
import { CASCADE_FLAG, DELETE_TIMEOUT_FLAG, deleteAndWait, GRACE_PERIOD_FLAG, readDeletion } from "../deletion.ts";
import { memberOf } from "../json-members.ts";
import { SAVE_CONFIG_FLAG, withLastApplied } from "../last-applied.ts";
import { withQuery } from "../list-pages.ts";
import { RAW_FLAG, sendRaw } from "../raw-request.ts";
import type { Session } from "../session.ts";
import {
  FILE_FLAGS,
  forEachManifest,
  manifestsOf,
  metadataText,
  nameOfManifest,
  resourceOfManifest,
  withNamespace,
} from "../targets.ts";
import { readWriteSettings, WRITE_FLAGS } from "../write-flags.ts";

export const replace: Command = {
  name: "replace",
  summary: "replace objects by what files say",
  arguments: "-f FILE|FOLDER|-",
  flags: [
    ...FILE_FLAGS,
    ...WRITE_FLAGS,
    { name: "subresource", value: "name", summary: "status, scale, ..." },
    { name: "force", summary: "delete what is there, and make it anew" },
    CASCADE_FLAG,
    GRACE_PERIOD_FLAG,
    DELETE_TIMEOUT_FLAG,
    { name: "wait", summary: "with --force: how it is always done here" },
    SAVE_CONFIG_FLAG,
    RAW_FLAG,
  ],
  async run(session, args, flags) {
    if (await sendRaw(session, "PUT", args, flags)) return;
    if (args.length > 0) throw new CliError(`unexpected argument ${JSON.stringify(args[0])}`);
    if (flags.list("filename").length === 0) throw new CliError("must specify -f");
    const manifests = await manifestsOf(session, flags);
    if (manifests.length === 0) throw new CliError("no objects passed to replace");
    const { query, dryRun, send, shown } = readWriteSettings(flags);
    const subresource = flags.text("subresource");
    const anew = flags.switch("force");
    if (anew && dryRun !== "none") throw new CliError("--force deletes: it excludes --dry-run");
    for (const name of OF_FORCE) {
      if (!anew && flags.text(name) !== undefined) throw new CliError(`--${name} must have --force specified`);
    }
    const deletion = readDeletion(flags, { forces: false });
    if (anew && subresource !== undefined) throw new CliError("--force makes whole objects: it excludes --subresource");
    await forEachManifest(session, manifests, async (manifest) => {
      const resource = await resourceOfManifest(session, manifest);
      const object = resource.namespaced ? withNamespace(session, manifest.object) : manifest.object;
      const name = nameOfManifest(manifest);
      const namespace = metadataText(object, "namespace");
      if (anew) await deleteAndWait(session, { resource, namespace, name }, { deletion });
      const path = pathOf(resource, namespace, anew ? undefined : name);
      const kept = await withLastApplied(session, object, flags);
      const whole = anew || dryRun === "client" ? kept : await withVersion(session, path, kept);
      const answer = await send(session, {
        method: anew ? "POST" : "PUT",
        path: withQuery(subresource === undefined ? path : `${path}/${subresource}`, query),
        body: jsonText(whole),
      });
      session.terminal.write(shown(resource, name, answer, "replaced"));
    });
  },
};

/** How what is there is deleted. */
const OF_FORCE = [GRACE_PERIOD_FLAG, DELETE_TIMEOUT_FLAG].map(({ name }) => name);

/** Some kinds are replaced only by who says which version: a file that says none means the one that is there. */
async function withVersion(session: Session, path: string, object: JsonObject): Promise<JsonObject> {
  if (metadataText(object, "resourceVersion") !== undefined) return object;
  const live = await session.sendForJson({ method: "GET", path });
  const resourceVersion = isObject(live) ? metadataText(live, "resourceVersion") : undefined;
  return { ...object, metadata: { ...memberOf(object, "metadata"), resourceVersion } };
}
