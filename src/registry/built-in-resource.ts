// A built-in kind as a served resource: its versions are converted by what the kinds declare.

import type { Clock } from "../base/clock.ts";
import type { JsonObject } from "../base/json.ts";
import { finish, mapInSteps, Pace } from "../base/steps.ts";
import type { Kind } from "../kinds/define-kind.ts";
import type { KindRegistry } from "../kinds/kind-registry.ts";
import { type ApiObject, parseApiVersion } from "../meta/object.ts";
import type { StatusSubject } from "../meta/status-error.ts";
import type { WaitingFor } from "./admission.ts";
import { builtInRules } from "./object-rules.ts";
import type { ObjectStore } from "./object-store.ts";
import type { ObjectRules, ObjectVersion, ServedResource, WriteCollaborator } from "./served-resource.ts";
import { soon } from "./write.ts";

interface BuiltInParts {
  readonly kinds: KindRegistry;
  readonly clock: Clock;
  readonly gateEnabled: (gate: string) => boolean;
  /** By resource (`services`, `jobs.batch`), as they are now. */
  readonly collaborators: ReadonlyMap<string, WriteCollaborator>;
}

// A class, because the engine keeps literals with getters as tables, and every request reads many of these members.
export class BuiltInResource implements ServedResource {
  readonly kind: Kind;
  readonly group: string;
  readonly apiVersion: string;
  readonly subject: StatusSubject;
  readonly rules: ObjectRules;
  readonly store: ObjectStore | undefined;
  readonly storedForm: boolean;
  readonly typeList: string | undefined;
  readonly #parts: BuiltInParts;
  /** The kind that its objects are stored as. */
  readonly #stored: Kind;
  readonly #resource: string;

  constructor(kind: Kind, group: string, store: ObjectStore | undefined, parts: BuiltInParts) {
    const { kinds, gateEnabled } = parts;
    this.kind = withGatedName(withoutGatedParts(kind, gateEnabled), gateEnabled);
    this.group = group;
    this.apiVersion = kinds.apiVersionOf(kind);
    this.subject = { group, resource: kind.resource };
    this.rules = builtInRules(kind, gateEnabled);
    this.store = store;
    this.storedForm = kind.storedAs === undefined;
    this.typeList = kinds.names.typeListOf(kind.group);
    this.#parts = parts;
    this.#stored = kinds.storedKind(kind);
    this.#resource = group === "" ? kind.resource : `${kind.resource}.${group}`;
  }

  get collaborator(): WriteCollaborator | undefined {
    return this.#parts.collaborators.get(this.#resource);
  }

  relationOf(group: string, version: string, word: string): "version" | "foreign" | undefined {
    const { kinds } = this.#parts;
    const other = kinds.byKind(group, version, word);
    if (other === undefined) return isMetaKind(group, version, word) ? "foreign" : undefined;
    return kinds.storedKind(other) === this.#stored ? "version" : "foreign";
  }

  /** Parts of objects get the zero values that make them whole, as upstream's types do. */
  versionAt(apiVersion: string): ObjectVersion | undefined {
    const kind = this.#versionOf(apiVersion);
    if (kind === undefined) return undefined;
    return {
      schema: kind.schema,
      asks: false,
      convert: (object) => {
        const from = this.#versionOf(object.apiVersion ?? "") ?? kind;
        const { object: whole } = builtInRules(from, this.#parts.gateEnabled).shape(object as unknown as JsonObject);
        return this.#fromStoredTo(kind, this.#toStoredFrom(from, whole));
      },
    };
  }

  toStored(object: ApiObject): ApiObject {
    return this.#toStoredFrom(this.kind, object);
  }

  fromStored(objects: readonly ApiObject[], caller?: WaitingFor): readonly ApiObject[] | Promise<readonly ApiObject[]> {
    if (this.storedForm) return objects;
    const { kinds, gateEnabled, clock } = this.#parts;
    const steps = mapInSteps(objects, new Pace(OBJECTS_PER_STEP), (object) => {
      const converted = this.#fromStoredTo(this.kind, object);
      finish(this.kind.hooks?.default?.(converted, { names: kinds.names, gateEnabled, nowMs: clock.nowMs() }));
      return converted;
    });
    return soon(steps, caller);
  }

  #versionOf(apiVersion: string): Kind | undefined {
    const { kinds } = this.#parts;
    const { group = "", version = "" } = parseApiVersion(apiVersion) ?? {};
    const kind = kinds.find(group, version, this.#stored.kind);
    return kind !== undefined && kinds.storedKind(kind) === this.#stored ? kind : undefined;
  }

  #toStoredFrom(kind: Kind, object: ApiObject): ApiObject {
    if (kind.storedAs === undefined) return object;
    const { kinds } = this.#parts;
    const converted = kind.storedAs.toStored(object, kinds.names);
    return { ...converted, kind: this.#stored.kind, apiVersion: kinds.apiVersionOf(this.#stored) };
  }

  #fromStoredTo(kind: Kind, object: ApiObject): ApiObject {
    if (kind.storedAs === undefined) return object;
    const { kinds } = this.#parts;
    const converted = kind.storedAs.fromStored(object, kinds.names) as ApiObject;
    return { ...converted, kind: kind.kind, apiVersion: kinds.apiVersionOf(kind) };
  }
}

/** A sub-resource whose feature gate is off is not there. */
function withoutGatedParts(kind: Kind, gateEnabled: (gate: string) => boolean): Kind {
  const parts = Object.entries(kind.subresources ?? {});
  const served = parts.filter(([, { gate }]) => gate === undefined || gateEnabled(gate));
  return served.length === parts.length ? kind : { ...kind, subresources: Object.fromEntries(served) };
}

function withGatedName(kind: Kind, gateEnabled: (gate: string) => boolean): Kind {
  const { gatedName } = kind;
  return gatedName !== undefined && gateEnabled(gatedName.gate) ? { ...kind, name: gatedName.name } : kind;
}

/** Conversions from the stored form that are made in one step. */
const OBJECTS_PER_STEP = 20;

/** Kinds that upstream's core group has beside those that it serves: answers and options. */
const META_KINDS: ReadonlySet<string> = new Set([
  ...["APIGroup", "APIGroupList", "APIResourceList", "APIVersions", "Status", "WatchEvent"],
  ...["CreateOptions", "DeleteOptions", "GetOptions", "ListOptions", "PatchOptions", "UpdateOptions"],
]);

const isMetaKind = (group: string, version: string, kind: string): boolean =>
  group === "" && version === "v1" && META_KINDS.has(kind);
