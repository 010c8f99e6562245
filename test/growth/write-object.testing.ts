// The stages of a write of a built-in kind that depend on its content alone.

import { append } from "../../src/base/append.ts";
import { cloneJson, type JsonObject } from "../../src/base/json.ts";
import { atOnce } from "../../src/base/steps.ts";
import type { Kind } from "../../src/kinds/define-kind.ts";
import { namesFor } from "../../src/meta/names.ts";
import { invalidObject } from "../../src/meta/status-error.ts";
import { dedupOwnerReferences, validateMetadata, validateMetadataUpdate } from "../../src/registry/metadata.ts";
import { builtInRules } from "../../src/registry/object-rules.ts";
import { ShapeError } from "../../src/schema/conform.ts";
import { minimalObject } from "../conformance/minimal-objects.testing.ts";
import { type Filling, filledObject, type Place } from "./fill-schema.testing.ts";

const names = namesFor("kubernetes");
const context = { names, gateEnabled: () => true, nowMs: 0, userName: "alice", allowPrivileged: true };

/** Creates an object, then updates it; answers how long the answer about its mistakes is. */
export function writing(kind: Kind, places: readonly Place[], size: number, filling: Filling): () => number {
  const rules = builtInRules(kind, () => true);
  const base = minimalObject(kind, names);
  const bodyOf = (each: number) =>
    places.reduce<object>((body, place) => filledObject(body, kind.schema, place, each, filling), base) as JsonObject;
  const [body, before] = [bodyOf(size), bodyOf(size / 2)];
  return () => {
    try {
      const object = rules.shape(cloneJson(body), { reuse: true }).object;
      const old = rules.shape(cloneJson(before), { reuse: true }).object;
      rules.default(object, context);
      rules.default(old, context);
      atOnce(dedupOwnerReferences(cloneJson(object)));
      atOnce(rules.prepareForCreate(object, context));
      const errors = [
        ...atOnce(validateMetadata(object.metadata, { kind, names })),
        ...atOnce(rules.validate(object, context)),
      ];
      atOnce(rules.warn(object, undefined, "", context));
      old.metadata.deletionTimestamp = "2030-01-01T00:00:00Z";
      for (const subresource of ["", ...Object.keys(kind.subresources ?? {})]) {
        if (subresource !== "" && kind.subresources![subresource]!.type !== "object") continue;
        const updated = subresource === "" ? object : cloneJson(object);
        atOnce(rules.prepareForUpdate(updated, old, subresource, context));
        append(errors, atOnce(validateMetadataUpdate(updated.metadata, old.metadata, { kind, names })));
        append(errors, atOnce(rules.validateUpdate(updated, old, subresource, context)));
        atOnce(rules.warn(updated, old, subresource, context));
      }
      for (const column of kind.columns ?? []) if (typeof column.cell === "function") column.cell(object, context);
      atOnce(rules.canonicalize(object, context));
      return JSON.stringify(invalidObject("", kind.kind, "a", errors).toBody()).length;
    } catch (error) {
      if (error instanceof ShapeError) return error.message.length;
      throw error;
    }
  };
}
