// A partial object merged into a whole one by the merge rules of its schema, without anybody owning anything.
// Serves mutating admission policies.

import type { Json } from "../base/json.ts";
import type { Steps } from "../base/steps.ts";
import type { Schema } from "../schema/schema.ts";
import { atomOf } from "./typed/atom.ts";
import { mergeTypedInSteps } from "./typed/merge.ts";
import { TypedError } from "./typed/typed-error.ts";
import { validateTypedInSteps } from "./typed/validate.ts";

type Merged = { readonly object: Json } | { readonly problem: string };

/** Lists with keys merge by their elements, other lists are replaced. The inputs stay as they are. */
export function* mergeConfiguration(object: Json, configuration: Json, schema: Schema): Steps<Merged> {
  const atom = atomOf(schema);
  try {
    yield* validateTypedInSteps(configuration, atom);
    return { object: yield* mergeTypedInSteps(object, configuration, atom) };
  } catch (error) {
    if (error instanceof TypedError) return { problem: error.message };
    throw error;
  }
}
