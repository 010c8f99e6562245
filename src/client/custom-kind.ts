// Custom kinds: declared by the literal of a schema, or taken from a CustomResourceDefinition; the type of their objects
// follows from it. Requirements: document 1, "Custom resources".

import type { CustomResourceDefinition } from "../kinds/apiextensions/custom-resource-definition.ts";
import type { Draft } from "../kinds/define-kind.ts";
import type { Names } from "../meta/names.ts";
import { apiVersionOf, type ObjectMeta } from "../meta/object.ts";
import type { CustomKind } from "./resources/resource-type.ts";
import type { FromSchema, JsonSchema } from "./resources/schema-type.ts";

export type { CustomKind } from "./resources/resource-type.ts";
export type { FromSchema, JsonSchema } from "./resources/schema-type.ts";

export interface CustomKindDeclaration<S> {
  /** The whole name: `example.com`. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The kind in lower case with an s when not given. */
  readonly plural?: string | undefined;
  readonly singular?: string | undefined;
  readonly shortNames?: readonly string[] | undefined;
  readonly categories?: readonly string[] | undefined;
  /** "Namespaced" when not given. */
  readonly scope?: "Namespaced" | "Cluster" | undefined;
  /** Of the whole object: `spec`, `status` and whatever else stands beside the metadata. */
  readonly schema: S;
  /** Status and scale are served apart. A schema with a `status` has it apart unless this says otherwise. */
  readonly subresources?:
    | {
        readonly status?: boolean | undefined;
        readonly scale?:
          | {
              readonly specReplicasPath: string;
              readonly statusReplicasPath: string;
              readonly labelSelectorPath?: string | undefined;
            }
          | undefined;
      }
    | undefined;
  readonly columns?: readonly CustomColumn[] | undefined;
  readonly selectableFields?: readonly string[] | undefined;
}

interface CustomColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly jsonPath: string;
  readonly priority?: number | undefined;
  readonly description?: string | undefined;
}

/** The objects that a schema literal describes. */
export type CustomObject<S> = { apiVersion?: string; kind?: string; metadata: ObjectMeta } & Omit<
  FromSchema<S>,
  "apiVersion" | "kind" | "metadata"
>;

/** A custom kind that knows its whole definition, so that a client can install it. */
export interface InstallableKind<T> extends CustomKind<T> {
  definition(names: Names): Draft<CustomResourceDefinition>;
}

/** Declares a custom kind. `client.install(kind)` makes the server serve it, `client.resource(kind)` reaches its objects. */
export function defineKind<const S extends JsonSchema>(
  declaration: CustomKindDeclaration<S>,
): InstallableKind<CustomObject<S>> {
  const { group, version, kind, plural = `${kind.toLowerCase()}s`, scope = "Namespaced" } = declaration;
  return {
    groupName: group,
    version,
    kind,
    resource: plural,
    scope,
    schema: {},
    definition: (names) => definitionOf(declaration, plural, scope, names),
  };
}

/** A definition's literal, as far as a kind follows from it. */
interface DefinitionLiteral {
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly plural: string; readonly kind: string };
    readonly versions: readonly {
      readonly name: string;
      readonly schema?: { readonly openAPIV3Schema?: JsonSchema | undefined } | undefined;
    }[];
  };
}

type SchemaOf<D extends DefinitionLiteral, V> =
  Extract<D["spec"]["versions"][number], { readonly name: V }> extends {
    readonly schema: { readonly openAPIV3Schema: infer S };
  }
    ? S
    : { readonly type: "object" };

/**
 * The kind that a CustomResourceDefinition defines, at one of its versions. Written as a literal `as const`, the
 * definition gives the type of the objects. Fails when there is no such version.
 */
export function kindOfDefinition<const D extends DefinitionLiteral, V extends D["spec"]["versions"][number]["name"]>(
  definition: D,
  version: V,
): CustomKind<CustomObject<SchemaOf<D, V>>> {
  const { group, scope, names, versions } = definition.spec;
  if (!versions.some(({ name }) => name === version))
    throw new Error(`${names.plural}.${group} has no version ${version}`);
  return {
    groupName: group,
    version,
    kind: names.kind,
    resource: names.plural,
    scope: scope === "Cluster" ? "Cluster" : "Namespaced",
    schema: {},
  };
}

function definitionOf(
  declaration: CustomKindDeclaration<JsonSchema>,
  plural: string,
  scope: "Namespaced" | "Cluster",
  names: Names,
): Draft<CustomResourceDefinition> {
  const { group, version, kind, schema, singular = kind.toLowerCase(), shortNames, categories } = declaration;
  const { subresources, columns, selectableFields } = declaration;
  const status = subresources?.status ?? Object.hasOwn(schema.properties ?? {}, "status");
  const definition = {
    apiVersion: apiVersionOf(names.group("apiextensions"), "v1"),
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: {
        plural,
        singular,
        kind,
        listKind: `${kind}List`,
        ...(shortNames === undefined ? {} : { shortNames: [...shortNames] }),
        ...(categories === undefined ? {} : { categories: [...categories] }),
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", ...schema } },
          ...(status || subresources?.scale !== undefined
            ? {
                subresources: {
                  ...(status ? { status: {} } : {}),
                  ...(subresources?.scale === undefined ? {} : { scale: { ...subresources.scale } }),
                },
              }
            : {}),
          ...(columns === undefined ? {} : { additionalPrinterColumns: columns.map((column) => ({ ...column })) }),
          ...(selectableFields === undefined
            ? {}
            : { selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })) }),
        },
      ],
    },
  };
  // A schema literal says the same words as the schema of schemas, in a looser type.
  return definition as unknown as Draft<CustomResourceDefinition>;
}
