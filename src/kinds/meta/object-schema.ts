// The schemas of whole objects and of lists of them: type, metadata, and what the kind adds.

import type { ObjectMeta } from "../../meta/object.ts";
import { type Members, type MembersValue, opt, type Struct, s } from "../../schema/builder.ts";
import type { StructSchema } from "../../schema/schema.ts";
import { listMeta, objectMeta, typeMeta } from "./object-meta.ts";

type ObjectWith<M> = { kind?: string; apiVersion?: string; metadata: ObjectMeta } & MembersValue<M>;

/** The schema of a kind: kind, apiVersion and metadata, then the given members. */
export function objectSchema<M extends Members>(name: string, doc: string, members: () => M): Struct<ObjectWith<M>> {
  return s.struct<ObjectWith<M>>(name, doc, {}, () => ({
    typeMeta: s.inline(typeMeta),
    metadata: opt.of(objectMeta, 1, METADATA_TEXT),
    // The few kinds where upstream marks the metadata in another way than as optional declare it again.
    ...members(),
  }));
}

export const METADATA_TEXT = "Standard object's metadata: name, namespace, labels and what else every object has.";

/** The schema of the list of a kind's objects: `core.v1.PodList` for `core.v1.Pod`. One per schema. */
export function listSchemaOf({ schema: item, resource }: ListedKind): StructSchema {
  let list = listSchemas.get(item);
  if (list === undefined) {
    list = s.struct(`${item.name ?? ""}List`, `A list of ${item.name?.split(".").pop()} objects.`, () => ({
      typeMeta: s.inline(typeMeta),
      metadata: opt.of(listMeta, 1, "The version of the list, and how to read on when it comes in pages."),
      items: s.list(item, 2, `List of ${resource}.`),
    }));
    listSchemas.set(item, list);
  }
  return list;
}

/** As much of a kind as its list says. */
interface ListedKind {
  readonly schema: StructSchema;
  readonly resource: string;
}

const listSchemas = new WeakMap<StructSchema, StructSchema>();
