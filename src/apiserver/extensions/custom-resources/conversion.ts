// Between the versions of a custom resource. With strategy None only apiVersion changes; a webhook is asked otherwise.
// Requirements: document 1, "Versioning".

import { cloneJson } from "../../../base/json.ts";
import type { ApiObject } from "../../../meta/object.ts";
import { prune } from "../../../schema/prune.ts";
import type { CompiledVersion } from "./compiled-version.ts";
import { fillDefaults } from "./custom-rules.ts";
import { type DefinitionSummary, storageVersionOf } from "./definition.ts";
import { sortKeys } from "./key-order.ts";

export interface Conversion {
  /** Every stored object is read in the storage version. */
  readonly storedInOneVersion: boolean;
  toStored(object: ApiObject): ApiObject | Promise<ApiObject>;
  fromStored(objects: readonly ApiObject[], version: string): readonly ApiObject[] | Promise<readonly ApiObject[]>;
  /** At once; undefined where a webhook would have to be asked. */
  now(object: ApiObject, version: string): ApiObject | undefined;
  /** A stored object in the storage version and its present shape, as far as that can be done at once. */
  read(object: ApiObject): ApiObject;
}

export interface ConversionParts {
  readonly definition: DefinitionSummary;
  readonly compiled: (version: string) => CompiledVersion;
  /** Asks the webhook; undefined with strategy None. */
  readonly ask?: (objects: readonly ApiObject[], apiVersion: string) => Promise<readonly ApiObject[]>;
}

export function conversionOf({ definition, compiled, ask }: ConversionParts): Conversion {
  const { group } = definition;
  const stored = storageVersionOf(definition);
  const apiVersionOf = (version: string) => `${group}/${version}`;
  const inShape = (object: ApiObject, version: string): ApiObject => {
    const rules = compiled(version);
    prune(object as unknown as Record<string, unknown>, rules.root);
    fillDefaults(object, rules);
    sortKeys(object);
    return object;
  };
  const renamed = (object: ApiObject, version: string): ApiObject => ({ ...object, apiVersion: apiVersionOf(version) });
  const pruned = (object: ApiObject): ApiObject => {
    prune(object as unknown as Record<string, unknown>, compiled(stored).root);
    return object;
  };
  const read = (object: ApiObject): ApiObject => {
    if (ask !== undefined && object.apiVersion !== apiVersionOf(stored)) return object;
    object.apiVersion = apiVersionOf(stored);
    return inShape(object, stored);
  };

  if (ask === undefined) {
    return {
      storedInOneVersion: true,
      toStored: (object) =>
        object.apiVersion === apiVersionOf(stored) ? object : pruned(renamed(cloneJson(object), stored)),
      fromStored: (objects, version) =>
        version === stored ? objects : objects.map((object) => inShape(renamed(object, version), version)),
      now: renamed,
      read,
    };
  }

  const convert = async (objects: readonly ApiObject[], version: string): Promise<readonly ApiObject[]> => {
    const wanted = apiVersionOf(version);
    const others = objects.filter((object) => object.apiVersion !== wanted);
    if (others.length === 0) return objects;
    const converted = await ask(others, wanted);
    let next = 0;
    return objects.map((object) => (object.apiVersion === wanted ? object : inShape(converted[next++]!, version)));
  };
  return {
    storedInOneVersion: definition.storedVersions.every((version) => version === stored),
    toStored: async (object) => (await convert([object], stored))[0]!,
    fromStored: (objects, version) => convert(objects, version),
    now: (object, version) => (object.apiVersion === apiVersionOf(version) ? object : undefined),
    read,
  };
}
