// `pctl diff`: what an apply of files would change, as a unified diff. Exit code 1 when there is a difference, 2 when
// that cannot be said.

import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { isApiError } from "../../client/api-error.ts";
import { type DiscoveredResource, pathOf } from "../../client/discovery.ts";
import { jsonText } from "../../codec/json.ts";
import { APPLY_SET_FLAG, type ApplySet, OLD_PRUNE_FLAGS, openApplySet } from "../apply-set.ts";
import { CliError, type Command, type Flags } from "../command.ts";
import { ownersOfChanges, ownersTable } from "../field-owners.ts";
import { withQuery } from "../list-pages.ts";
import { SHOW_MANAGED_FIELDS_FLAG, shownObject } from "../printing/object-form.ts";
import { kindWord, nameOf, objectText } from "../printing/object-text.ts";
import { unifiedDiff, writeDiff } from "../printing/unified-diff.ts";
import type { Manifest } from "../read-manifests.ts";
import type { Session } from "../session.ts";
import {
  MANIFEST_FLAGS,
  manifestsOf,
  metadataText,
  nameOfManifest,
  resourceOfManifest,
  withNamespace,
  withPlace,
} from "../targets.ts";

export const diff: Command = {
  name: "diff",
  summary: "show what an apply would change",
  arguments: "-f FILE|FOLDER|-",
  flags: [
    ...MANIFEST_FLAGS,
    { name: "field-manager", value: "name", summary: "who would own the fields (pctl)" },
    { name: "server-side", summary: "how it is always done here" },
    { name: "force-conflicts", summary: "as if fields were taken over from other owners" },
    SHOW_MANAGED_FIELDS_FLAG,
    { name: "show-owners", summary: "who owns the fields that would change" },
    { name: "prune", summary: "also what was in the apply set and is no longer in the files" },
    APPLY_SET_FLAG,
    ...OLD_PRUNE_FLAGS,
    { name: "concurrency", value: "number", summary: "objects that are asked for at once (1)" },
  ],
  failureCode: 2,
  async run(session, args, flags) {
    if (await differ(session, args, flags)) session.fail();
  },
};

/** Whether an apply would change anything; what it would is shown. */
async function differ(session: Session, args: readonly string[], flags: Flags): Promise<boolean> {
  if (args.length > 0) throw new CliError(`unexpected argument ${JSON.stringify(args[0])}`);
  if (flags.list("filename").length === 0) throw new CliError("must specify -f");
  const manifests = await manifestsOf(session, flags);
  const query = new URLSearchParams({
    fieldManager: flags.text("field-manager") ?? "pctl",
    dryRun: "All",
    ...(flags.switch("force-conflicts") ? { force: "true" } : {}),
  });
  const shown = (object: Json | undefined): string =>
    object === undefined ? "" : objectText(shownObject(object, flags), "yaml");
  const set = await openApplySet(session, manifests, flags);
  let differs = false;
  const show = ({ name, before, after }: Change): void => {
    const text = unifiedDiff(
      { label: `live/${name}`, text: shown(before) },
      { label: `merged/${name}`, text: shown(after) },
    );
    differs ||= text !== "";
    writeDiff(session.terminal, text);
    if (text !== "" && flags.switch("show-owners") && isObject(before ?? null) && isObject(after ?? null)) {
      const owners = ownersOfChanges(before as JsonObject, after as JsonObject);
      session.terminal.write(owners.length === 0 ? "nobody owns these fields yet\n" : ownersTable(owners));
    }
  };
  const atOnce = flags.number("concurrency") ?? 1;
  if (atOnce < 1) throw new CliError("--concurrency must be at least 1");
  for (let at = 0; at < manifests.length; at += atOnce) {
    const asked = manifests
      .slice(at, at + atOnce)
      .map((manifest) => withPlace(manifests, manifest, (each) => changeOf(session, each, query, set)));
    for (const change of await Promise.all(asked)) {
      show(change);
      if (change.before !== undefined) set?.keep(change.before);
    }
  }
  for (const { target, object } of (await set?.leftOver()) ?? [])
    show({ name: diffName(target.resource, target.namespace, target.name), before: object, after: undefined });
  return differs;
}

interface Change {
  readonly name: string;
  /** Undefined where the object is not there. */
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

const diffName = (resource: DiscoveredResource, namespace: string | undefined, name: string): string =>
  [kindWord(resource), ...(namespace === undefined ? [] : [namespace]), name].join(".");

async function changeOf(
  session: Session,
  manifest: Manifest,
  query: URLSearchParams,
  set: ApplySet | undefined,
): Promise<Change> {
  const resource = await resourceOfManifest(session, manifest);
  const placed = resource.namespaced ? withNamespace(session, manifest.object) : manifest.object;
  const object = set === undefined ? placed : set.withLabel(placed);
  const path = pathOf(resource, metadataText(object, "namespace"), nameOfManifest(manifest));
  let before: Json | undefined;
  try {
    before = await session.sendForJson({ method: "GET", path });
  } catch (error) {
    if (!isApiError(error, "NotFound")) throw error;
  }
  const after = await session.sendForJson({
    method: "PATCH",
    path: withQuery(path, query),
    headers: { "content-type": "application/apply-patch+yaml" },
    body: jsonText(object),
    idempotent: true,
  });
  return { name: diffName(resource, metadataText(object, "namespace"), nameOf(object)), before, after };
}
