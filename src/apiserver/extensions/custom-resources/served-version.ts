// A served version of a custom resource in the clothes of every resource: its kind, rules and store come from the definition.

import type { Steps } from "../../../base/steps.ts";
import { parseJsonPath } from "../../../codec/json-path.ts";
import type { CustomResourceDefinitionVersion } from "../../../kinds/apiextensions/custom-resource-definition-schema.ts";
import { ALL_VERBS, type Kind, type Subresource } from "../../../kinds/define-kind.ts";
import { statusSubresource } from "../../../kinds/subresources.ts";
import type { GroupKey, Names } from "../../../meta/names.ts";
import type { ApiObject } from "../../../meta/object.ts";
import { StatusError, type StatusSubject } from "../../../meta/status-error.ts";
import type { WaitingFor } from "../../../registry/admission.ts";
import type { CustomVersions } from "../../../registry/catalog.ts";
import type { ObjectStore } from "../../../registry/object-store.ts";
import type { ObjectRules, ObjectVersion, ServedResource } from "../../../registry/served-resource.ts";
import type { StructSchema } from "../../../schema/schema.ts";
import type { CompiledVersion } from "./compiled-version.ts";
import type { Conversion } from "./conversion.ts";
import { customRules } from "./custom-rules.ts";
import type { DefinitionSummary, VersionSummary } from "./definition.ts";
import type { VersionCompiler } from "./definition-reader.ts";
import type { ExpressionObserver } from "./expression-metrics.ts";
import { selectableReaders } from "./selectable-fields.ts";

interface DefinitionParts {
  readonly names: Names;
  readonly definition: DefinitionSummary;
  readonly compiler: VersionCompiler;
  readonly expressions: ExpressionObserver;
  readonly store: () => ObjectStore;
  readonly conversion: () => Conversion;
  readonly storedVersion: string;
  /** Nothing is left that was stored in another version. */
  readonly storedInOneVersion: boolean;
  /** Where each version that can be scaled keeps its replicas, by API version. */
  readonly replicasPaths: () => ReadonlyMap<string, string>;
}

/** The versions of a definition; to others there are those that are served. */
export class DefinedVersions implements CustomVersions {
  readonly group: string;
  readonly resource: string;
  readonly #parts: DefinitionParts;
  readonly #served = new Map<string, VersionSummary>();
  readonly #made = new Map<VersionSummary, ServedVersion>();

  constructor(parts: DefinitionParts) {
    const { definition } = parts;
    this.group = definition.group;
    this.resource = wordsOf(definition).plural;
    this.#parts = parts;
    for (const version of definition.versions) if (version.served) this.#served.set(version.name, version);
  }

  get isServed(): boolean {
    return this.#served.size > 0;
  }

  /** Also where it is not served. */
  get stored(): ServedResource | undefined {
    const version = this.#parts.definition.versions.find(({ storage }) => storage);
    return version && this.#resourceOf(version);
  }

  names(): Iterable<string> {
    return this.#served.keys();
  }

  has(version: string): boolean {
    return this.#served.has(version);
  }

  at(name: string): ServedVersion | undefined {
    const version = this.#served.get(name);
    return version && this.#resourceOf(version);
  }

  #resourceOf(version: VersionSummary): ServedVersion {
    let made = this.#made.get(version);
    if (made === undefined) {
      made = new ServedVersion({ ...this.#parts, version });
      this.#made.set(version, made);
    }
    return made;
  }
}

interface ServedVersionParts extends DefinitionParts {
  readonly version: VersionSummary;
}

/**
 * Most definitions are used by nobody for long, and one may have thousands of versions: all but what discovery shows is made
 * on first use.
 */
class ServedVersion implements ServedResource {
  readonly custom = true;
  readonly kind: Kind;
  readonly group: string;
  readonly apiVersion: string;
  readonly subject: StatusSubject;
  readonly storedVersion: string;
  readonly storedForm: boolean;
  readonly #parts: ServedVersionParts;
  #rules: ObjectRules | undefined;

  constructor(parts: ServedVersionParts) {
    const { definition, version } = parts;
    this.#parts = parts;
    this.kind = new CustomKind(parts);
    this.group = definition.group;
    this.apiVersion = `${definition.group}/${version.name}`;
    this.subject = { group: definition.group, resource: this.kind.resource };
    this.storedVersion = parts.storedVersion;
    this.storedForm = parts.storedVersion === version.name && parts.storedInOneVersion;
  }

  get rules(): ObjectRules {
    const { names, compiler, version, expressions } = this.#parts;
    const compiled = () => compiler.compiled(version.name);
    this.#rules ??= customRules({ names, kind: () => this.kind, compiled, observer: expressions });
    return this.#rules;
  }

  get store(): ObjectStore {
    return this.#parts.store();
  }

  get convertsByWebhook(): boolean {
    return this.#asks && !this.storedForm;
  }

  get #asks(): boolean {
    return this.#parts.definition.conversion === "Webhook";
  }

  get refuseCreate(): (() => StatusError) | undefined {
    return this.#parts.definition.terminating ? () => terminating(this.group, this.kind.resource) : undefined;
  }

  ready(caller?: WaitingFor): Promise<void> | undefined {
    const { compiler, version } = this.#parts;
    return compiler.ready?.(version.name, caller);
  }

  *published() {
    const { compiler, version } = this.#parts;
    const props = yield* compiler.published(version.name);
    return { props, selectableFields: Object.keys(this.kind.selectableFields ?? {}) };
  }

  /** A version of the definition, served or not. */
  versionAt(wanted: string): ObjectVersion | undefined {
    const { definition, compiler, conversion } = this.#parts;
    const version = definition.versions.find(({ name }) => wanted === `${definition.group}/${name}`);
    if (version === undefined) return undefined;
    return {
      schema: compiler.compiled(version.name).whole,
      asks: this.#asks,
      convert: (object) => conversion().convert(object, version.name),
    };
  }

  addsOnRead(object: ApiObject): boolean {
    return this.#parts.conversion().addsOnRead(object);
  }

  toStored(object: ApiObject, caller?: WaitingFor): ApiObject | Promise<ApiObject> {
    return this.#parts.conversion().toStored(object, caller);
  }

  fromStored(objects: readonly ApiObject[], caller?: WaitingFor): readonly ApiObject[] | Promise<readonly ApiObject[]> {
    return this.#parts.conversion().fromStored(objects, this.kind.version, caller);
  }

  get fromStoredInSteps(): ((object: ApiObject) => Steps<ApiObject>) | undefined {
    if (this.#asks) return undefined;
    return (object) => this.#parts.conversion().renamedInSteps(object, this.kind.version);
  }
}

function terminating(group: string, resource: string): StatusError {
  return new StatusError(
    405,
    "MethodNotAllowed",
    "create not allowed while custom resource definition is terminating",
    { group, kind: resource },
  );
}

class CustomKind implements Kind {
  // Custom groups have no key: they are whole names. Nobody asks a custom kind for its key.
  readonly group: GroupKey;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly resource: string;
  readonly singular: string;
  readonly scope: Kind["scope"];
  readonly shortNames: readonly string[] | undefined;
  readonly categories: readonly string[] | undefined;
  readonly verbs = ALL_VERBS;
  readonly generation = true;
  readonly freeFinalizers = true;
  readonly judgedInSteps = true;
  readonly selectableFields: NonNullable<Kind["selectableFields"]>;
  readonly subresources: Kind["subresources"];
  readonly deprecated: Kind["deprecated"];
  readonly #compiler: VersionCompiler;

  constructor({ definition, version, compiler, replicasPaths }: ServedVersionParts) {
    const words = wordsOf(definition);
    const { deprecation } = version;
    this.#compiler = compiler;
    this.group = definition.group as GroupKey;
    this.version = version.name;
    this.kind = words.kind;
    this.listKind = words.listKind;
    this.resource = words.plural;
    this.singular = words.singular;
    this.scope = definition.scope;
    this.shortNames = words.shortNames.length === 0 ? undefined : words.shortNames;
    this.categories = words.categories.length === 0 ? undefined : words.categories;
    this.selectableFields = selectableReaders(version.selectableFields);
    this.subresources = subresourcesOf(version.subresources, replicasPaths, () => this.#compiled);
    this.deprecated = deprecation === undefined ? undefined : { warning: () => deprecation };
  }

  get #compiled(): CompiledVersion {
    return this.#compiler.compiled(this.version);
  }

  get schema(): Kind["schema"] {
    return this.#compiled.whole as Kind["schema"];
  }

  get columns(): CompiledVersion["columns"] {
    return this.#compiled.columns;
  }

  get rowFields(): CompiledVersion["rowFields"] {
    return this.#compiled.rowFields;
  }
}

/** Names are those that were accepted, which may lag behind those asked for. */
const wordsOf = ({ acceptedNames, names }: DefinitionSummary): DefinitionSummary["names"] =>
  acceptedNames.plural === "" ? names : acceptedNames;

function subresourcesOf(
  declared: CustomResourceDefinitionVersion["subresources"],
  replicasPaths: () => ReadonlyMap<string, string>,
  compiled: () => CompiledVersion,
): Record<string, Subresource<ApiObject>> | undefined {
  const found: Record<string, Subresource<ApiObject>> = {};
  if (declared?.status) {
    const status = statusSubresource<ApiObject & { status?: unknown }>({
      keepMetadata: true,
      resetFields: [],
    }) as Extract<Subresource<ApiObject>, { type: "object" }>;
    found["status"] = {
      ...status,
      get resetFields() {
        return allButStatus(compiled().whole);
      },
    };
  }
  if (declared?.scale) {
    const { specReplicasPath, statusReplicasPath, labelSelectorPath } = declared.scale;
    const selector = labelSelectorPath ? parseJsonPath(labelSelectorPath) : undefined;
    found["scale"] = {
      type: "scale",
      verbs: ["get", "update", "patch"],
      specReplicasPath,
      replicasPaths: replicasPaths(),
      statusReplicasPath,
      selector(object) {
        const text = selector?.(object);
        return typeof text === "string" ? text : undefined;
      },
    };
  }
  return Object.keys(found).length === 0 ? undefined : found;
}

/** Of a schema that keeps what it does not declare, `spec` is the one further field whose name is known. */
function allButStatus(schema: StructSchema): readonly (readonly string[])[] {
  return [...new Set(schema.fields.keys()).add("spec")]
    .filter((name) => !["apiVersion", "kind", "status"].includes(name))
    .map((name) => [name]);
}
