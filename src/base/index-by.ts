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

/** All items of each key, in their order. */
export function groupBy<T, K>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
