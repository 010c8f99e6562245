// The pods that a word of the command line means: by name, by labels, or those of a workload or a Service.

import type { Json } from "../base/json.ts";
import { apiVersionOf } from "../client/discovery.ts";
import { CliError } from "./command.ts";
import { DEFAULT_PAGE_SIZE, itemsOf, listPages } from "./list-pages.ts";
import { podLabelsOf } from "./pod-labels.ts";
import { nameOf } from "./printing/object-text.ts";
import type { Session } from "./session.ts";
import { readTarget, type Target, targetPath } from "./targets.ts";

export async function podNames(session: Session, labelSelector: string): Promise<string[]> {
  const resource = await session.resource("pods");
  const names: string[] = [];
  const options = { resource, namespace: session.namespace, labelSelector, pageSize: DEFAULT_PAGE_SIZE };
  for await (const page of listPages(session, options))
    for (const item of itemsOf(page, resource, apiVersionOf(resource))) names.push(nameOf(item));
  return names;
}

/** A pod by its name, or the first pod of a workload or a Service: `deployment/web`. */
export async function podNamed(session: Session, word: string): Promise<string> {
  if (!word.includes("/")) return word;
  const target = await readTarget(session, [word]);
  if (target.resource.kind === "Pod") return target.name;
  const object = await session.sendForJson({ method: "GET", path: targetPath(target) });
  const [name] = await podNames(session, selectorOf(object, target));
  if (name === undefined) throw new CliError(`${word} has no pods`);
  return name;
}

function selectorOf(object: Json, { resource, name }: Target): string {
  const terms = Object.entries(podLabelsOf(object));
  if (terms.length === 0) throw new CliError(`${resource.kind} ${JSON.stringify(name)} selects no pods`);
  return terms.map(([key, value]) => `${key}=${value}`).join(",");
}
