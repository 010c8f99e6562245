// Which devices the selectors of classes and requests mean. Answers are kept as long as the device: they never change.

import { selectsDevice } from "../../schema/device-expressions.ts";
import type { DeviceSelector } from "./device-selector.ts";
import type { Device } from "./resource-slice-schema.ts";

type Answer = ReturnType<typeof selectsDevice>;

/** Devices of different slices may be the same object, so that the driver is part of the question. */
const ANSWERS = new WeakMap<Device, Map<string, Answer>>();
/** Users write selectors: so many answers are kept for a device. */
const MAX_ANSWERS = 64;

/** Whether all selectors mean the device. Throws with `where`, and which selector it is, when one cannot say. */
export function meansDevice(
  selectors: readonly DeviceSelector[] | undefined,
  driver: string,
  device: Device,
  dialect: string,
  where: () => string,
): boolean {
  for (const [index, { cel }] of (selectors ?? []).entries()) {
    const answer = cel === undefined ? NO_EXPRESSION : ask(cel.expression, driver, device, dialect);
    if (typeof answer !== "boolean") throw new Error(`${where()}: selector #${index}: ${answer.problem}`);
    if (!answer) return false;
  }
  return true;
}

const NO_EXPRESSION: Answer = { problem: "CEL expression empty (unsupported selector type?)" };

function ask(expression: string, driver: string, device: Device, dialect: string): Answer {
  const answers = ANSWERS.get(device) ?? new Map<string, Answer>();
  const key = `${dialect} ${driver} ${expression}`;
  const known = answers.get(key);
  if (known !== undefined) return known;
  const { attributes, capacity } = device;
  const answer = selectsDevice(expression, dialect, { driver, attributes, capacity });
  if (answers.size >= MAX_ANSWERS) answers.clear();
  ANSWERS.set(device, answers.set(key, answer));
  return answer;
}
