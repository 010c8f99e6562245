// What a kind is: one declaration from which everything else is derived. Hooks are pure; what needs other objects
// (allocation, quota) is admission or a collaborator of the registry.

import type { Json } from "../base/json.ts";
import type { Steps } from "../base/steps.ts";
import { FEW_KEYS } from "../base/wide-keys.ts";
import type { FieldError } from "../meta/field-error.ts";
import type { GroupKey, Names } from "../meta/names.ts";
import type { ApiObject, ObjectMeta } from "../meta/object.ts";
import type { UserInfo } from "../meta/user.ts";
import type { Struct } from "../schema/builder.ts";
import type { Deprecation } from "./deprecation.ts";

export type { Describes, Draft, ObjectOf } from "../schema/builder.ts";

/** What hooks may know beside the objects. */
export interface HookContext {
  readonly names: Names;
  readonly gateEnabled: (gate: string) => boolean;
  readonly nowMs: number;
  /** Whether containers may be privileged (--allow-privileged); absent: they may not. */
  readonly allowPrivileged?: boolean;
  /** Who writes. Undefined where nobody does (defaulting on read). */
  readonly userName?: string;
  readonly user?: UserInfo;
  /** The labels of a namespace; undefined where it is not known. */
  readonly namespaceLabels?: (namespace: string) => Readonly<Record<string, string>> | undefined;
}

export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection";

/** The verbs that nearly every stored kind has. */
export const ALL_VERBS: readonly Verb[] = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
];

/** How the name of an object must look; checked with the metadata. */
export type NameRule =
  | "dns1123Subdomain"
  | "dns1123Label"
  | "dns1035Label"
  | "pathSegment"
  | ((name: string) => string[]);

export interface Column<T = ApiObject> {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly format?: string;
  readonly description?: string;
  /** 0 always shown, above only in wide output. */
  readonly priority?: number;
  /** Rows have the cell, but nothing says what it is: upstream has such a one. */
  readonly unannounced?: boolean;
  /** The cell: a simple path (`.spec.controller`) or a function of the object. */
  readonly cell: string | Cell<T>;
}

/** Written as a method so that a column of one kind is also a column of any. */
type Cell<T> = { cell(object: T, context: CellContext): Json }["cell"];

export interface CellContext {
  readonly names: Names;
  readonly nowMs: number;
}

/** A hook may change the object it is given (it is the writer's own copy) and nothing else. */
export interface KindHooks<T> {
  /** Defaults beyond the schema's. Runs on every decoded object of this version, before validation. */
  default?(object: T, context: HookContext): Work;
  prepareForCreate?(object: T, context: HookContext): Work;
  prepareForUpdate?(object: T, old: T, context: HookContext): Work;
  validate?(object: T, context: HookContext): Findings<FieldError>;
  validateUpdate?(object: T, old: T, context: HookContext): Findings<FieldError>;
  /** After validation, brings values into their canonical form. */
  canonicalize?(object: T, context: HookContext): Work;
  /** Warning headers for a write that goes through. */
  warn?(object: T, old: T | undefined, context: HookContext): Findings<string>;
}

/** What hooks can judge at once without others noticing: a pod of this size names ten thousand environment variables. */
export const MAX_VALUES_AT_ONCE = 32 * 1024;
/** Of one map, whose keys take several times as long as as many values elsewhere do. */
export const MAX_KEYS_AT_ONCE = FEW_KEYS;

/** What a hook does: in steps where an object may hold so much that others would notice. */
export type Work = void | Steps<void>;

/** What a hook finds: in steps where an object may hold so much that others would notice. */
export type Findings<F> = F[] | Steps<F[]>;

/**
 * A sub-resource.
 * - `object`: the body is the whole object, a part of it is written (status, approval, finalize, ephemeralcontainers, resize).
 * - `scale`: autoscaling/v1 Scale, read from and written to the object.
 * - `special`: a body of another kind and a handler of its own in the server (binding, eviction, token, log, exec, proxy, ...).
 */
export type Subresource<T> = {
  /** Not there while this gate is off. */
  readonly gate?: string;
} & (
  | {
      readonly type: "object";
      readonly verbs: readonly ("get" | "update" | "patch")[];
      /** Keeps of `object` only what this sub-resource may write; the rest comes from `old`. */
      prepareForUpdate(object: T, old: T, context: HookContext): Work;
      validateUpdate?(object: T, old: T, context: HookContext): Findings<FieldError>;
      warn?(object: T, old: T, context: HookContext): Findings<string>;
      /** Paths whose ownership this endpoint does not track, for example [["spec"], ["metadata"]]. */
      readonly resetFields: readonly (readonly string[])[];
    }
  | {
      readonly type: "scale";
      readonly verbs: readonly ("get" | "update" | "patch")[];
      readonly specReplicasPath: string;
      /** The same in every version of the object, by apiVersion; by default there is only this one. */
      readonly replicasPaths?: ReadonlyMap<string, string>;
      readonly statusReplicasPath: string;
      /** The label selector as text. */
      selector(object: T): string | undefined;
    }
  | {
      readonly type: "special";
      readonly verbs: readonly string[];
      /** The kind of the body, in discovery: by default that of the parent. */
      readonly body?: { readonly group: GroupKey; readonly version: string; readonly kind: string };
    }
);

/** The value of a selectable field; written as a method so that a kind of one type is also a kind of any. */
type SelectableField<T> = { value(object: T): string }["value"];

interface KindDeclaration<T> {
  readonly group: GroupKey;
  readonly version: string;
  readonly kind: string;
  /** Plural path word. */
  readonly resource: string;
  /** Singular word, for clients. By default the kind in lower case. */
  readonly singular?: string;
  readonly scope: "Namespaced" | "Cluster";
  readonly doc?: string;
  readonly shortNames?: readonly string[] | undefined;
  readonly categories?: readonly string[] | undefined;
  /** By default all; of a kind that is never stored, create. */
  readonly verbs?: readonly Verb[];
  /** apiVersion, kind, metadata and the rest: the complete object. */
  readonly schema: Struct<T>;
  readonly columns?: readonly Column<T>[];
  /**
   * Every field that cells and `rowConditions` look at (see cells/row-fields.ts): long Tables decode nothing else. By
   * default all that the schema has.
   */
  readonly rowFields?: readonly (readonly string[])[] | undefined;
  /** Selectable fields beyond metadata.name and metadata.namespace. */
  readonly selectableFields?: Readonly<Record<string, SelectableField<T>>>;
  /** What they are made of, as far as that stands elsewhere than their names say. */
  readonly fieldsFrom?: readonly (readonly string[])[];
  /** What is said to a selector of another field, where upstream has words of its own for the kind. */
  refusesField?(field: string, names: Names): string;
  readonly subresources?: Readonly<Record<string, Subresource<T>>> | undefined;
  /** By default a DNS subdomain; nothing is asked of what is never stored. */
  readonly name?: NameRule;
  /** What is asked of names instead while a gate is on. */
  readonly gatedName?: { readonly gate: string; readonly name: NameRule };
  /** Below the root of all keys: `configmaps`, `services/specs`. By default the resource. */
  readonly storagePrefix?: string;
  /** Another kind in whose form objects are stored; conversions lose nothing. Type and version are set by the caller. */
  readonly storedAs?: {
    readonly group: GroupKey;
    readonly version: string;
    readonly kind: string;
    toStored(object: T, names: Names): ApiObject;
    fromStored(object: ApiObject, names: Names): T;
  };
  /** Never stored: a review or another operation in the form of a kind. */
  readonly virtual?: boolean;
  /**
   * Hooks judge long lists and wide maps in steps: an object may hold as much as any body may. By default they judge all of
   * it at once, and beside its metadata it may hold MAX_VALUES_AT_ONCE, MAX_KEYS_AT_ONCE of them in one map.
   */
  readonly judgedInSteps?: boolean;
  /** PUT of an absent object creates it. */
  readonly createOnUpdate?: boolean;
  /** PUT without resourceVersion is allowed. */
  readonly unconditionalUpdate?: boolean;
  /** DELETE answers the object instead of a Status; `unpublished`: though OpenAPI says otherwise, as upstream's does. */
  readonly returnDeletedObject?: boolean | "unpublished";
  /** Seconds an object is given to end, from what the request asks for (pods); absent: none, it goes at once. */
  gracefulDelete?(object: T, requestedSeconds: number | undefined): number;
  /** Whether an ending object must stay for a reason beyond its finalizers (a namespace that is not empty). */
  holdsDeletion?(object: T): boolean;
  /** What else a first delete request changes in an object that ends later. */
  markEnding?(object: T, names: Names): void;
  /**
   * Metadata are judged when nothing else is wrong, and only by what every object must keep to: finalizers need no domain.
   */
  readonly judgesMetadataLast?: boolean;
  /** Finalizers need no domain before a slash, as for all kinds that upstream's core validation does not see. */
  readonly freeFinalizers?: boolean;
  /**
   * Without a propagationPolicy, dependents are orphaned instead of collected (kept by upstream for old kinds). `warn`:
   * and the client is told so.
   */
  readonly orphanByDefault?: boolean | "warn";
  /** A generateName is the whole name: nothing is added (addresses, which are their name). */
  readonly generatesWholeName?: boolean;
  /**
   * The server manages metadata.generation: bumped when anything but metadata and status changes, for some kinds also
   * when annotations or labels do.
   */
  readonly generation?: boolean | "andAnnotations" | "andLabels";
  /** Paths that a server-side apply to the object itself does not own. By default the status, where it is apart. */
  readonly resetFields?: readonly (readonly string[])[];
  /** Annotations that stand for fields which this version lacks: left out where only the metadata of an object is shown. */
  fieldAnnotations?(names: Names): readonly string[];
  /** What a row of the table says about the object beyond its cells (pods that have ended). */
  rowConditions?(object: T): Json[];
  /** Off until --runtime-config turns it on. */
  readonly offByDefault?: boolean;
  /** Off while this gate is, whatever --runtime-config says. */
  readonly gate?: string;
  /** Objects end by themselves after --event-ttl. */
  readonly expires?: boolean;
  readonly deprecated?: Deprecation | undefined;
  readonly hooks?: KindHooks<T>;
}

/** A kind as the rest of the house sees it. */
export type Kind<T = ApiObject> = KindDeclaration<T> & {
  readonly listKind: string;
  readonly singular: string;
  readonly verbs: readonly Verb[];
  /** Served in protobuf, as all built-in kinds are. */
  readonly protobuf?: boolean;
};

/** The type of the objects comes from the schema alone. */
export function defineKind<T>(declaration: KindDeclaration<NoInfer<T>> & { readonly schema: Struct<T> }): Kind<T> {
  return {
    singular: declaration.kind.toLowerCase(),
    protobuf: true,
    listKind: `${declaration.kind}List`,
    ...(declaration.virtual ? { verbs: ["create"] } : { ...STORED, storagePrefix: declaration.resource }),
    ...declaration,
  };
}

const STORED = { verbs: ALL_VERBS, name: "dns1123Subdomain" } as const;

/** The body of a sub-resource: a kind that has no resource of its own. Options of requests have no metadata either. */
export function defineBody<T>(
  declaration: Pick<KindDeclaration<NoInfer<T>>, "group" | "version" | "kind" | "scope" | "columns" | "hooks"> & {
    readonly schema: Struct<T>;
  },
): Kind<T & { metadata: ObjectMeta }> {
  const kind = defineKind<T>({ ...declaration, resource: "", singular: "", verbs: [], virtual: true });
  return kind as Kind<T & { metadata: ObjectMeta }>;
}
