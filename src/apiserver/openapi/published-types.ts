// Which structs a document defines, under which names, and which kinds they are.

import type { Kind } from "../../kinds/define-kind.ts";
import type { KindRegistry } from "../../kinds/kind-registry.ts";
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from "../../kinds/meta/discovery.ts";
import { listMeta, objectMeta } from "../../kinds/meta/object-meta.ts";
import { listSchemaOf } from "../../kinds/meta/object-schema.ts";
import { deleteOptions } from "../../kinds/meta/options.ts";
import { statusSchema } from "../../kinds/meta/status.ts";
import { watchEvent } from "../../kinds/meta/watch-event.ts";
import type { GroupVersionKind } from "../../meta/object.ts";
import type { ServedResource } from "../../registry/served-resource.ts";
import { opt, s } from "../../schema/builder.ts";
import { componentName, customComponentName } from "../../schema/openapi-names.ts";
import type { StructSchema } from "../../schema/schema.ts";
import { compareByBytes } from "../../schema/sorted-keys.ts";
import { bodyOf } from "../discovery/api-resources.ts";
import { isConnect } from "./parameters.ts";

/** The body of a patch may be any document of the media types that patches have. */
const patchBody = s.struct("meta.v1.Patch", "A patch, as its media type says.", () => ({}));

export const versionInfo = s.struct("version.Info", "What the server says it is.", () => ({
  major: s.string(1),
  minor: s.string(2),
  emulationMajor: opt.string(3),
  emulationMinor: opt.string(4),
  minCompatibilityMajor: opt.string(5),
  minCompatibilityMinor: opt.string(6),
  gitVersion: s.string(7),
  gitCommit: s.string(8),
  gitTreeState: s.string(9),
  buildDate: s.string(10),
  goVersion: s.string(11),
  compiler: s.string(12),
  platform: s.string(13),
}));

/** The structs that the operations of these resources name; custom resources bring definitions of their own. */
export function structsOf(kinds: KindRegistry, resources: readonly ServedResource[]): Set<StructSchema> {
  const structs = new Set<StructSchema>([apiResourceList]);
  for (const resource of resources) {
    const { kind } = resource;
    const verbs = new Set<string>(kind.verbs);
    for (const [name, part] of Object.entries(kind.subresources ?? {})) {
      // What these take stands in the query, and what they answer is whatever is behind them.
      if (isConnect(name, part)) continue;
      for (const verb of part.verbs) verbs.add(verb);
      const { group, version, kind: word } = bodyOf(kinds.names, resource, part);
      const body = kinds.byKind(group, version, word);
      if (body !== undefined) structs.add(body.schema);
    }
    if (verbs.has("delete") || verbs.has("deletecollection")) structs.add(deleteOptions).add(statusSchema);
    if (verbs.has("patch")) structs.add(patchBody);
    if (resource.custom) {
      // Definitions of custom resources speak of these, whatever else the document has.
      structs.add(objectMeta).add(listMeta);
      continue;
    }
    structs.add(kind.schema);
    if (kind.verbs.includes("list")) structs.add(listSchemaOf(kind));
    if (kind.verbs.includes("watch")) structs.add(watchEvent);
  }
  return structs;
}

/** The kinds that a struct is; the same for every document. */
export function kindsByStruct(
  kinds: KindRegistry,
  bodies: readonly Kind[],
): (structName: string) => readonly GroupVersionKind[] {
  const found = new Map<string, GroupVersionKind[]>();
  const add = (struct: StructSchema, kind: GroupVersionKind) => {
    const known = found.get(struct.name!);
    if (known === undefined) found.set(struct.name!, [kind]);
    else known.push(kind);
  };
  for (const struct of [apiGroup, apiGroupList, apiResourceList, apiVersions, statusSchema]) {
    add(struct, { group: "", kind: struct.name!.slice("meta.v1.".length), version: "v1" });
  }
  for (const { name: group, versions } of kinds.groups().toSorted((a, b) => compareByBytes(a.name, b.name))) {
    for (const version of versions.toSorted(compareByBytes)) {
      // Options and events are known in every version of every group.
      add(deleteOptions, { group, kind: "DeleteOptions", version });
      add(watchEvent, { group, kind: "WatchEvent", version });
      for (const kind of kinds.kindsIn(group, version)) {
        add(kind.schema, { group, kind: kind.kind, version });
        if (kind.verbs.includes("list")) add(listSchemaOf(kind), { group, kind: kind.listKind, version });
      }
    }
  }
  for (const { group, version, kind, schema } of bodies) {
    add(schema, { group: kinds.names.group(group), kind, version });
  }
  return (structName) => found.get(structName) ?? [];
}

/** The names of the definitions that a resource's operations speak of. */
export interface TypeNames {
  readonly item: string;
  readonly list: string;
  readonly status: string;
  readonly deleteOptions: string;
  readonly patch: string;
  readonly watchEvent: string;
  of(struct: StructSchema): string;
}

export function typeNames(kinds: KindRegistry, resource: ServedResource): TypeNames {
  const { kind, group, custom } = resource;
  const of = (struct: StructSchema) => componentName(struct.name!, kinds.names);
  return {
    of,
    item: custom ? customComponentName(group, kind.version, kind.kind) : of(kind.schema),
    list: custom ? customComponentName(group, kind.version, kind.listKind) : `${of(kind.schema)}List`,
    status: of(statusSchema),
    deleteOptions: of(deleteOptions),
    patch: of(patchBody),
    watchEvent: of(watchEvent),
  };
}
