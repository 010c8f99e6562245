// A served version of a custom resource in the clothes of every resource: its kind, rules and store come from the definition.

import { parseJsonPath } from "../../../codec/json-path.ts";
import type { CustomResourceDefinitionVersion } from "../../../kinds/apiextensions/custom-resource-definition-schema.ts";
import { ALL_VERBS, type Kind, type Subresource } from "../../../kinds/define-kind.ts";
import { statusSubresource } from "../../../kinds/subresources.ts";
import type { GroupKey, Names } from "../../../meta/names.ts";
import type { ApiObject } from "../../../meta/object.ts";
import { StatusError } from "../../../meta/status-error.ts";
import type { WaitingFor } from "../../../registry/admission.ts";
import type { ObjectStore } from "../../../registry/object-store.ts";
import type { ObjectRules, ObjectVersion, ServedResource } from "../../../registry/served-resource.ts";
import type { StructSchema } from "../../../schema/schema.ts";
import type { CompiledVersion } from "./compiled-version.ts";
import type { Conversion } from "./conversion.ts";
import { customRules } from "./custom-rules.ts";
import { type DefinitionSummary, isStoredInOneVersion, storageVersionOf, type VersionSummary } from "./definition.ts";
import type { VersionCompiler } from "./definition-reader.ts";
import type { ExpressionObserver } from "./expression-metrics.ts";
import { selectableReaders } from "./selectable-fields.ts";

interface ServedVersionParts {
  readonly names: Names;
  readonly definition: DefinitionSummary;
  readonly version: VersionSummary;
  readonly compiler: VersionCompiler;
  readonly expressions: ExpressionObserver;
  readonly store: () => ObjectStore;
  readonly conversion: () => Conversion;
}

/** Most definitions are used by nobody for long: all but what discovery shows is made on first use. */
export function servedVersion(parts: ServedVersionParts): ServedResource {
  const { definition, version, names, expressions, conversion, compiler } = parts;
  const { ready } = compiler;
  const { group } = definition;
  const apiVersion = `${group}/${version.name}`;
  const compiled = () => compiler.compiled(version.name);
  const kind = customKind(parts, compiled);
  const stored = storageVersionOf(definition);
  const storedForm = stored === version.name && isStoredInOneVersion(definition);
  let rules: ObjectRules | undefined;
  return {
    kind,
    group,
    apiVersion,
    subject: { group, resource: kind.resource },
    get rules() {
      rules ??= customRules({ names, kind: () => kind, compiled, observer: expressions });
      return rules;
    },
    get store() {
      return parts.store();
    },
    storedVersion: stored,
    storedForm,
    custom: true,
    ...(definition.conversion === "Webhook" && !storedForm ? { convertsByWebhook: true } : {}),
    ...(ready === undefined ? {} : { ready: (caller?: WaitingFor) => ready(version.name, caller) }),
    *published() {
      const props = yield* compiler.published(version.name);
      return { props, selectableFields: Object.keys(kind.selectableFields ?? {}) };
    },
    ...(definition.terminating ? { refuseCreate: () => terminating(group, kind.resource) } : {}),
    versionAt: (wanted) => versionAt(parts, wanted),
    addsOnRead: (object) => conversion().addsOnRead(object),
    toStored: (object, caller) => conversion().toStored(object, caller),
    fromStored: (objects, caller) => conversion().fromStored(objects, version.name, caller),
    ...(definition.conversion === "Webhook"
      ? {}
      : { fromStoredInSteps: (object: ApiObject) => conversion().renamedInSteps(object, version.name) }),
  };
}

function terminating(group: string, resource: string): StatusError {
  return new StatusError(
    405,
    "MethodNotAllowed",
    "create not allowed while custom resource definition is terminating",
    { group, kind: resource },
  );
}

function customKind({ definition, version }: ServedVersionParts, compiled: () => CompiledVersion): Kind {
  // Names are those that were accepted, which may lag behind those asked for.
  const words = definition.acceptedNames.plural === "" ? definition.names : definition.acceptedNames;
  const parts = subresourcesOf(definition, version.subresources, compiled);
  const { deprecation } = version;
  return {
    // Custom groups have no key: they are whole names. Nobody asks a custom kind for its key.
    group: definition.group as GroupKey,
    version: version.name,
    kind: words.kind,
    listKind: words.listKind,
    resource: words.plural,
    singular: words.singular,
    scope: definition.scope,
    ...(words.shortNames.length === 0 ? {} : { shortNames: words.shortNames }),
    ...(words.categories.length === 0 ? {} : { categories: words.categories }),
    verbs: ALL_VERBS,
    get schema() {
      return compiled().whole as Kind["schema"];
    },
    get columns() {
      return compiled().columns;
    },
    get rowFields() {
      return compiled().rowFields;
    },
    selectableFields: selectableReaders(version.selectableFields),
    ...(parts === undefined ? {} : { subresources: parts }),
    generation: true,
    freeFinalizers: true,
    judgedInSteps: true,
    ...(deprecation === undefined ? {} : { deprecated: { warning: () => deprecation } }),
  };
}

function subresourcesOf(
  { group, versions }: DefinitionSummary,
  declared: CustomResourceDefinitionVersion["subresources"],
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
      replicasPaths: new Map(
        versions.flatMap(({ name, subresources }) =>
          subresources?.scale ? [[`${group}/${name}`, subresources.scale.specReplicasPath] as const] : [],
        ),
      ),
      statusReplicasPath,
      selector(object) {
        const text = selector?.(object);
        return typeof text === "string" ? text : undefined;
      },
    };
  }
  return Object.keys(found).length === 0 ? undefined : found;
}

function allButStatus(schema: StructSchema): readonly (readonly string[])[] {
  return [...schema.fields.keys()]
    .filter((name) => !["apiVersion", "kind", "status"].includes(name))
    .map((name) => [name]);
}

/** A version of the definition, served or not. */
function versionAt(
  { definition, compiler, conversion }: ServedVersionParts,
  wanted: string,
): ObjectVersion | undefined {
  const version = definition.versions.find(({ name }) => wanted === `${definition.group}/${name}`);
  if (version === undefined) return undefined;
  return {
    schema: compiler.compiled(version.name).whole,
    asks: definition.conversion === "Webhook",
    convert: (object) => conversion().convert(object, version.name),
  };
}
