// Looking things up in a list that may be long: once through the list, not once for every question.

/** The first item of each key. */
export function indexBy<T, K>(items: Iterable<T> | null | undefined, keyOf: (item: T) => K): Map<K, T> {
  const index = new Map<K, T>();
  for (const item of items ?? []) {
    const key = keyOf(item);
    if (!index.has(key)) index.set(key, item);
  }
  return index;
}
