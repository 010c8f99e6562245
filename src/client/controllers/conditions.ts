// The conditions of a status. Requirements: document 1, "Conditions".

import { timeOfMs } from "../../meta/time.ts";
import type { FromSchema } from "../resources/schema-type.ts";

/** The schema of a list of conditions, for the status of custom kinds. */
export const conditionsSchema = {
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["type"],
  items: {
    type: "object",
    required: ["type", "status", "reason", "message", "lastTransitionTime"],
    properties: {
      type: { type: "string", maxLength: 316 },
      status: { type: "string", enum: ["True", "False", "Unknown"] },
      reason: { type: "string", minLength: 1, maxLength: 1024 },
      message: { type: "string", maxLength: 32768 },
      lastTransitionTime: { type: "string", format: "date-time" },
      observedGeneration: { type: "integer", format: "int64", minimum: 0 },
    },
  },
} as const;

export type Condition = FromSchema<(typeof conditionsSchema)["items"]>;

/** What is said of an object; since when is known from what was said before. */
interface WantedCondition extends Pick<Condition, "type" | "status" | "reason"> {
  readonly message?: string | undefined;
  readonly observedGeneration?: number | undefined;
}

type Held = Omit<Condition, "status"> & { status: string };

/** The list with this condition in it; the time of its last transition stays while its status does. */
export function setCondition<H extends Partial<Held>>(
  conditions: readonly H[] | null | undefined,
  { message = "", observedGeneration, ...wanted }: WantedCondition,
  nowMs: number,
): (H | Condition)[] {
  const list = conditions ?? [];
  const known = list.find(({ type }) => type === wanted.type);
  const lastTransitionTime =
    known?.status === wanted.status && known.lastTransitionTime !== undefined
      ? known.lastTransitionTime
      : timeOfMs(nowMs);
  const seen = observedGeneration === undefined ? {} : { observedGeneration };
  const condition: Condition = { ...wanted, ...seen, message, lastTransitionTime };
  return known === undefined ? [...list, condition] : list.map((held) => (held === known ? condition : held));
}

export function conditionOf<H extends Partial<Held>>(
  conditions: readonly H[] | null | undefined,
  type: string,
): H | undefined {
  return conditions?.find((condition) => condition.type === type);
}
