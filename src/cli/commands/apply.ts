// `pctl apply`: server-side apply of the objects in files. Requirements: document 1, "Server-side apply".

import { isObject } from "../../base/json.ts";
import { jsonText } from "../../codec/json.ts";
import { APPLY_SET_FLAG, type ApplySet, OLD_PRUNE_FLAGS, openApplySet } from "../apply-set.ts";
import { CliError, type Command, type Flags } from "../command.ts";
import { CASCADE_FLAG, DELETE_TIMEOUT_FLAG, GRACE_PERIOD_FLAG, readDeletion } from "../deletion.ts";
import { fieldOwners, ownersTable } from "../field-owners.ts";
import { withQuery } from "../list-pages.ts";
import type { Manifest } from "../read-manifests.ts";
import type { Session } from "../session.ts";
import {
  forEachManifest,
  MANIFEST_FLAGS,
  manifestsOf,
  metadataText,
  nameOfManifest,
  resourceOfManifest,
  targetPath,
  withNamespace,
} from "../targets.ts";
import { readWriteSettings, WRITE_FLAGS, type WriteSettings } from "../write-flags.ts";
import { editLastApplied, setLastApplied, viewLastApplied } from "./last-applied.ts";

export const apply: Command = {
  name: "apply",
  summary: "make objects as files say, by server-side apply",
  arguments: "-f FILE|FOLDER|-",
  flags: [
    ...MANIFEST_FLAGS,
    ...WRITE_FLAGS,
    { name: "force-conflicts", summary: "take fields over from other owners" },
    { name: "server-side", summary: "how it is always done here" },
    { name: "prune", summary: "delete what was in the apply set and is no longer in the files" },
    APPLY_SET_FLAG,
    CASCADE_FLAG,
    GRACE_PERIOD_FLAG,
    DELETE_TIMEOUT_FLAG,
    { name: "wait", summary: "with --prune: until what is pruned is gone" },
    { name: "show-owners", summary: "who owns which field afterwards" },
    { name: "subresource", value: "name", summary: "apply to status, scale, ... of the objects" },
    { name: "overwrite", summary: "", refused: "--force-conflicts takes fields over from other owners" },
    { name: "openapi-patch", summary: "", refused: "the server applies, and knows the types of all fields" },
    { name: "force", summary: "", refused: "pctl replace --force deletes what is there, and makes it anew" },
    ...OLD_PRUNE_FLAGS,
  ],
  commands: [viewLastApplied, setLastApplied, editLastApplied],
  async run(session, args, flags) {
    if (args.length > 0) throw new CliError(`unexpected argument ${JSON.stringify(args[0])}`);
    if (flags.list("filename").length === 0) throw new CliError("must specify -f");
    if (!flags.switch("server-side", true)) throw new CliError("objects are applied by the server only");
    const manifests = await manifestsOf(session, flags);
    if (manifests.length === 0) throw new CliError("no objects passed to apply");
    const settings = readWriteSettings(flags);
    const deletion = readDeletion(flags, { forces: false });
    if (settings.dryRun === "client") for (const name of NEED_SERVER) refuse(flags, name);
    if (flags.switch("force-conflicts")) settings.query.set("force", "true");
    const set = await openApplySet(session, manifests, flags);
    await set?.begin(settings.query);
    await forEachManifest(session, manifests, (manifest) => applyOne(session, manifest, settings, flags, set));
    // What could not be applied is still wanted.
    if (!session.failed) await set?.prune(settings.query, deletion, flags.switch("wait"));
  },
};

/** What only the server knows. */
const NEED_SERVER = ["prune", "show-owners"];

function refuse(flags: Flags, name: string): void {
  if (flags.switch(name)) throw new CliError(`--${name} needs the server's word: use --dry-run=server`);
}

async function applyOne(
  session: Session,
  manifest: Manifest,
  { query, send, shown }: WriteSettings,
  flags: Flags,
  set: ApplySet | undefined,
): Promise<void> {
  const resource = await resourceOfManifest(session, manifest);
  const name = nameOfManifest(manifest);
  const placed = resource.namespaced ? withNamespace(session, manifest.object) : manifest.object;
  const object = set === undefined ? placed : set.withLabel(placed);
  const answer = await send(session, {
    method: "PATCH",
    path: withQuery(
      targetPath({ resource, namespace: metadataText(object, "namespace"), name }, flags.text("subresource")),
      query,
    ),
    headers: { "content-type": "application/apply-patch+yaml" },
    body: jsonText(object),
    // The same wish twice has the same outcome.
    idempotent: true,
  });
  set?.keep(answer);
  session.terminal.write(shown(resource, name, answer, "serverside-applied"));
  if (flags.switch("show-owners") && isObject(answer)) session.terminal.write(ownersTable(fieldOwners(answer)));
}
