// `pctl api-resources` and `pctl api-versions`: what the server serves. Requirements: document 1, "Discovery".

import type { JsonObject } from "../../base/json.ts";
import { apiVersionOf, type DiscoveredResource } from "../../client/discovery.ts";
import type { Command, Flags } from "../command.ts";
import { NO_MANAGED_FIELDS_FLAG, outputFlags, readOutput } from "../printing/object-form.ts";
import { textTable } from "../printing/text-table.ts";

export const apiResources: Command = {
  name: "api-resources",
  summary: "show the resources that the server serves",
  flags: [
    ...outputFlags("table (when not given), wide, name, json, yaml"),
    { name: "api-group", value: "group", summary: "of this group only; empty for the core group" },
    { name: "namespaced", value: "choice", summary: "true or false: only those with, or without, namespaces" },
    { name: "verbs", value: "verb,...", summary: "only those that have all these verbs" },
    { name: "categories", value: "word,...", summary: "only those in all these categories" },
    { name: "sort-by", value: "column", summary: "name or kind; by group and name when not given" },
    { name: "no-headers", summary: "without the first line" },
    { name: "cached", summary: "what was kept of the last time will do: the server is asked for what was not" },
    NO_MANAGED_FIELDS_FLAG,
  ],
  async run(session, _args, flags) {
    const { resources } = await session.discovery({ mayBeOld: flags.switch("cached") });
    const format = readOutput(flags, ["table", "wide", "name"]);
    const shown = preferredOnly(resources).filter((resource) => isWanted(resource, flags));
    const sortBy = flags.choice("sort-by", ["", "name", "kind"]);
    if (sortBy === "kind") shown.sort((a, b) => compare(a.kind, b.kind));
    else if (sortBy === "name") shown.sort((a, b) => compare(a.resource, b.resource));
    else shown.sort((a, b) => compare(a.group, b.group) || compare(a.resource, b.resource));
    if (format === "name") {
      for (const { resource, group } of shown)
        session.terminal.write(`${resource}${group === "" ? "" : `.${group}`}\n`);
      return;
    }
    if (typeof format === "function") {
      session.terminal.write(format(resourceList(shown)));
      return;
    }
    const wide = format === "wide";
    const header = ["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND", ...(wide ? ["VERBS", "CATEGORIES"] : [])];
    const rows = shown.map((resource) => [
      resource.resource,
      resource.shortNames.join(","),
      apiVersionOf(resource),
      String(resource.namespaced),
      resource.kind,
      ...(wide ? [resource.verbs.join(","), resource.categories.join(",")] : []),
    ]);
    session.terminal.write(textTable(flags.switch("no-headers") ? rows : [header, ...rows]));
  },
};

/** As the server says it of one version, with the group and the version of each. */
function resourceList(resources: readonly DiscoveredResource[]): JsonObject {
  const listed = resources.map(
    ({ resource, singular, group, version, kind, namespaced, verbs, shortNames, categories }) => ({
      name: resource,
      singularName: singular,
      ...(group === "" ? {} : { group }),
      version,
      kind,
      namespaced,
      verbs: [...verbs],
      ...(shortNames.length === 0 ? {} : { shortNames: [...shortNames] }),
      ...(categories.length === 0 ? {} : { categories: [...categories] }),
    }),
  );
  return { apiVersion: "v1", groupVersion: "", kind: "APIResourceList", resources: listed };
}

export const apiVersions: Command = {
  name: "api-versions",
  summary: "show the versions that the server serves, as group/version",
  async run(session) {
    const { resources } = await session.discovery();
    const versions = [...new Set(resources.map(apiVersionOf))].sort();
    session.terminal.write(versions.map((version) => `${version}\n`).join(""));
  },
};

/** Of a resource in several versions, the one that the server prefers: it comes first. */
function preferredOnly(resources: readonly DiscoveredResource[]): DiscoveredResource[] {
  const seen = new Set<string>();
  return resources.filter(({ group, resource }) => {
    const key = `${resource}.${group}`;
    return !seen.has(key) && seen.add(key);
  });
}

function isWanted({ group, namespaced, verbs, categories }: DiscoveredResource, flags: Flags): boolean {
  const wantedGroup = flags.text("api-group");
  const wantedScope = flags.choice("namespaced", ["", "true", "false"]);
  const words = (name: string) => flags.list(name).flatMap((list) => list.split(","));
  return (
    (wantedGroup === undefined || wantedGroup === group) &&
    (wantedScope === "" || (wantedScope === "true") === namespaced) &&
    words("verbs").every((verb) => verbs.includes(verb)) &&
    words("categories").every((category) => categories.includes(category))
  );
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
