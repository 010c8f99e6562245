// Control planes of earlier tests, by their options: they are known by what a start makes up, the uid of a namespace.

import { expect, it } from "vitest";
import { startPlinth } from "./index.ts";

/** Starts one, looks at it, and ends the test that had it. */
async function uidWith(requestsInFlight: number): Promise<string> {
  await using plinth = await startPlinth({
    controllers: false,
    flags: [`--max-requests-inflight=${requestsInFlight}`],
  });
  return (await plinth.client.core.v1.namespaces().get("default")).metadata.uid;
}

async function uidsWith(options: readonly number[]): Promise<string[]> {
  const uids: string[] = [];
  for (const each of options) uids.push(await uidWith(each));
  return uids;
}

it("wait for tests with the options of one of the last eight, and no longer", async () => {
  const eight = [11, 12, 13, 14, 15, 16, 17, 18];
  const uids = await uidsWith(eight);
  expect(new Set(uids).size).toBe(8);
  expect(await uidsWith(eight)).toEqual(uids);
  await uidWith(19);
  expect(await uidWith(12)).toBe(uids[1]);
  expect(await uidWith(11)).not.toBe(uids[0]);
});
