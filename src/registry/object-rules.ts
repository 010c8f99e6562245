// The rules of a built-in kind, derived from its declaration: shape and defaults from the schema, the rest from its hooks.

import type { JsonObject } from "../base/json.ts";
import { finish, type Steps, whole } from "../base/steps.ts";
import type { HookContext, Kind } from "../kinds/define-kind.ts";
import { type FieldError, untilEnough } from "../meta/field-error.ts";
import type { ApiObject } from "../meta/object.ts";
import { conform, conformInSteps } from "../schema/conform.ts";
import { applyDefaults, applyDefaultsInSteps } from "../schema/default.ts";
import { nullEmptyLists } from "../schema/empty-lists.ts";
import { GatedFields } from "../schema/gated-fields.ts";
import { orderMembers } from "../schema/member-order.ts";
import type { ObjectRules, ShapedObject } from "./served-resource.ts";

export function builtInRules(kind: Kind, gateEnabled: (gate: string) => boolean): ObjectRules {
  const hooks = kind.hooks ?? {};
  const gated = new GatedFields(kind.schema, gateEnabled);
  const partOf = (subresource: string) => {
    const part = kind.subresources?.[subresource];
    return part?.type === "object" ? part : undefined;
  };
  return {
    shape(value: JsonObject, { reuse = false } = {}): ShapedObject {
      const options = { unknownFields: "collect", gate: gateEnabled, reuse } as const;
      const { value: object, unknown, keys } = conform(value, kind.schema, options);
      return { object: object as unknown as ApiObject, unknown, keys };
    },
    *shapeInSteps(value: JsonObject, { reuse = false } = {}): Steps<ShapedObject> {
      const options = { unknownFields: "collect", gate: gateEnabled, reuse } as const;
      const { value: object, unknown, keys } = yield* conformInSteps(value, kind.schema, options);
      return { object: object as unknown as ApiObject, unknown, keys };
    },
    default(object, context) {
      applyDefaults(object, kind.schema);
      finish(hooks.default?.(object, context));
    },
    *defaultInSteps(object, context): Steps<number> {
      const added = yield* applyDefaultsInSteps(object, kind.schema);
      yield;
      const filling = hooks.default?.(object, context);
      if (typeof filling === "object") yield* filling;
      return added;
    },
    *prepareForCreate(object, context): Steps<void> {
      yield* gated.drop(object);
      const preparing = hooks.prepareForCreate?.(object, context);
      if (typeof preparing === "object") yield* preparing;
    },
    *prepareForUpdate(object, old, subresource, context): Steps<void> {
      // A sub-resource takes from the stored object what it does not write: only the rest has to be looked at.
      const restoring = subresource === "" ? undefined : partOf(subresource)?.prepareForUpdate(object, old, context);
      if (typeof restoring === "object") yield* restoring;
      yield* gated.drop(object, old);
      const preparing = subresource === "" ? hooks.prepareForUpdate?.(object, old, context) : undefined;
      if (typeof preparing === "object") yield* preparing;
    },
    // Metadata have been judged before it: in another turn, for a large object.
    *validate(object, context): Steps<FieldError[]> {
      yield;
      return yield* untilEnough(() => hooks.validate?.(object, context) ?? []);
    },
    *validateUpdate(object, old, subresource, context): Steps<FieldError[]> {
      yield;
      const part = subresource === "" ? hooks : partOf(subresource);
      return yield* untilEnough(() => part?.validateUpdate?.(object, old, context) ?? []);
    },
    *canonicalize(object: ApiObject, context: HookContext): Steps<void> {
      const shaping = hooks.canonicalize?.(object, context);
      if (typeof shaping === "object") yield* shaping;
      yield;
      yield* nullEmptyLists(object, kind.schema);
      yield;
      yield* orderMembers(object, kind.schema);
    },
    *warn(object, old, subresource, context): Steps<string[]> {
      if (subresource === "") return yield* whole(hooks.warn?.(object, old, context) ?? []);
      return old === undefined ? [] : yield* whole(partOf(subresource)?.warn?.(object, old, context) ?? []);
    },
  };
}
