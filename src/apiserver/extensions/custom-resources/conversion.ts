// Between the versions of a custom resource. With strategy None only apiVersion changes; a webhook is asked otherwise.
// Every version has its own schema: what is read is pruned and defaulted by the schema of the version that it is kept in,
// what is converted is pruned by that of the version it becomes. Requirements: document 1, "Versioning".

import { cloneJsonInSteps } from "../../../base/json-in-steps.ts";
import { inTurns, Pace, type Steps } from "../../../base/steps.ts";
import type { ApiObject } from "../../../meta/object.ts";
import type { WaitingFor } from "../../../registry/admission.ts";
import { soon, turnOf } from "../../../registry/write.ts";
import { lacksDefaults } from "../../../schema/default.ts";
import { coerce, fillDefaults } from "./custom-rules.ts";
import { type DefinitionSummary, storageVersionOf } from "./definition.ts";
import type { VersionCompiler } from "./definition-reader.ts";
import { sortKeys } from "./key-order.ts";

export interface Conversion {
  toStored(object: ApiObject, caller?: WaitingFor): ApiObject | Promise<ApiObject>;
  fromStored(
    objects: readonly ApiObject[],
    version: string,
    caller?: WaitingFor,
  ): readonly ApiObject[] | Promise<readonly ApiObject[]>;
  /** A stored object in another version, for events; never where a webhook is asked. */
  renamedInSteps(object: ApiObject, version: string): Steps<ApiObject>;
  /** An object of any version in another one, as it is: neither pruned nor completed. A promise where a webhook is asked. */
  convert(object: ApiObject, version: string): ApiObject | Promise<ApiObject>;
  /** A stored object in its present shape, in the version that it is kept in. Changes it. */
  read(object: ApiObject): Steps<ApiObject>;
  /** Whether reading adds to what is about to be stored: defaults that the stored version has and the other lacks. */
  addsOnRead(stored: ApiObject): boolean;
}

interface ConversionParts {
  readonly definition: DefinitionSummary;
  readonly compiler: Pick<VersionCompiler, "compiled" | "compiledInSteps">;
  /** Asks the webhook; undefined with strategy None. */
  readonly ask?: (
    objects: readonly ApiObject[],
    apiVersion: string,
    caller: WaitingFor | undefined,
  ) => Promise<readonly ApiObject[]>;
}

const OBJECTS_PER_STEP = 6;

export function conversionOf({ definition, compiler, ask }: ConversionParts): Conversion {
  const { group } = definition;
  const stored = storageVersionOf(definition);
  const versions = new Map(definition.versions.map(({ name }) => [`${group}/${name}`, name]));
  const apiVersionOf = (version: string) => `${group}/${version}`;

  function* inShape(object: ApiObject, version: string): Steps<ApiObject> {
    yield* coerce(object, yield* compiler.compiledInSteps(version));
    yield* sortKeys(object);
    return object;
  }
  function* becomes(object: ApiObject, version: string): Steps<ApiObject> {
    if (object.apiVersion === apiVersionOf(version)) return object;
    const copy = yield* cloneJsonInSteps(object);
    copy.apiVersion = apiVersionOf(version);
    return yield* inShape(copy, version);
  }
  function* allBecome(objects: readonly ApiObject[], version: string): Steps<readonly ApiObject[]> {
    const converted: ApiObject[] = [];
    const pace = new Pace(OBJECTS_PER_STEP);
    for (const object of objects) {
      if (pace.due()) yield;
      converted.push(yield* becomes(object, version));
    }
    return converted;
  }

  function* read(object: ApiObject): Steps<ApiObject> {
    let version = versions.get(object.apiVersion ?? "");
    if (version === undefined) {
      // Kept in a version that is gone: a webhook may still know it, otherwise all versions are alike.
      if (ask !== undefined) return object;
      version = stored;
      object.apiVersion = apiVersionOf(stored);
    }
    const rules = yield* compiler.compiledInSteps(version);
    yield* coerce(object, rules);
    yield;
    yield* fillDefaults(object, rules);
    yield;
    yield* sortKeys(object);
    return object;
  }
  const shared = {
    read,
    renamedInSteps: becomes,
    addsOnRead: (object: ApiObject) => lacksDefaults(object, compiler.compiled(stored).root),
  };

  if (ask === undefined) {
    return {
      ...shared,
      toStored: (object, caller) => soon(becomes(object, stored), caller),
      fromStored: (objects, version, caller) => soon(allBecome(objects, version), caller),
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
    const shown: ApiObject[] = [];
    for (const object of objects) {
      if (object.apiVersion === wanted) shown.push(object);
      else shown.push(await inTurns(inShape(converted[next++]!, version), () => turnOf(caller)));
    }
    return shown;
  };
  return {
    ...shared,
    toStored: async (object, caller) => (await convert([object], stored, caller))[0]!,
    fromStored: convert,
    convert: async (object, version) => {
      const wanted = apiVersionOf(version);
      if (object.apiVersion === wanted) return object;
      return (await ask([await inTurns(cloneJsonInSteps(object))], wanted, undefined))[0]!;
    },
  };
}
