// The kinds that expressions of policies can be checked against: those that are built in, and those of definitions.

import type { ObjectReader } from "../../client/informer.ts";
import type { CustomResourceDefinition } from "../../kinds/apiextensions/custom-resource-definition.ts";
import { objectMeta } from "../../kinds/meta/object-meta.ts";
import type { Names } from "../../meta/names.ts";
import { apiVersionOf, parseApiVersion } from "../../meta/object.ts";
import { schemaFromCrd, withObjectMeta } from "../../schema/from-crd.ts";
import type { CheckedKind, CheckedKinds } from "../../schema/policy-type-checking.ts";

interface FoundKind extends CheckedKind {
  readonly resource: string;
}

/** Reads all built-in kinds, which takes a moment: for processes that do not have them otherwise. */
export async function knownKinds(
  names: Names,
  definitions: ObjectReader<CustomResourceDefinition>,
): Promise<CheckedKinds> {
  const { ALL_KINDS } = await import("../../kinds/all-kinds.ts");
  const builtIn = ALL_KINDS.map(({ group, version, kind, resource, schema }): FoundKind => {
    return { group: names.group(group), version, kind, resource, schema };
  });
  const byResource = new Map(builtIn.map((kind) => [idOf(kind.group, kind.version, kind.resource), kind]));
  const byName = new Map(builtIn.map((kind) => [`${apiVersionOf(kind.group, kind.version)} ${kind.kind}`, kind]));
  const custom = (group: string, version: string, fits: (kind: FoundKind) => boolean): FoundKind | undefined => {
    for (const definition of definitions.values()) {
      const kind = definition.spec.group === group ? kindOf(definition, version) : undefined;
      if (kind !== undefined && fits(kind)) return kind;
    }
    return undefined;
  };
  return {
    ofResource: (group, version, resource) =>
      byResource.get(idOf(group, version, resource)) ?? custom(group, version, (kind) => kind.resource === resource),
    named(apiVersion, name) {
      const parsed = parseApiVersion(apiVersion);
      if (parsed === undefined) return undefined;
      return byName.get(`${apiVersion} ${name}`) ?? custom(parsed.group, parsed.version, ({ kind }) => kind === name);
    },
  };
}

const idOf = (group: string, version: string, resource: string): string => `${group}/${version}/${resource}`;

function kindOf({ spec }: CustomResourceDefinition, version: string): FoundKind | undefined {
  const found = spec.versions?.find(({ name, served }) => name === version && served);
  const props = found?.schema?.openAPIV3Schema;
  if (props === undefined) return undefined;
  const { kind, plural } = spec.names;
  const schema = withObjectMeta(schemaFromCrd(props as Parameters<typeof schemaFromCrd>[0]), objectMeta);
  return { group: spec.group, version, kind, resource: plural, schema };
}
