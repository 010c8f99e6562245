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
import { CliError } from "./command.ts";
import { memberOf, textAt } from "./json-members.ts";
import { DEFAULT_PAGE_SIZE, itemsOf, listPages, withQuery } from "./list-pages.ts";
import { nameOf, objectName } from "./printing/object-text.ts";
import type { Session } from "./session.ts";
import { type Target, targetPath } from "./targets.ts";

const TOOL = "pctl";
const FIELD_MANAGER = "pctl-applyset";

export interface Member {
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
  static async open(session: Session, word: string): Promise<ApplySet> {
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
  async begin(members: readonly Member[], query: URLSearchParams): Promise<void> {
    this.#now = {
      kinds: sorted(members.map(({ resource }) => kindText(resource))),
      namespaces: sorted(members.flatMap(({ namespace }) => namespace ?? [])),
    };
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
  async prune(query: URLSearchParams): Promise<void> {
    const dryRun = query.has("dryRun");
    for (const { target, uid } of await this.#leftOver()) {
      const body = {
        kind: "DeleteOptions",
        apiVersion: "v1",
        propagationPolicy: "Background",
        // Another object of that name is not the one that was found.
        preconditions: { uid },
        ...(dryRun ? { dryRun: ["All"] } : {}),
      };
      try {
        await this.#session.send({ method: "DELETE", path: targetPath(target), body: jsonText(body) });
      } catch (error) {
        if (!isApiError(error, "NotFound")) throw error;
      }
      const how = dryRun ? "pruned (server dry run)" : "pruned";
      this.#session.terminal.write(`${objectName(target.resource, target.name)} ${how}\n`);
    }
    await this.#writeParent(this.#now, query);
  }

  async #leftOver(): Promise<{ readonly target: Target; readonly uid: string }[]> {
    const { resources } = await this.#session.discovery();
    const labelSelector = `${this.#names.applySetPartOfLabel}=${this.id}`;
    const places = sorted([
      ...(this.#parent.namespace === undefined ? [] : [this.#parent.namespace]),
      ...this.#before.namespaces,
      ...this.#now.namespaces,
    ]);
    const found: { readonly target: Target; readonly uid: string }[] = [];
    for (const kind of sorted([...this.#before.kinds, ...this.#now.kinds])) {
      const resource = resources.find((each) => kindText(each) === kind && each.verbs.includes("list"));
      // A kind that is no longer served has taken its objects with it.
      if (resource === undefined) continue;
      for (const namespace of resource.namespaced ? places : [undefined]) {
        const options = { resource, namespace, labelSelector, pageSize: DEFAULT_PAGE_SIZE };
        for await (const page of listPages(this.#session, options)) {
          for (const item of itemsOf(page, resource, apiVersionOf(resource))) {
            const uid = textAt(memberOf(item, "metadata"), "uid");
            if (!this.#applied.has(uid)) found.push({ target: { resource, namespace, name: nameOf(item) }, uid });
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
