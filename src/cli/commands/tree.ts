// `pctl tree`: an object and everything that it owns, with readiness. `pctl blockers`: what keeps a namespace from ending.

import { isObject, type JsonObject } from "../../base/json.ts";
import { isApiError } from "../../client/api-error.ts";
import { apiVersionOf, type DiscoveredResource } from "../../client/discovery.ts";
import { humanDuration } from "../../meta/human-duration.ts";
import { readinessOf } from "../../meta/readiness.ts";
import { CliError, type Command } from "../command.ts";
import { itemsAt, memberOf, textAt } from "../json-members.ts";
import { DEFAULT_PAGE_SIZE, itemsOf, listPages } from "../list-pages.ts";
import { nameOf, objectName } from "../printing/object-text.ts";
import { textTable } from "../printing/text-table.ts";
import { whileWaiting } from "../progress.ts";
import type { Session } from "../session.ts";
import { metadataText, readTarget, targetPath } from "../targets.ts";

export const tree: Command = {
  name: "tree",
  summary: "show what an object owns, and whether it is ready",
  arguments: "TYPE NAME | TYPE/NAME",
  async run(session, args) {
    const target = await readTarget(session, args);
    const root = await session.sendForJson({ method: "GET", path: targetPath(target) });
    if (!isObject(root)) throw new CliError("the server answers with something else than an object");
    const children = new Map<string, Found[]>();
    await forEverything(session, target.namespace, (found) => {
      for (const uid of ownersOf(found.object)) append(children, uid, found);
    });
    const rows = branchRows(session, { resource: target.resource, object: root }, children, "", "", new Set());
    session.terminal.write(textTable([["NAME", "READY", "REASON", "AGE"], ...rows]));
  },
};

export const blockers: Command = {
  name: "blockers",
  summary: "show what keeps a namespace from ending: objects, finalizers, who acted last",
  arguments: "NAMESPACE",
  async run(session, args) {
    const [name, ...more] = args;
    if (name === undefined || more.length > 0) throw new CliError("exactly one namespace must be named");
    const namespaces = await session.resource("namespaces");
    const namespace = await session.sendForJson({
      method: "GET",
      path: targetPath({ resource: namespaces, namespace: undefined, name }),
    });
    const isEnding = isObject(namespace) && metadataText(namespace, "deletionTimestamp") !== undefined;
    const rows: string[][] = [];
    await forEverything(session, name, ({ resource, object }) => {
      const finalizers = finalizersOf(memberOf(object, "metadata"));
      rows.push([
        objectName(resource, nameOf(object)),
        finalizers.length === 0 ? "<none>" : finalizers.join(","),
        metadataText(object, "deletionTimestamp") === undefined ? "no" : "yes",
        lastManager(object),
      ]);
    });
    session.terminal.write(`namespace/${name} is ${isEnding ? "ending" : "not ending: nobody has deleted it"}\n`);
    const held = finalizersOf(memberOf(namespace, "spec"));
    if (isEnding && rows.length === 0 && held.length > 0)
      session.terminal.write(
        `no object is left; it still has the finalizers ${held.join(", ")}: does a controller manager run?\n`,
      );
    if (rows.length > 0) session.terminal.write(textTable([["OBJECT", "FINALIZERS", "ENDING", "LAST ACTED"], ...rows]));
  },
};

interface Found {
  readonly resource: DiscoveredResource;
  readonly object: JsonObject;
}

function append(lists: Map<string, Found[]>, key: string, found: Found): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [found]);
  else list.push(found);
}

async function forEverything(
  session: Session,
  namespace: string | undefined,
  take: (found: Found) => void,
): Promise<void> {
  let count = 0;
  await whileWaiting(
    session,
    () => `reading: ${count} objects`,
    async () => {
      for await (const found of everything(session, namespace)) {
        count += 1;
        take(found);
      }
    },
  );
}

/** Every object of a namespace, or every object without one. What may not be read is left out, and told of. */
async function* everything(session: Session, namespace: string | undefined): AsyncGenerator<Found> {
  const { resources } = await session.discovery();
  const seen = new Set<string>();
  for (const resource of resources) {
    const key = `${resource.resource}.${resource.group}`;
    // Events of one kind are served by two groups.
    if (seen.has(key) || resource.kind === "Event" || !resource.verbs.includes("list")) continue;
    if (resource.namespaced !== (namespace !== undefined)) continue;
    seen.add(key);
    try {
      for await (const page of listPages(session, { resource, namespace, pageSize: DEFAULT_PAGE_SIZE, quiet: true }))
        for (const object of itemsOf(page, resource, apiVersionOf(resource))) yield { resource, object };
    } catch (error) {
      if (!isApiError(error, "Forbidden", "MethodNotAllowed", "NotFound")) throw error;
      session.terminal.writeError(`Warning: ${key} is left out: ${error.status.message}\n`);
    }
  }
}

function branchRows(
  session: Session,
  { resource, object }: Found,
  children: ReadonlyMap<string, readonly Found[]>,
  begin: string,
  indent: string,
  above: ReadonlySet<string>,
): string[][] {
  const uid = metadataText(object, "uid") ?? "";
  const { ready = "-", reason } = readinessOf(object);
  const createdMs = Date.parse(metadataText(object, "creationTimestamp") ?? "");
  const age = Number.isNaN(createdMs) ? "" : humanDuration(session.clock.nowMs() - createdMs);
  const row = [`${begin}${objectName(resource, nameOf(object))}`, ready, reason, age];
  // An object may own itself through others.
  if (above.has(uid)) return [row];
  const owned = children.get(uid) ?? [];
  const inside = new Set([...above, uid]);
  return [
    row,
    ...owned.flatMap((child, index) => {
      const isLast = index === owned.length - 1;
      const nextIndent = `${indent}${isLast ? "  " : "│ "}`;
      return branchRows(session, child, children, `${indent}${isLast ? "└─" : "├─"}`, nextIndent, inside);
    }),
  ];
}

const ownersOf = (object: JsonObject): string[] =>
  itemsAt(memberOf(object, "metadata"), "ownerReferences").map((owner) => textAt(owner, "uid"));

const finalizersOf = (holder: JsonObject): string[] => {
  const list = holder["finalizers"];
  return Array.isArray(list) ? list.map(String) : [];
};

function lastManager(object: JsonObject): string {
  const entries = itemsAt(memberOf(object, "metadata"), "managedFields");
  const [last] = entries.sort((a, b) => (textAt(a, "time") < textAt(b, "time") ? 1 : -1));
  // Who has made an object without fields is not recorded, nor who changes it afterwards.
  return last === undefined
    ? "<unknown>"
    : `${textAt(last, "manager")} (${textAt(last, "operation")} at ${textAt(last, "time")})`;
}
