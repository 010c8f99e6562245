// Work on many things side by side, but not on all at once.

/** Calls `work` for each, at most `limit` at a time; rejects with the first failure, once what runs has ended. */
export async function inParallel<T>(
  limit: number,
  items: Iterable<T>,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const run = async (): Promise<void> => {
    for (let next = iterator.next(); next.done !== true; next = iterator.next()) await work(next.value);
  };
  const results = await Promise.allSettled(Array.from({ length: limit }, run));
  for (const result of results) if (result.status === "rejected") throw result.reason;
}
