// The revisions of a workload: of a Deployment its ReplicaSets, of the others their ControllerRevisions.

import { isObject, type JsonObject } from "../base/json.ts";
import { apiVersionOf, type DiscoveredResource, findResource } from "../client/discovery.ts";
import { namesFor } from "../meta/names.ts";
import { CliError } from "./command.ts";
import { itemsAt, memberOf, numberAt, textAt } from "./json-members.ts";
import { DEFAULT_PAGE_SIZE, itemsOf, listPages } from "./list-pages.ts";
import type { Session } from "./session.ts";

/** On everything of one ReplicaSet of a Deployment. */
const HASH_LABEL = "pod-template-hash";

interface Revision {
  readonly number: number;
  readonly cause: string;
  readonly template: JsonObject;
  /** What keeps it. */
  readonly keeper: JsonObject;
}

/** Oldest first. Fails with CliError. */
export async function revisionsOf(session: Session, owner: JsonObject): Promise<Revision[]> {
  const discovery = await session.discovery();
  const names = namesFor(discovery.dialect);
  const isDeployment = textAt(owner, "kind") === "Deployment";
  const resource = findResource(discovery, isDeployment ? "replicasets.apps" : "controllerrevisions.apps");
  if (resource === undefined) throw new CliError("the server keeps no revisions");
  const revisions: Revision[] = [];
  for (const keeper of await ownedBy(session, resource, memberOf(owner, "metadata"))) {
    const annotations = memberOf(memberOf(keeper, "metadata"), "annotations");
    const holder = isDeployment ? keeper : memberOf(keeper, "data");
    revisions.push({
      number: isDeployment
        ? Number(textAt(annotations, names.deploymentRevisionAnnotation))
        : numberAt(keeper, "revision"),
      cause: textAt(annotations, names.changeCauseAnnotation) || "<none>",
      template: memberOf(memberOf(holder, "spec"), "template"),
      keeper,
    });
  }
  return revisions.filter(({ number }) => number > 0).sort((a, b) => a.number - b.number);
}

async function ownedBy(session: Session, resource: DiscoveredResource, owner: JsonObject): Promise<JsonObject[]> {
  const found: JsonObject[] = [];
  const options = { resource, namespace: textAt(owner, "namespace"), pageSize: DEFAULT_PAGE_SIZE };
  for await (const page of listPages(session, options)) {
    for (const item of itemsOf(page, resource, apiVersionOf(resource))) {
      const owners = itemsAt(memberOf(item, "metadata"), "ownerReferences");
      if (owners.some((each) => each["uid"] === owner["uid"])) found.push(item);
    }
  }
  return found;
}

/** The object with the template of a revision. The label of a template's own ReplicaSet is no part of it. */
export function withTemplate(object: JsonObject, template: JsonObject): JsonObject {
  const metadata = memberOf(template, "metadata");
  const { [HASH_LABEL]: _, ...labels } = memberOf(metadata, "labels");
  const clean = isObject(template["metadata"]) ? { ...template, metadata: { ...metadata, labels } } : template;
  return { ...object, spec: { ...memberOf(object, "spec"), template: clean } };
}
