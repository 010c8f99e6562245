// `pctl history`: what an object was, as far back as the server remembers, and what each change changed.
// Requirements: document 1, "Resource versions".

import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { type ApiError, isApiError } from "../../client/api-error.ts";
import { apiVersionOf, pathOf } from "../../client/discovery.ts";
import { jsonText } from "../../codec/json.ts";
import { whereField } from "../../meta/field-selector.ts";
import { CliError, type Command } from "../command.ts";
import { type OwnedField, ownersOfChanges } from "../field-owners.ts";
import { itemsAt, memberOf, textAt } from "../json-members.ts";
import { itemsOf, withQuery } from "../list-pages.ts";
import { outputFlags, readOutput, SHOW_MANAGED_FIELDS_FLAG, shownObject } from "../printing/object-form.ts";
import { objectName, objectText } from "../printing/object-text.ts";
import { textTable } from "../printing/text-table.ts";
import { unifiedDiff, writeDiff } from "../printing/unified-diff.ts";
import type { Session } from "../session.ts";
import { readTarget, type Target } from "../targets.ts";
import { watchChanges } from "../watch-changes.ts";

export const history: Command = {
  name: "history",
  summary: "show what an object was before, as far back as the server remembers (minutes), and what changed",
  arguments: "TYPE NAME | TYPE/NAME",
  flags: [...outputFlags("diff (when not given), table, json, yaml"), SHOW_MANAGED_FIELDS_FLAG],
  async run(session, args, flags) {
    const format = readOutput(flags, ["diff", "table"]);
    const target = await readTarget(session, args);
    const versions = await versionsOf(session, target);
    const name = objectName(target.resource, target.name);
    if (versions.length === 0) throw new CliError(`the server remembers nothing of ${name}`);
    const shown = (object: JsonObject): Json => shownObject(object, flags);
    if (typeof format === "function") {
      const items = versions.map(({ object }) => shown(object));
      session.terminal.write(format({ apiVersion: "v1", kind: "List", metadata: {}, items }));
    } else if (format === "table") {
      const rows = versions.map((version) => [version.revision, version.event, version.by, version.time]);
      session.terminal.write(textTable([["REVISION", "EVENT", "BY", "TIME"], ...rows]));
    } else {
      versions.forEach(({ revision, event, by, time, object }, at) => {
        const before = versions[at - 1];
        const head = [`revision ${revision}`, event, by === "" ? "" : `by ${by}`, time].filter((word) => word !== "");
        session.terminal.write(`${head.join(" ")}\n`);
        const text = (version: Version | undefined): string =>
          version === undefined || version.event === DELETED ? "" : objectText(shown(version.object), "yaml");
        writeDiff(
          session.terminal,
          unifiedDiff(
            { label: `${name}@${before?.revision ?? "0"}`, text: text(before) },
            { label: `${name}@${revision}`, text: event === DELETED ? "" : objectText(shown(object), "yaml") },
          ),
        );
      });
    }
  },
};

const DELETED = "deleted";
const CREATED = "created";
const EVENTS: Readonly<Record<string, string>> = { ADDED: CREATED, MODIFIED: "changed", DELETED };

interface Version {
  readonly revision: string;
  readonly event: string;
  /** Who did it, as far as the object says. */
  readonly by: string;
  readonly time: string;
  readonly object: JsonObject;
}

/** Oldest first. */
async function versionsOf(session: Session, target: Target): Promise<Version[]> {
  const now = await listed(session, target);
  let oldest = await oldestRevision(session, target, now.revision);
  for (;;) {
    try {
      return await versionsSince(session, target, oldest, now);
    } catch (error) {
      if (!isApiError(error, "Expired", "Gone") || oldest >= now.revision) throw error;
      oldest = watchableAfter(oldest, error, now.revision);
    }
  }
}

/** What can be listed may be too old to be watched: servers say from where on, as `too old resource version: 933 (944)`. */
function watchableAfter(oldest: bigint, { status }: ApiError, newest: bigint): bigint {
  const said = BigInt(/\((\d{1,19})\)$/.exec(status.message ?? "")?.[1] ?? "0");
  return said > oldest && said <= newest ? said : (oldest + newest + 1n) / 2n;
}

async function versionsSince(session: Session, target: Target, oldest: bigint, now: Listed): Promise<Version[]> {
  const then = oldest === now.revision ? now : await listed(session, target, oldest);
  const versions: Version[] = then.object === undefined ? [] : [versionOf("as it was", then.object, undefined)];
  const last = now.object === undefined ? undefined : revisionOf(now.object);
  if (last !== undefined && then.object !== undefined && revisionOf(then.object) === last) return versions;
  const { resource, namespace, name } = target;
  const changes = watchChanges(session, {
    resource,
    namespace,
    fieldSelector: whereField("metadata.name", name),
    resourceVersion: String(oldest),
    // Of an object that is gone nobody knows which change was its last.
    ...(last === undefined ? { onlyForSeconds: QUIET_SECONDS } : {}),
  });
  for await (const { type, object } of changes) {
    versions.push(versionOf(EVENTS[type] ?? type, object, versions.at(-1)?.object));
    if (last !== undefined && type !== "DELETED" && BigInt(revisionOf(object)) >= BigInt(last)) break;
  }
  return versions;
}

const QUIET_SECONDS = 1;

interface Listed {
  readonly revision: bigint;
  readonly object: JsonObject | undefined;
}

async function listed(session: Session, { resource, namespace, name }: Target, revision?: bigint): Promise<Listed> {
  const query = new URLSearchParams({
    fieldSelector: whereField("metadata.name", name),
    ...(revision === undefined ? {} : { resourceVersion: String(revision), resourceVersionMatch: "Exact" }),
  });
  const page = await session.sendForJson({ method: "GET", path: withQuery(pathOf(resource, namespace), query) });
  if (!isObject(page)) throw new CliError("the server answers with something else than a list");
  const [object] = itemsOf(page, resource, apiVersionOf(resource));
  return { revision: BigInt(textAt(memberOf(page, "metadata"), "resourceVersion") || "0"), object };
}

/** The server only says of one revision whether it still knows it: the first that it knows is found by halves. */
async function oldestRevision(session: Session, target: Target, newest: bigint): Promise<bigint> {
  let [unknown, known] = [0n, newest];
  while (known - unknown > 1n) {
    const middle = (known + unknown) / 2n;
    if (await isKnown(session, target, middle)) known = middle;
    else unknown = middle;
  }
  return known;
}

async function isKnown(session: Session, target: Target, revision: bigint): Promise<boolean> {
  try {
    await listed(session, target, revision);
    return true;
  } catch (error) {
    if (isApiError(error, "Expired", "Gone")) return false;
    throw error;
  }
}

const revisionOf = (object: JsonObject): string => textAt(memberOf(object, "metadata"), "resourceVersion");

function versionOf(event: string, object: JsonObject, before: JsonObject | undefined): Version {
  const metadata = memberOf(object, "metadata");
  const [actor] = actorsOf(object, before).sort((a, b) => (a.time < b.time ? 1 : -1));
  const deleted = event === DELETED;
  return {
    revision: revisionOf(object),
    event,
    by: actor === undefined || deleted ? "" : `${actor.manager} (${actor.operation})`,
    time: deleted
      ? textAt(metadata, "deletionTimestamp")
      : // Who applies what others have applied before owns it, too, and the server does not say since when.
        actor?.time || (event === CREATED ? textAt(metadata, "creationTimestamp") : ""),
    object,
  };
}

/** Who owns what has changed; where something was only removed, whoever's record is another than before. */
function actorsOf(object: JsonObject, before: JsonObject | undefined): Omit<OwnedField, "field" | "valueIn">[] {
  const owners = ownersOfChanges(object, before ?? {});
  if (owners.length > 0) return owners;
  const old = new Set(itemsAt(memberOf(before, "metadata"), "managedFields").map((entry) => jsonText(entry)));
  return itemsAt(memberOf(object, "metadata"), "managedFields")
    .filter((entry) => !old.has(jsonText(entry)))
    .map((entry) => ({
      manager: textAt(entry, "manager"),
      operation: textAt(entry, "operation"),
      subresource: textAt(entry, "subresource"),
      time: textAt(entry, "time"),
    }));
}
