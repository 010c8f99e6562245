// A resource in one version, as handlers and the write path see it: the kind, its rules, where its objects are stored.

import type { JsonObject } from "../base/json.ts";
import type { Steps } from "../base/steps.ts";
import type { HookContext, Kind } from "../kinds/define-kind.ts";
import type { FieldError } from "../meta/field-error.ts";
import type { ApiObject } from "../meta/object.ts";
import type { StatusError, StatusSubject } from "../meta/status-error.ts";
import type { Props } from "../schema/crd-props.ts";
import type { StructSchema } from "../schema/schema.ts";
import type { Revision } from "../storage/engine.ts";
import type { WaitingFor } from "./admission.ts";
import type { ObjectStore } from "./object-store.ts";

/** What the write path asks of a kind, built in or custom. */
export interface ObjectRules {
  /** Brings a decoded body into the kind's shape. Throws a StatusError (400) when it has another type. */
  shape(value: JsonObject, options?: ShapeOptions): ShapedObject;
  /** The same for large bodies. */
  shapeInSteps(value: JsonObject, options?: ShapeOptions): Steps<ShapedObject>;
  default(object: ApiObject, context: HookContext): void;
  /** The same where the object, or what it gets, may be large. Answers how many values it got, about. */
  defaultInSteps(object: ApiObject, context: HookContext): Steps<number>;
  prepareForCreate(object: ApiObject, context: HookContext): Steps<void>;
  prepareForUpdate(object: ApiObject, old: ApiObject, subresource: string, context: HookContext): Steps<void>;
  validate(object: ApiObject, context: HookContext): Steps<FieldError[]>;
  validateUpdate(object: ApiObject, old: ApiObject, subresource: string, context: HookContext): Steps<FieldError[]>;
  canonicalize(object: ApiObject, context: HookContext): Steps<void>;
  warn(object: ApiObject, old: ApiObject | undefined, subresource: string, context: HookContext): Steps<string[]>;
}

export interface ShapeOptions {
  /** The caller lets go of the value: parts of it may become parts of the object. */
  readonly reuse?: boolean;
  /** Custom resources: an explicit null is what somebody applied, who hears of it where it may not be there. */
  readonly keepNulls?: boolean;
}

export interface ShapedObject {
  readonly object: ApiObject;
  /** `unknown field "spec.x"`, one per field that the schema does not know; they are gone from the object. */
  readonly unknown: readonly string[];
  /** The keys of the value in all its objects, where they were counted; fewer than in its text: some were repeated. */
  readonly keys?: number | undefined;
}

/** Reserves what an object needs beyond itself (addresses, ports) around a write. */
/** The revision at which the object was stored, or left the store; "undecided": it may have been stored, or still be. */
export type WriteEnd = Revision | "failed" | "undecided";

export interface BegunWrite {
  /** Asked when the object is about to be stored: the key that guards the write, where there is one. Throws when it is too late. */
  guard?(): string | undefined;
  /** Releases what is no longer needed. */
  end(how: WriteEnd): Promise<void>;
}

export interface WriteCollaborator {
  /** May change the object. */
  begin(object: ApiObject, old: ApiObject | undefined, options: { readonly dryRun: boolean }): Promise<BegunWrite>;
  /** After an object has left the store, at this revision. */
  released?(object: ApiObject, at: Revision): Promise<void>;
}

/** One of the versions that an object may have. */
export interface ObjectVersion {
  readonly schema: StructSchema;
  /** Whether conversions are promises. */
  readonly asks: boolean;
  /** An object of any version, even a part of one, in this version. Leaves it as it was. */
  convert(object: ApiObject): ApiObject | Promise<ApiObject>;
}

export interface ServedResource {
  readonly kind: Kind;
  /** Whole name of the group, in the dialect served. */
  readonly group: string;
  readonly apiVersion: string;
  readonly subject: StatusSubject;
  readonly rules: ObjectRules;
  /** Undefined for kinds that are never stored. */
  readonly store: ObjectStore | undefined;
  /** Custom resources: the version that is stored. Built-in ones say it in their kind. */
  readonly storedVersion?: string;
  /** Whether stored bytes are bytes of this version. */
  readonly storedForm: boolean;
  readonly collaborator?: WriteCollaborator | undefined;
  /** Custom resources have no strategic merge, and no protobuf. */
  readonly custom?: boolean;
  /** What a type that a body claims is to this one: another version of it, or another built-in kind; else undefined. */
  relationOf?(group: string, version: string, kind: string): "version" | "foreign" | undefined;
  /** Where the types of this group are listed, as messages in upstream's words say; undefined where they do not. */
  readonly typeList?: string | undefined;
  /** Other versions that a body may say it is of, because they look the same. */
  readonly alsoAccepts?: ReadonlySet<string>;
  /** What OpenAPI says of a custom resource: the schema of its definition and its selectable fields. */
  published?(): Steps<{ readonly props: Props; readonly selectableFields: readonly string[] }>;
  /**
   * To be asked before anything else is: what a large definition of a custom resource says is made ready in steps. Undefined
   * when it is, and always for other resources.
   */
  ready?(caller?: WaitingFor): Promise<void> | undefined;
  /** A version of the resource, served or not, for ownership that was recorded there; undefined when there is none. */
  versionAt?(apiVersion: string): ObjectVersion | undefined;
  /** Whether reading adds to what is about to be stored (defaults of a custom resource's stored version). */
  addsOnRead?(stored: ApiObject): boolean;
  /** Conversion from the stored form asks a webhook: events are converted before they are encoded. */
  readonly convertsByWebhook?: boolean;
  /** Why nothing can be created: the definition is going. */
  readonly refuseCreate?: (() => StatusError) | undefined;
  /** `caller` waits for it: where a webhook is asked, no longer than that. At once where there is none, unless one is asked. */
  toStored(object: ApiObject, caller?: WaitingFor): ApiObject | Promise<ApiObject>;
  fromStored(objects: readonly ApiObject[], caller?: WaitingFor): readonly ApiObject[] | Promise<readonly ApiObject[]>;
  /** The same for a large object; absent where it takes no time, or a webhook is asked. */
  readonly fromStoredInSteps?: ((object: ApiObject) => Steps<ApiObject>) | undefined;
}
