// Between the versions of a custom resource. With strategy None only apiVersion changes; a webhook is asked otherwise.
// Every version has its own schema: what is read is pruned and defaulted by the schema of the version that it is kept in,
// what is converted is pruned by that of the version it becomes. Requirements: document 1, "Versioning".

import { cloneJson } from "../../../base/json.ts";
import { atOnce, type Steps } from "../../../base/steps.ts";
import type { ApiObject } from "../../../meta/object.ts";
import type { WaitingFor } from "../../../registry/admission.ts";
import { lacksDefaults } from "../../../schema/default.ts";
import type { CompiledVersion } from "./compiled-version.ts";
import { coerce, fillDefaults } from "./custom-rules.ts";
import { type DefinitionSummary, storageVersionOf } from "./definition.ts";
import { sortKeys } from "./key-order.ts";

export interface Conversion {
  toStored(object: ApiObject, caller?: WaitingFor): ApiObject | Promise<ApiObject>;
  fromStored(
    objects: readonly ApiObject[],
    version: string,
    caller?: WaitingFor,
  ): readonly ApiObject[] | Promise<readonly ApiObject[]>;
  /** An object of any version in another one, as it is: neither pruned nor completed. A promise where a webhook is asked. */
  convert(object: ApiObject, version: string): ApiObject | Promise<ApiObject>;
  /** A stored object in its present shape, in the version that it is kept in. Changes it. */
  read(object: ApiObject): Steps<ApiObject>;
  /** Whether reading adds to what is about to be stored: defaults that the stored version has and the other lacks. */
  addsOnRead(stored: ApiObject): boolean;
}

interface ConversionParts {
  readonly definition: DefinitionSummary;
  readonly compiled: (version: string) => CompiledVersion;
  /** Asks the webhook; undefined with strategy None. */
  readonly ask?: (
    objects: readonly ApiObject[],
    apiVersion: string,
    caller: WaitingFor | undefined,
  ) => Promise<readonly ApiObject[]>;
}

export function conversionOf({ definition, compiled, ask }: ConversionParts): Conversion {
  const { group } = definition;
  const stored = storageVersionOf(definition);
  const versions = new Map(definition.versions.map(({ name }) => [`${group}/${name}`, name]));
  const apiVersionOf = (version: string) => `${group}/${version}`;

  const inShape = (object: ApiObject, version: string): ApiObject => {
    atOnce(coerce(object, compiled(version)));
    atOnce(sortKeys(object));
    return object;
  };
  const renamed = (object: ApiObject, version: string): ApiObject =>
    inShape({ ...cloneJson(object), apiVersion: apiVersionOf(version) }, version);
  const becomes = (object: ApiObject, version: string): ApiObject =>
    object.apiVersion === apiVersionOf(version) ? object : renamed(object, version);

  function* read(object: ApiObject): Steps<ApiObject> {
    let version = versions.get(object.apiVersion ?? "");
    if (version === undefined) {
      // Kept in a version that is gone: a webhook may still know it, otherwise all versions are alike.
      if (ask !== undefined) return object;
      version = stored;
      object.apiVersion = apiVersionOf(stored);
    }
    const rules = compiled(version);
    yield* coerce(object, rules);
    yield;
    fillDefaults(object, rules);
    yield;
    yield* sortKeys(object);
    return object;
  }
  const shared = {
    read,
    addsOnRead: (object: ApiObject) => lacksDefaults(object, compiled(stored).root),
  };

  if (ask === undefined) {
    return {
      ...shared,
      toStored: (object) => becomes(object, stored),
      fromStored: (objects, version) => objects.map((object) => becomes(object, version)),
      convert: (object, version) => ({ ...object, apiVersion: apiVersionOf(version) }),
    };
  }

  const convert = async (
    objects: readonly ApiObject[],
    version: string,
    caller?: WaitingFor,
  ): Promise<readonly ApiObject[]> => {
    const wanted = apiVersionOf(version);
    const others = objects.filter((object) => object.apiVersion !== wanted);
    if (others.length === 0) return objects;
    const converted = await ask(others, wanted, caller);
    let next = 0;
    return objects.map((object) => (object.apiVersion === wanted ? object : inShape(converted[next++]!, version)));
  };
  return {
    ...shared,
    toStored: async (object, caller) => (await convert([object], stored, caller))[0]!,
    fromStored: convert,
    convert: async (object, version) => {
      const wanted = apiVersionOf(version);
      return object.apiVersion === wanted ? object : (await ask([cloneJson(object)], wanted, undefined))[0]!;
    },
  };
}
