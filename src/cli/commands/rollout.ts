// `pctl rollout`: how far a workload has come with its newest template, its revisions, and back to an older one.

import { cloneJson, isObject, type Json, type JsonObject } from "../../base/json.ts";
import { apiVersionOf, type DiscoveredResource, findResource } from "../../client/discovery.ts";
import { jsonText } from "../../codec/json.ts";
import { namesFor } from "../../meta/names.ts";
import { CliError, type Command, type Flag } from "../command.ts";
import { memberOf } from "../json-members.ts";
import { DEFAULT_PAGE_SIZE, itemsOf, listPages, withQuery } from "../list-pages.ts";
import { nameOf, objectName } from "../printing/object-text.ts";
import { textTable } from "../printing/text-table.ts";
import { whileWaiting } from "../progress.ts";
import { readDurationMs } from "../read-duration.ts";
import { type Progress, rolloutProgress } from "../rollout-progress.ts";
import type { Session } from "../session.ts";
import {
  forEachTarget,
  metadataText,
  readTarget,
  readTargets,
  TARGET_FLAGS,
  type Target,
  targetPath,
} from "../targets.ts";

/** On everything of one ReplicaSet of a Deployment. */
const HASH_LABEL = "pod-template-hash";

const REVISION: Flag = { name: "revision", value: "number", summary: "this revision" };

export const rollout: Command = {
  name: "rollout",
  summary: "about the newest template of a workload and how far it has come",
  commands: [
    {
      name: "status",
      summary: "wait until the newest template is everywhere",
      arguments: "TYPE NAME | TYPE/NAME",
      flags: [
        { name: "watch", short: "w", summary: "wait until it is done (true when not given)" },
        { name: "timeout", value: "duration", summary: "give up after so long; 0 for never" },
        REVISION,
      ],
      run: async (session, args, flags) => {
        const target = await readTarget(session, args);
        const timeoutMs = readDurationMs(flags, "timeout") || Number.POSITIVE_INFINITY;
        const deadlineMs = session.clock.monotonicMs() + timeoutMs;
        const waiting = `waiting for ${objectName(target.resource, target.name)}`;
        await whileWaiting(
          session,
          () => waiting,
          () => status(session, target, flags.switch("watch", true), deadlineMs),
        );
      },
    },
    {
      name: "history",
      summary: "the revisions that there are",
      arguments: "TYPE NAME | TYPE/NAME",
      flags: [REVISION],
      run: async (session, args, flags) => history(session, await readTarget(session, args), flags.number("revision")),
    },
    {
      name: "undo",
      summary: "go back to the revision before, or to another",
      arguments: "TYPE NAME | TYPE/NAME",
      flags: [{ name: "to-revision", value: "number", summary: "this revision; 0 for the one before" }],
      run: async (session, args, flags) =>
        undo(session, await readTarget(session, args), flags.number("to-revision") ?? 0),
    },
    changing("restart", "replace all pods", "restarted", restartPatch),
    changing(
      "pause",
      "do nothing about changes for now",
      "paused",
      () => ({ spec: { paused: true } }),
      (object) => (isPaused(object) ? "is already paused" : undefined),
    ),
    changing(
      "resume",
      "go on after a pause",
      "resumed",
      () => ({ spec: { paused: null } }),
      (object) => (isPaused(object) ? undefined : "is not paused"),
    ),
  ],
};

function changing(
  name: string,
  summary: string,
  outcome: string,
  patchOf: (session: Session) => JsonObject | Promise<JsonObject>,
  /** Why there is nothing to do. */
  objection: (object: Json) => string | undefined = () => undefined,
): Command {
  return {
    name,
    summary,
    arguments: "TYPE NAME... | TYPE/NAME...",
    flags: TARGET_FLAGS,
    async run(session, args, flags) {
      const patch = await patchOf(session);
      await forEachTarget(session, await readTargets(session, args, flags), async (target) => {
        const { group, resource } = target.resource;
        const why = objection(await session.sendForJson({ method: "GET", path: targetPath(target) }));
        if (why !== undefined)
          throw new CliError(
            `${group === "" ? resource : `${resource}.${group}`} ${JSON.stringify(target.name)} ${why}`,
          );
        await merge(session, target, patch);
        session.terminal.write(`${objectName(target.resource, target.name)} ${outcome}\n`);
      });
    },
  };
}

const isPaused = (object: Json): boolean => memberOf(object, "spec")["paused"] === true;

/** The annotation changes the template, and so every pod is made anew. */
async function restartPatch(session: Session): Promise<JsonObject> {
  const { restartedAtAnnotation } = namesFor((await session.discovery()).dialect);
  const at = new Date(session.clock.nowMs()).toISOString().replace(/\.\d+Z$/, "Z");
  return { spec: { template: { metadata: { annotations: { [restartedAtAnnotation]: at } } } } };
}

function merge(session: Session, target: Target, patch: JsonObject): Promise<Json> {
  return session.sendForJson({
    method: "PATCH",
    path: withQuery(targetPath(target), new URLSearchParams({ fieldManager: "pctl-rollout" })),
    headers: { "content-type": "application/merge-patch+json" },
    body: jsonText(patch),
  });
}

const LOOK_MS = 200;

async function status(session: Session, target: Target, waits: boolean, deadlineMs: number): Promise<void> {
  let last = "";
  for (;;) {
    const object = await session.sendForJson({ method: "GET", path: targetPath(target) });
    const progress: Progress = rolloutProgress(target.resource.kind, isObject(object) ? object : {});
    if (progress.message !== last) session.terminal.write(`${progress.message}\n`);
    last = progress.message;
    if (progress.type === "failed") throw new CliError(progress.message);
    if (progress.type === "done" || !waits) return;
    if (session.clock.monotonicMs() >= deadlineMs) throw new CliError("timed out waiting for the condition");
    await session.clock.sleep(LOOK_MS);
  }
}

interface Revision {
  readonly number: number;
  readonly cause: string;
  readonly template: JsonObject;
}

/** Oldest first. Of a Deployment its ReplicaSets, of the others their ControllerRevisions. */
async function revisionsOf(session: Session, target: Target): Promise<Revision[]> {
  const discovery = await session.discovery();
  const names = namesFor(discovery.dialect);
  const owner = await session.sendForJson({ method: "GET", path: targetPath(target) });
  const uid = isObject(owner) ? metadataText(owner, "uid") : undefined;
  const isDeployment = target.resource.kind === "Deployment";
  const resource = findResource(discovery, isDeployment ? "replicasets.apps" : "controllerrevisions.apps");
  if (resource === undefined) throw new CliError("the server keeps no revisions");
  const revisions: Revision[] = [];
  for (const object of await ownedBy(session, resource, target.namespace, uid)) {
    const annotations = memberOf(memberOf(object, "metadata"), "annotations");
    const number = isDeployment
      ? Number(annotations[names.deploymentRevisionAnnotation] ?? 0)
      : Number(object["revision"] ?? 0);
    const template = isDeployment
      ? memberOf(memberOf(object, "spec"), "template")
      : memberOf(memberOf(memberOf(object, "data"), "spec"), "template");
    revisions.push({ number, cause: String(annotations[names.changeCauseAnnotation] ?? "<none>"), template });
  }
  return revisions.filter(({ number }) => number > 0).sort((a, b) => a.number - b.number);
}

async function ownedBy(
  session: Session,
  resource: DiscoveredResource,
  namespace: string | undefined,
  uid: string | undefined,
): Promise<JsonObject[]> {
  const found: JsonObject[] = [];
  for await (const page of listPages(session, { resource, namespace, pageSize: DEFAULT_PAGE_SIZE })) {
    for (const item of itemsOf(page, resource, apiVersionOf(resource))) {
      const owners = memberOf(item, "metadata")["ownerReferences"];
      if (Array.isArray(owners) && owners.some((owner) => isObject(owner) && owner["uid"] === uid)) found.push(item);
    }
  }
  return found;
}

async function history(session: Session, target: Target, wanted: number | undefined): Promise<void> {
  const revisions = await revisionsOf(session, target);
  const { terminal } = session;
  terminal.write(`${objectName(target.resource, target.name)}\n`);
  if (wanted === undefined && revisions.length === 0) {
    terminal.write("No rollout history found.\n");
    return;
  }
  if (wanted === undefined) {
    const rows = revisions.map(({ number, cause }) => [String(number), cause]);
    terminal.write(textTable([["REVISION", "CHANGE-CAUSE"], ...rows]));
    return;
  }
  const found = revisions.find(({ number }) => number === wanted);
  if (found === undefined) throw new CliError(`unable to find the specified revision ${wanted} in history`);
  terminal.write(`${jsonText(found.template, "    ")}\n`);
}

async function undo(session: Session, target: Target, wanted: number): Promise<void> {
  const revisions = await revisionsOf(session, target);
  const found = wanted === 0 ? revisions.at(-2) : revisions.find(({ number }) => number === wanted);
  if (found === undefined) {
    throw new CliError(
      wanted === 0 ? "no rollout history found" : `unable to find specified revision ${wanted} in history`,
    );
  }
  const object = await session.sendForJson({ method: "GET", path: targetPath(target) });
  if (!isObject(object)) throw new CliError("the server answers with something else than the object");
  if (memberOf(object, "spec")["paused"] === true)
    throw new CliError(
      `you cannot rollback a paused deployment; resume it first with 'pctl rollout resume' and try again`,
    );
  const next = cloneJson(object) as JsonObject;
  (next["spec"] as JsonObject)["template"] = withoutHash(found.template);
  const same =
    jsonText(memberOf(memberOf(object, "spec"), "template")) === jsonText((next["spec"] as JsonObject)["template"]!);
  if (same) {
    session.terminal.write(
      `${objectName(target.resource, target.name)} skipped rollback (current template already matches revision ${found.number})\n`,
    );
    return;
  }
  await session.sendForJson({
    method: "PUT",
    path: withQuery(targetPath(target), new URLSearchParams({ fieldManager: "pctl-rollout" })),
    body: jsonText(next),
  });
  session.terminal.write(`${objectName(target.resource, nameOf(object))} rolled back\n`);
}

/** The label of a template's own ReplicaSet is no part of it. */
function withoutHash(template: JsonObject): JsonObject {
  const metadata = memberOf(template, "metadata");
  const { [HASH_LABEL]: _, ...labels } = memberOf(metadata, "labels");
  return { ...template, metadata: { ...metadata, labels } };
}
