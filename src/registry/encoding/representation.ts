// The forms in which a kind's objects are shown: as they are, as rows of a Table, reduced to their metadata.
// Requirements: document 1, "Table representation".

import { type FieldPath, FieldPicker } from "../../codec/field-picker.ts";
import { type Output, wordsOf } from "../../codec/negotiate.ts";
import {
  metaVersion,
  type RepresentationVersion,
  toPartialObjectMetadata,
  toPartialObjectMetadataList,
} from "../../codec/partial-object-metadata.ts";
import { type ListMeta, PARTIAL_LIST_V1BETA1_NUMBERS } from "../../codec/protobuf-stream.ts";
import { DEFAULT_ROW_FIELDS, type IncludeObject, parseIncludeObject, toRow, toTable } from "../../codec/table.ts";
import { columnText } from "../../kinds/cells/column-texts.ts";
import type { Kind } from "../../kinds/define-kind.ts";
import { listSchemaOf } from "../../kinds/meta/object-schema.ts";
import { tableSchema } from "../../kinds/meta/table.ts";
import { partialObjectMetadata, partialObjectMetadataList } from "../../kinds/meta/watch-event.ts";
import type { Names } from "../../meta/names.ts";
import type { ApiObject, ObjectMeta } from "../../meta/object.ts";
import type { StructSchema } from "../../schema/schema.ts";
import type { ResourceRequest } from "../resource-request.ts";
import type { ServedResource } from "../served-resource.ts";
import type { WriteDeps } from "../write.ts";
import type { TableSource } from "./json-table.ts";

type Value = Readonly<Record<string, unknown>>;

interface Representation {
  one(object: ApiObject): Value;
  readonly oneSchema: StructSchema;
  list(objects: readonly ApiObject[], metadata: ListMeta): Value;
  readonly listSchema: StructSchema;
  readonly listType: { readonly apiVersion: string; readonly kind: string };
  /** The items of a list that protobuf puts together from its parts; undefined where it cannot. */
  readonly itemSchema: StructSchema | undefined;
  /** Where protobuf numbers the members of the list otherwise than usual. */
  readonly listNumbers?: typeof PARTIAL_LIST_V1BETA1_NUMBERS;
  item(object: ApiObject): Value;
  /** The object of a watch event. */
  event(object: ApiObject): Value;
  /** The rows of a long list, whose objects go out as the bytes at hand; undefined where they are shown otherwise. */
  readonly rows?: (metadata: ListMeta) => TableSource;
  /** What stands before the metadata of an object in JSON, where nothing but the metadata is shown, and all of it. */
  readonly metadataHead?: string;
  /** Watchers with an equal key see equal events; undefined where the first differs from the rest. */
  readonly shared: string | undefined;
}

export function representation(context: WriteDeps, resourceRequest: ResourceRequest, output: Output): Representation {
  const version = (output.asVersion ?? "v1") as RepresentationVersion;
  const words = wordsOf(output, context.names);
  switch (output.as) {
    case "Table":
      return tableForm(context, resourceRequest, version, words);
    case "PartialObjectMetadata":
    case "PartialObjectMetadataList":
      return metadataForm(context, resourceRequest, version, words);
    default:
      return objectForm(resourceRequest);
  }
}

function objectForm({ resource }: ResourceRequest): Representation {
  const { kind, apiVersion } = resource;
  // Items of typed lists go without their type; custom resources keep it.
  const item = resource.custom
    ? (object: ApiObject): Value => object
    : ({ kind: _kind, apiVersion: _apiVersion, ...rest }: ApiObject): Value => rest;
  return {
    one: (object) => object,
    oneSchema: kind.schema,
    list: (objects, metadata) => ({ kind: kind.listKind, apiVersion, metadata, items: objects.map(item) }),
    listSchema: listSchemaOf(kind),
    listType: { apiVersion, kind: kind.listKind },
    itemSchema: kind.schema,
    item,
    event: (object) => object,
    shared: apiVersion,
  };
}

function metadataForm(
  { names }: WriteDeps,
  { resource }: ResourceRequest,
  version: RepresentationVersion,
  words: Names,
): Representation {
  const metadataOf = shownMetadata(resource.kind, names);
  const item = (object: ApiObject) => ({ metadata: metadataOf(object) });
  const one = (object: ApiObject) => toPartialObjectMetadata(item(object), words, version) as unknown as Value;
  const apiVersion = metaVersion(words, version);
  return {
    one,
    oneSchema: partialObjectMetadata,
    list: (objects, metadata) =>
      toPartialObjectMetadataList(objects.map(item), metadata, words, version) as unknown as Value,
    listSchema: partialObjectMetadataList,
    listType: { apiVersion, kind: "PartialObjectMetadataList" },
    itemSchema: partialObjectMetadata,
    ...(version === "v1beta1" && { listNumbers: PARTIAL_LIST_V1BETA1_NUMBERS }),
    item,
    event: one,
    ...(resource.kind.fieldAnnotations === undefined ? { metadataHead: metadataHead(apiVersion) } : {}),
    shared: `metadata ${apiVersion}`,
  };
}

/** The JSON of an object reduced to its metadata, up to these. */
const metadataHead = (apiVersion: string): string =>
  `{"kind":"PartialObjectMetadata","apiVersion":${JSON.stringify(apiVersion)},"metadata":`;

const pickers = new WeakMap<object, FieldPicker>();

/**
 * What cells look at. Where a kind does not say so: everything, except what changed which field. Of a custom resource
 * nobody knows what everything is.
 */
function rowFields({ kind, custom }: ServedResource): FieldPicker | undefined {
  if (custom === true && kind.rowFields === undefined) return undefined;
  const owner = kind.rowFields ?? kind.schema;
  let picker = pickers.get(owner);
  if (picker === undefined) {
    picker = new FieldPicker(
      kind.rowFields ?? (kind.columns === undefined ? DEFAULT_ROW_FIELDS : allFields(kind.schema)),
    );
    pickers.set(owner, picker);
  }
  return picker;
}

function allFields(schema: StructSchema): FieldPath[] {
  return [...schema.fields].flatMap(([name, { schema: inner }]) =>
    name === "metadata" && inner.type === "struct"
      ? [...inner.fields.keys()].filter((key) => key !== "managedFields").map((key) => [name, key])
      : [[name]],
  );
}

/** What is seen of the metadata of an object where the rest of it is not. */
function shownMetadata(kind: Kind, names: Names): (object: ApiObject) => ObjectMeta {
  const hidden = kind.fieldAnnotations?.(names) ?? [];
  return ({ metadata }) => {
    if (!hidden.some((key) => metadata.annotations?.[key] !== undefined)) return metadata;
    const { annotations, ...rest } = metadata;
    const shown = Object.entries(annotations ?? {}).filter(([key]) => !hidden.includes(key));
    return shown.length === 0 ? rest : { ...metadata, annotations: Object.fromEntries(shown) };
  };
}

function tableForm(
  { names, clock }: WriteDeps,
  { request, resource }: ResourceRequest,
  version: RepresentationVersion,
  words: Names,
): Representation {
  const includeObject: IncludeObject = parseIncludeObject(request.query.get("includeObject") ?? undefined);
  const { columns, rowConditions, kind } = resource.kind;
  const metadataOf = shownMetadata(resource.kind, names);
  const rowOptions = () => ({
    names,
    nowMs: clock.nowMs(),
    ...(rowConditions === undefined ? {} : { rowConditions: (object: ApiObject) => rowConditions(object) as never }),
  });
  const table = (objects: readonly ApiObject[], metadata: ListMeta | Record<string, never>, headers: boolean) =>
    toTable(columns, objects, {
      ...rowOptions(),
      version,
      words,
      includeObject,
      ...(resource.custom ? {} : { textOf: ({ name }) => columnText(kind, name) }),
      metadata,
      metadataOf,
      headers,
    }) as unknown as Value;
  const ofOne = (object: ApiObject, headers: boolean) => {
    const { resourceVersion } = object.metadata;
    return table([object], resourceVersion === undefined ? {} : { resourceVersion }, headers);
  };
  // Upstream's common table of kinds without columns of their own has no list of rows where there are none.
  const noRows = columns === undefined && !resource.custom ? { rows: null } : {};
  let first = true;
  return {
    one: (object) => ofOne(object, true),
    oneSchema: tableSchema,
    list: (objects, metadata) => ({ ...table(objects, metadata, true), ...(objects.length === 0 ? noRows : {}) }),
    listSchema: tableSchema,
    listType: { apiVersion: metaVersion(words, version), kind: "Table" },
    itemSchema: undefined,
    item: (object) => object,
    ...(resource.kind.fieldAnnotations !== undefined
      ? {}
      : {
          rows(metadata: ListMeta): TableSource {
            const options = rowOptions();
            return {
              includeObject,
              head: table([], metadata, true),
              fields: rowFields(resource),
              metadataHead: metadataHead(metaVersion(words, version)),
              row: (object) => toRow(columns, object, options),
            };
          },
        }),
    event(object) {
      // A watcher learns the columns once.
      const headers = first;
      first = false;
      return ofOne(object, headers);
    },
    shared: undefined,
  };
}
