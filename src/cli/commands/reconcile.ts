// `pctl auth reconcile`: roles and bindings made as files say, without taking away what others have granted.
// Requirements: document 2, "Role-based access control".

import { equalJson, isObject, type JsonObject } from "../../base/json.ts";
import { isApiError } from "../../client/api-error.ts";
import { pathOf } from "../../client/discovery.ts";
import { jsonText } from "../../codec/json.ts";
import { ANY } from "../../meta/access-rule.ts";
import { CliError, type Command } from "../command.ts";
import { itemsAt, textAt } from "../json-members.ts";
import { withQuery } from "../list-pages.ts";
import type { Manifest } from "../read-manifests.ts";
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
import { readWriteSettings, WRITE_FLAGS, type WriteSettings } from "../write-flags.ts";

export const reconcile: Command = {
  name: "reconcile",
  summary: "let roles and bindings have at least what files say",
  arguments: "-f FILE|FOLDER|-",
  flags: [
    ...FILE_FLAGS,
    ...WRITE_FLAGS,
    { name: "remove-extra-permissions", summary: "roles have nothing else afterwards" },
    { name: "remove-extra-subjects", summary: "bindings have nobody else afterwards" },
  ],
  async run(session, args, flags) {
    if (args.length > 0) throw new CliError(`unexpected argument ${JSON.stringify(args[0])}`);
    if (flags.list("filename").length === 0) throw new CliError("must specify -f");
    const manifests = await manifestsOf(session, flags);
    if (manifests.length === 0) throw new CliError("no objects passed to reconcile");
    const settings = readWriteSettings(flags);
    const exactly = {
      rules: flags.switch("remove-extra-permissions"),
      subjects: flags.switch("remove-extra-subjects"),
    };
    await forEachManifest(session, manifests, (manifest) => reconcileOne(session, manifest, settings, exactly));
  },
};

interface Exactly {
  readonly rules: boolean;
  readonly subjects: boolean;
}

/** What of a kind is reconciled. */
const LISTS: ReadonlyMap<string, "rules" | "subjects"> = new Map([
  ["Role", "rules"],
  ["ClusterRole", "rules"],
  ["RoleBinding", "subjects"],
  ["ClusterRoleBinding", "subjects"],
]);

async function reconcileOne(
  session: Session,
  manifest: Manifest,
  settings: WriteSettings,
  exactly: Exactly,
): Promise<void> {
  const list = LISTS.get(manifest.kind);
  // Files hold other objects too.
  if (list === undefined) return;
  const { query, send, shown } = settings;
  const resource = await resourceOfManifest(session, manifest);
  const wanted = resource.namespaced ? withNamespace(session, manifest.object) : manifest.object;
  const [name, namespace] = [nameOfManifest(manifest), metadataText(wanted, "namespace")];
  const path = pathOf(resource, namespace, name);
  const live = await session.sendForJson({ method: "GET", path }).catch((error: unknown) => {
    if (isApiError(error, "NotFound")) return undefined;
    throw error;
  });
  const tell = (answer: Parameters<typeof shown>[2], what: string): void =>
    session.terminal.write(shown(resource, name, answer, what));
  if (!isObject(live)) {
    const collection = withQuery(pathOf(resource, namespace), query);
    return tell(
      await send(session, { method: "POST", path: collection, body: jsonText(wanted) }),
      "reconciled (created)",
    );
  }
  if (list === "subjects" && !sameRole(live, wanted)) {
    throw new CliError(
      `${manifest.kind} ${JSON.stringify(name)} is for another role: delete it first, roles of bindings stay`,
    );
  }
  const merged = merge(live, wanted, list, exactly[list]);
  if (equalJson(merged, live)) return tell(live, "reconciled (no change)");
  // With the version that was read: who comes in between is not undone.
  tell(await send(session, { method: "PUT", path: withQuery(path, query), body: jsonText(merged) }), "reconciled");
}

const sameRole = (a: JsonObject, b: JsonObject): boolean => {
  const [one, other] = [a["roleRef"], b["roleRef"]];
  return ["kind", "name"].every((field) => textAt(one, field) === textAt(other, field));
};

/** The live object with what is missing in it, or with nothing but what is wanted. */
function merge(live: JsonObject, wanted: JsonObject, list: "rules" | "subjects", exactly: boolean): JsonObject {
  const [held, asked] = [itemsAt(live, list), itemsAt(wanted, list)];
  const covers = list === "rules" ? coversRule : sameSubject;
  const missing = asked.filter((each) => !held.some((one) => covers(one, each)));
  const extra = held.filter((each) => !asked.some((one) => covers(one, each)));
  const items = exactly && extra.length > 0 ? asked : [...held, ...missing];
  const [metadata, own] = [live["metadata"], wanted["metadata"]];
  const joined = (field: string): JsonObject => {
    const [before, more] = [metadata, own].map((each) => (isObject(each) && isObject(each[field]) ? each[field] : {}));
    const all = { ...(more as JsonObject), ...(before as JsonObject) };
    return Object.keys(all).length === 0 ? {} : { [field]: all };
  };
  return {
    ...live,
    metadata: { ...(metadata as JsonObject), ...joined("labels"), ...joined("annotations") },
    ...(items.length === 0 && live[list] === undefined ? {} : { [list]: items }),
  };
}

const AXES = ["verbs", "apiGroups", "resources", "nonResourceURLs"];

/** Whether one rule grants all that the other does. */
function coversRule(held: JsonObject, asked: JsonObject): boolean {
  const list = (rule: JsonObject, field: string): readonly unknown[] => {
    const value = rule[field];
    return Array.isArray(value) ? value : [];
  };
  const names = list(held, "resourceNames");
  const namesCovered =
    names.length === 0 ||
    (list(asked, "resourceNames").length > 0 && list(asked, "resourceNames").every((name) => names.includes(name)));
  return (
    namesCovered &&
    AXES.every((axis) => {
      const having = new Set(list(held, axis));
      return having.has(ANY) || list(asked, axis).every((each) => having.has(each));
    })
  );
}

function sameSubject(a: JsonObject, b: JsonObject): boolean {
  return ["kind", "name", "namespace"].every((field) => textAt(a, field) === textAt(b, field));
}
