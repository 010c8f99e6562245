// Control planes whose test is over. The next test that wants one of the same shape has it at once; to start one anew would
// take a hundred times as long.

import type { ControlPlane, Shape } from "./control-plane.ts";

/** Each holds five megabytes. */
const MAX_SPARE = 8;

const spare: ControlPlane[] = [];

/** One of this shape, which is no longer spare then. */
export function takeSpare(shape: Shape): ControlPlane | undefined {
  const wanted = JSON.stringify(shape);
  const index = spare.findIndex((plane) => JSON.stringify(plane.shape) === wanted);
  return index < 0 ? undefined : spare.splice(index, 1)[0];
}

/** Keeps it where that is safe, and ends it otherwise, or the one that waits longest. */
export async function putAside(plane: ControlPlane): Promise<void> {
  const isGood = await plane.standAside().catch(() => false);
  if (isGood) spare.push(plane);
  const surplus = isGood ? spare.splice(0, spare.length - MAX_SPARE) : [plane];
  for (const each of surplus) await each.stop();
}
