// Which objects a command is about: `pods`, `pods web db`, `pods,services`, `pod/web service/db`.

import type { DiscoveredResource } from "../client/discovery.ts";
import { CliError, type Flags } from "./command.ts";
import type { Session } from "./session.ts";

export interface Selected {
  readonly resource: DiscoveredResource;
  /** Undefined for all objects of the resource. */
  readonly names: readonly string[] | undefined;
  /** Where the objects are, when that is not for the command line to say. */
  readonly namespace?: string | undefined;
}

/** Fails with CliError. */
export async function readSelection(session: Session, args: readonly string[]): Promise<Selected[]> {
  const [first, ...rest] = args;
  if (first === undefined)
    throw new CliError("you must specify the type of resource: see pctl api-resources for all that there are");
  if (first.includes("/")) return selectPairs(session, args);
  if (rest.some((name) => name.includes("/"))) {
    throw new CliError("there is no need to specify a resource type as a separate argument when passing TYPE/NAME");
  }
  if (rest.includes("")) throw new CliError("resource name may not be empty");
  const names = rest.length === 0 ? undefined : rest;
  const resources = await Promise.all(first.split(",").map((word) => resourcesOf(session, word)));
  return [...new Set(resources.flat())].map((resource) => ({ resource, names }));
}

/** What flags choose is not what is named, and names are of one namespace. Fails with CliError. */
export function checkNamed(resource: DiscoveredResource, flags: Flags): void {
  const chosen =
    flags.switch("all") || flags.text("selector") !== undefined || flags.text("field-selector") !== undefined;
  if (chosen) throw new CliError("names exclude --all and a selector");
  if (flags.switch("all-namespaces") && resource.namespaced)
    throw new CliError("a resource cannot be retrieved by name across all namespaces");
}

/** Objects of one resource that stand together are one selection. */
async function selectPairs(session: Session, args: readonly string[]): Promise<Selected[]> {
  const selected: { resource: DiscoveredResource; names: string[] }[] = [];
  for (const arg of args) {
    const [word = "", name = "", ...more] = arg.split("/");
    if (word === "" || name === "" || more.length > 0) {
      throw new CliError(`arguments in resource/name form must have a single resource and name: ${arg}`);
    }
    const resource = await session.resource(word);
    const last = selected.at(-1);
    if (last?.resource === resource) last.names.push(name);
    else selected.push({ resource, names: [name] });
  }
  return selected;
}

/** A word may stand for a category: `all`. */
async function resourcesOf(session: Session, word: string): Promise<DiscoveredResource[]> {
  const { resources } = await session.discovery();
  const inCategory = resources.filter(({ categories, verbs }) => categories.includes(word) && verbs.includes("list"));
  if (inCategory.length === 0) return [await session.resource(word)];
  // A resource of several versions is shown once.
  const seen = new Set<string>();
  return inCategory.filter(({ group, resource }) => {
    const key = `${resource}.${group}`;
    return !seen.has(key) && seen.add(key);
  });
}
