// Which kinds there are to collect, from what discovery says. Pure.

import type { DiscoveredResource, Discovery } from "../../client/discovery.ts";
import type { Names } from "../../meta/names.ts";
import { parseApiVersion } from "../../meta/object.ts";

export class ServedKinds {
  readonly #discovery: Discovery;
  readonly #readable = new Map<string, DiscoveredResource[]>();
  readonly #names: Names;

  constructor(discovery: Discovery, names: Names) {
    this.#discovery = discovery;
    this.#names = names;
    for (const served of discovery.resources) {
      if (!served.verbs.includes("get")) continue;
      const id = kindId(served.group, served.kind);
      const others = this.#readable.get(id);
      if (others === undefined) this.#readable.set(id, [served]);
      else others.push(served);
    }
  }

  /** What a reference means: in the version that it names, or else in the preferred one. */
  resolve(apiVersion: string, kind: string): DiscoveredResource | undefined {
    const parsed = parseApiVersion(apiVersion);
    if (parsed === undefined) return undefined;
    const found = this.#readable.get(kindId(parsed.group, kind));
    return found?.find(({ version }) => version === parsed.version) ?? found?.[0];
  }

  /** What can be followed and deleted, each resource once in its preferred version. */
  collectable(): DiscoveredResource[] {
    const seen = new Set<string>();
    return this.#discovery.resources.filter((served) => {
      const { group, resource, verbs } = served;
      const id = kindId(group, resource);
      if (seen.has(id) || !VERBS.every((verb) => verbs.includes(verb)) || this.#isEvents(served)) return false;
      seen.add(id);
      return true;
    });
  }

  /** Whether what is missing may only be out of reach for now. */
  isUnknown(group: string): boolean {
    return this.#discovery.unknown.some((version) => version.group === group);
  }

  /** There are more events than of anything else, they own nothing and end by themselves. */
  #isEvents({ group, resource }: DiscoveredResource): boolean {
    return resource === "events" && (group === "" || group === this.#names.group("events"));
  }
}

const VERBS = ["delete", "list", "watch"];

const kindId = (group: string, word: string): string => `${group}/${word}`;
