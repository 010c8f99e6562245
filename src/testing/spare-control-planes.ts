// Control planes whose test is over. The next test that wants one of the same shape has it at once; to start one anew would
// take two hundred times as long. One of another shape is changed in a third of that, where it can be.

import { equalJson } from "../base/json.ts";
import type { ControlPlane, Shape, Tenant } from "./control-plane.ts";
import { mayBecome } from "./may-become.ts";
import { readFlags } from "./read-flags.ts";

/** Each holds five megabytes. */
const MAX_SPARE = 8;
const MAX_KNOWN = 1_000;
const MAX_CHANGED = 4;

const spare: ControlPlane[] = [];
/** How often there was none of a shape when a test wanted one. */
const wanted = new Map<string, number>();

/** One of this shape, which is no longer spare then. */
export async function takeSpare(shape: Shape, tenant: Tenant): Promise<ControlPlane | undefined> {
  const same = take((other) => idOf(other.shape) === idOf(shape));
  same?.comeBack(tenant);
  return same ?? changed(shape, tenant);
}

/** One that had another shape. Fails with UsageError where flags are wrong. */
async function changed(shape: Shape, tenant: Tenant): Promise<ControlPlane | undefined> {
  // Tests that want two shapes by turns would each time have the one of the other: after a while there are both.
  if (timesWanted(shape) > MAX_CHANGED || spare.length === 0) return undefined;
  const wish = { shape, options: readFlags(shape).options };
  const hasItsFlags = (other: ControlPlane) => equalJson(other.shape.flags, shape.flags) && mayBecome(other, wish);
  const plane = take(hasItsFlags) ?? take((other) => mayBecome(other, wish));
  try {
    await plane?.comeBackAs(wish, tenant);
    return plane;
  } catch {
    await plane?.stop();
    return undefined;
  }
}

function timesWanted(shape: Shape): number {
  const id = idOf(shape);
  const times = (wanted.get(id) ?? 0) + 1;
  if (times > 1 || wanted.size < MAX_KNOWN) wanted.set(id, times);
  return times;
}

const idOf = (shape: Shape): string => JSON.stringify(shape);

function take(isWanted: (plane: ControlPlane) => boolean): ControlPlane | undefined {
  const index = spare.findIndex(isWanted);
  return index < 0 ? undefined : spare.splice(index, 1)[0];
}

/** Keeps it where that is safe, and ends it otherwise, or the one that waits longest. */
export async function putAside(plane: ControlPlane): Promise<void> {
  const isGood = await plane.standAside().catch(() => false);
  if (isGood) spare.push(plane);
  const surplus = isGood ? spare.splice(0, spare.length - MAX_SPARE) : [plane];
  for (const each of surplus) await each.stop();
}
