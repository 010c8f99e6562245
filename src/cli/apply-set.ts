// Apply sets: objects that were applied together, known by a label, and their parent, which says which kinds and namespaces
// they are in. What was in the set and is no longer in the files is pruned. Compatible with sets of other tools by form; a set
// of another tool is left alone.

import { createHash } from "node:crypto";
import { isObject, type Json, type JsonObject } from "../base/json.ts";
import { isApiError } from "../client/api-error.ts";
import { apiVersionOf, type DiscoveredResource, findResource } from "../client/discovery.ts";
import { jsonText } from "../codec/json.ts";
import { type Names, namesFor } from "../meta/names.ts";
import { VERSION_INFO } from "../meta/version.ts";
import { CliError, type Flag, type Flags } from "./command.ts";
import { type Deletion, deleteOne, type Leaving, leaving, untilGone } from "./deletion.ts";
import { memberOf, textAt } from "./json-members.ts";
import { DEFAULT_PAGE_SIZE, itemsOf, listPages, withQuery } from "./list-pages.ts";
import { nameOf, objectName } from "./printing/object-text.ts";
import type { Manifest } from "./read-manifests.ts";
import type { Session } from "./session.ts";
import { metadataText, resourceOfManifest, type Target, targetPath, withNamespace } from "./targets.ts";

export const APPLY_SET_FLAG: Flag = {
  name: "applyset",
  value: "[type/]name",
  summary: "the parent of the apply set: a Secret unless a type is named; made where it is missing",
};

const BY_SET = "what is pruned is what was applied together: --prune --applyset=NAME";

/** How others say what may be pruned. */
export const OLD_PRUNE_FLAGS: readonly Flag[] = [
  { name: "prune-allowlist", value: "kind", summary: "", refused: BY_SET },
  { name: "all", summary: "", refused: BY_SET },
];

const TOOL = "pctl";
const FIELD_MANAGER = "pctl-applyset";

interface Member {
  readonly resource: DiscoveredResource;
  /** Undefined for resources without namespaces. */
  readonly namespace: string | undefined;
}

interface Extent {
  /** `Kind.group`, `Kind` for the core group. */
  readonly kinds: readonly string[];
  /** Those of members that are not the parent's own. */
  readonly namespaces: readonly string[];
}

const NOTHING: Extent = { kinds: [], namespaces: [] };

/** Of the objects in files; undefined without --prune. Fails with CliError. */
export async function openApplySet(
  session: Session,
  manifests: readonly Manifest[],
  flags: Flags,
): Promise<ApplySet | undefined> {
  const word = flags.text("applyset");
  if (flags.switch("prune") !== (word !== undefined))
    throw new CliError("--prune and --applyset=[TYPE/]NAME belong together");
  if (word === undefined) return undefined;
  const members: Member[] = [];
  for (const manifest of manifests) {
    const resource = await resourceOfManifest(session, manifest);
    const object = resource.namespaced ? withNamespace(session, manifest.object) : manifest.object;
    members.push({ resource, namespace: resource.namespaced ? metadataText(object, "namespace") : undefined });
  }
  return ApplySet.open(session, word, members);
}

export class ApplySet {
  readonly id: string;
  readonly #session: Session;
  readonly #names: Names;
  readonly #parent: Target;
  #before: Extent = NOTHING;
  #now: Extent = NOTHING;
  readonly #applied = new Set<string>();

  private constructor(session: Session, names: Names, parent: Target) {
    const { resource, namespace = "", name } = parent;
    const hash = createHash("sha256").update(`${name}.${namespace}.${resource.kind}.${resource.group}`);
    this.id = `applyset-${hash.digest("base64url")}-v1`;
    this.#session = session;
    this.#names = names;
    this.#parent = parent;
  }

  /** `word`: `[TYPE[.GROUP]/]NAME`; a Secret where no type is named. Fails with CliError. */
  static async open(session: Session, word: string, members: readonly Member[]): Promise<ApplySet> {
    const discovery = await session.discovery();
    const names = namesFor(discovery.dialect);
    const [first = "", second, ...more] = word.split("/");
    const name = second ?? first;
    if (name === "" || more.length > 0) throw new CliError(`--applyset: ${JSON.stringify(word)} is not [TYPE/]NAME`);
    const resource = second === undefined ? findResource(discovery, "secrets")! : await session.resource(first);
    const set = new ApplySet(session, names, {
      resource,
      namespace: resource.namespaced ? session.namespace : undefined,
      name,
    });
    set.#now = {
      kinds: sorted(members.map((member) => kindText(member.resource))),
      namespaces: sorted(members.flatMap(({ namespace }) => namespace ?? [])),
    };
    await set.#readParent();
    return set;
  }

  /** The object with the label of the set. */
  withLabel(object: JsonObject): JsonObject {
    const metadata = memberOf(object, "metadata");
    const labels = { ...memberOf(metadata, "labels"), [this.#names.applySetPartOfLabel]: this.id };
    return { ...object, metadata: { ...metadata, labels } };
  }

  /** Before anything is applied: the parent names every place where members may be from now on. */
  async begin(query: URLSearchParams): Promise<void> {
    const { kinds, namespaces } = this.#before;
    await this.#writeParent(
      {
        kinds: sorted([...kinds, ...this.#now.kinds]),
        namespaces: sorted([...namespaces, ...this.#now.namespaces]),
      },
      query,
    );
  }

  /** Told of every object that was applied. */
  keep(answer: Json): void {
    this.#applied.add(textAt(memberOf(answer, "metadata"), "uid"));
  }

  /** Deletes the members that were not applied, then lets the parent name only what there is. */
  async prune(query: URLSearchParams, deletion: Deletion, waits: boolean): Promise<void> {
    const session = this.#session;
    const dryRun = query.has("dryRun");
    const staying: Leaving[] = [];
    for (const { target, object } of await this.leftOver()) {
      // Another object of that name is not the one that was found.
      const body = { ...deletion.body, preconditions: { uid: metadataText(object, "uid") } };
      try {
        const answer = await deleteOne(session, target, { ...deletion, body });
        const left = leaving(target, answer);
        if (left !== undefined) staying.push(left);
      } catch (error) {
        if (!isApiError(error, "NotFound")) throw error;
      }
      const how = dryRun ? "pruned (server dry run)" : "pruned";
      session.terminal.write(`${objectName(target.resource, target.name)} ${how}\n`);
    }
    await this.#writeParent(this.#now, query);
    const deadlineMs = session.clock.monotonicMs() + deletion.timeoutMs;
    for (const left of waits && !dryRun ? staying : []) await untilGone(session, left, deadlineMs);
  }

  /** The members that were not applied. */
  async leftOver(): Promise<{ readonly target: Target; readonly object: JsonObject }[]> {
    const { resources } = await this.#session.discovery();
    const labelSelector = `${this.#names.applySetPartOfLabel}=${this.id}`;
    const places = sorted([
      ...(this.#parent.namespace === undefined ? [] : [this.#parent.namespace]),
      ...this.#before.namespaces,
      ...this.#now.namespaces,
    ]);
    const found: { readonly target: Target; readonly object: JsonObject }[] = [];
    for (const kind of sorted([...this.#before.kinds, ...this.#now.kinds])) {
      const resource = resources.find((each) => kindText(each) === kind && each.verbs.includes("list"));
      // A kind that is no longer served has taken its objects with it.
      if (resource === undefined) continue;
      for (const namespace of resource.namespaced ? places : [undefined]) {
        const options = { resource, namespace, labelSelector, pageSize: DEFAULT_PAGE_SIZE };
        for await (const page of listPages(this.#session, options)) {
          for (const object of itemsOf(page, resource, apiVersionOf(resource))) {
            if (this.#applied.has(textAt(memberOf(object, "metadata"), "uid"))) continue;
            found.push({ target: { resource, namespace, name: nameOf(object) }, object });
          }
        }
      }
    }
    return found;
  }

  async #readParent(): Promise<void> {
    const { resource, name } = this.#parent;
    const parent = await this.#findParent();
    if (parent === undefined) {
      if (!["Secret", "ConfigMap"].includes(resource.kind))
        throw new CliError(`the parent of the apply set, ${objectName(resource, name)}, does not exist`);
      return;
    }
    const metadata = memberOf(parent, "metadata");
    const { applySetIdLabel, applySetToolingAnnotation, applySetKindsAnnotation, applySetNamespacesAnnotation } =
      this.#names;
    const id = textAt(memberOf(metadata, "labels"), applySetIdLabel);
    const annotations = memberOf(metadata, "annotations");
    const tooling = textAt(annotations, applySetToolingAnnotation);
    if (id !== "" && id !== this.id)
      throw new CliError(`${objectName(resource, name)} is the parent of another apply set: ${JSON.stringify(id)}`);
    if (tooling !== "" && tooling.split("/", 1)[0] !== TOOL)
      throw new CliError(
        `the apply set of ${objectName(resource, name)} is kept by ${JSON.stringify(tooling)}, not by ${TOOL}: ` +
          "prune it with that tool, or give this one another parent",
      );
    this.#before = {
      kinds: listIn(annotations, applySetKindsAnnotation),
      namespaces: listIn(annotations, applySetNamespacesAnnotation),
    };
  }

  async #findParent(): Promise<JsonObject | undefined> {
    try {
      const parent = await this.#session.sendForJson({ method: "GET", path: targetPath(this.#parent) });
      return isObject(parent) ? parent : undefined;
    } catch (error) {
      if (isApiError(error, "NotFound")) return undefined;
      throw error;
    }
  }

  async #writeParent({ kinds, namespaces }: Extent, asked: URLSearchParams): Promise<void> {
    const { resource, namespace, name } = this.#parent;
    const names = this.#names;
    const query = new URLSearchParams({ fieldManager: FIELD_MANAGER, force: "true" });
    const dryRun = asked.get("dryRun");
    if (dryRun !== null) query.set("dryRun", dryRun);
    await this.#session.send({
      method: "PATCH",
      path: withQuery(targetPath(this.#parent), query),
      headers: { "content-type": "application/apply-patch+yaml" },
      body: jsonText({
        apiVersion: apiVersionOf(resource),
        kind: resource.kind,
        metadata: {
          name,
          ...(namespace === undefined ? {} : { namespace }),
          labels: { [names.applySetIdLabel]: this.id },
          annotations: {
            [names.applySetToolingAnnotation]: `${TOOL}/${VERSION_INFO.gitVersion}`,
            [names.applySetKindsAnnotation]: kinds.join(","),
            [names.applySetNamespacesAnnotation]: namespaces.filter((each) => each !== namespace).join(","),
          },
        },
      }),
      idempotent: true,
    });
  }
}

const kindText = ({ group, kind }: Pick<DiscoveredResource, "group" | "kind">): string =>
  group === "" ? kind : `${kind}.${group}`;

const sorted = (words: readonly string[]): string[] => [...new Set(words)].sort();

const listIn = (annotations: JsonObject, key: string): string[] =>
  textAt(annotations, key)
    .split(",")
    .filter((word) => word !== "");
