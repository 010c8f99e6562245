// Control planes whose test is over. The next test that wants one of the same shape has it at once; to start one anew would
// take a hundred times as long. One with fewer nodes gets the others in a quarter of that.

import type { ControlPlane, Shape, Tenant } from "./control-plane.ts";

/** Each holds five megabytes. */
const MAX_SPARE = 8;
const MAX_KNOWN = 1_000;

const spare: ControlPlane[] = [];
/** Shapes that were wanted before. */
const known = new Set<string>();

/** One of this shape, which is no longer spare then. */
export async function takeSpare(shape: Shape, tenant: Tenant): Promise<ControlPlane | undefined> {
  const same = take((other) => idOf(other) === idOf(shape));
  same?.comeBack(tenant);
  return same ?? grown(shape, tenant);
}

/** One that had fewer nodes, for the first test that wants so many. */
async function grown(shape: Shape, tenant: Tenant): Promise<ControlPlane | undefined> {
  // Tests that want few nodes and many by turns would each time be short of one with few: so there will be both.
  if (isKnown(shape)) return undefined;
  const { nodes } = shape;
  const plane = take((other) => other.nodes < nodes && idOf({ ...other, nodes }) === idOf(shape));
  try {
    await plane?.comeBackWith(nodes, tenant);
    return plane;
  } catch {
    await plane?.stop();
    return undefined;
  }
}

function isKnown(shape: Shape): boolean {
  const id = idOf(shape);
  if (known.has(id)) return true;
  if (known.size < MAX_KNOWN) known.add(id);
  return false;
}

const idOf = (shape: Shape): string => JSON.stringify(shape);

function take(isWanted: (shape: Shape) => boolean): ControlPlane | undefined {
  const index = spare.findIndex(({ shape }) => isWanted(shape));
  return index < 0 ? undefined : spare.splice(index, 1)[0];
}

/** Keeps it where that is safe, and ends it otherwise, or the one that waits longest. */
export async function putAside(plane: ControlPlane): Promise<void> {
  const isGood = await plane.standAside().catch(() => false);
  if (isGood) spare.push(plane);
  const surplus = isGood ? spare.splice(0, spare.length - MAX_SPARE) : [plane];
  for (const each of surplus) await each.stop();
}
