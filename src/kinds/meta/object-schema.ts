// The schemas of whole objects and of lists of them: type, metadata, and what the kind adds.

import type { ObjectMeta } from "../../meta/object.ts";
import { type Members, type MembersValue, type Struct, type StructOptions, s } from "../../schema/builder.ts";
import type { StructSchema } from "../../schema/schema.ts";
import { listMeta, objectMeta, typeMeta } from "./object-meta.ts";

export type ObjectWith<M> = { kind?: string; apiVersion?: string; metadata: ObjectMeta } & MembersValue<M>;

export interface ObjectOptions extends StructOptions {
  /** For the few kinds where upstream marks the metadata in another way than as optional. */
  readonly metadata?: { readonly required?: boolean; readonly optional?: boolean };
}

/** The schema of a kind: kind, apiVersion and metadata, then the given members. */
export function objectSchema<M extends Members>(
  name: string,
  { metadata = OPTIONAL, ...options }: ObjectOptions,
  members: () => M,
): Struct<ObjectWith<M>> {
  const all = () => ({
    typeMeta: s.inline(typeMeta),
    metadata: s.of(objectMeta, {
      proto: 1,
      ...metadata,
      doc: "Name, namespace, labels and what else every object has.",
    }),
    ...members(),
  });
  return s.struct<ObjectWith<M>>(name, options, all);
}

const OPTIONAL = { optional: true } as const;

/** The schema of the list of a kind's objects: `core.v1.PodList` for `core.v1.Pod`. One per schema. */
export function listSchemaOf(item: StructSchema): StructSchema {
  let list = listSchemas.get(item);
  if (list === undefined) {
    list = s.struct(`${item.name ?? ""}List`, { doc: `A list of ${item.name?.split(".").pop()} objects.` }, () => ({
      typeMeta: s.inline(typeMeta),
      metadata: s.of(listMeta, {
        proto: 1,
        optional: true,
        doc: "The version of the list, and how to read on when it comes in pages.",
      }),
      items: s.list(item, { proto: 2, doc: "The objects of the list." }),
    }));
    listSchemas.set(item, list);
  }
  return list;
}

const listSchemas = new WeakMap<StructSchema, StructSchema>();
