// Lists behind lists.

/**
 * Puts the items behind those of the list. `list.push(...items)` puts them all on the stack first, which overflows with
 * a hundred thousand of them, and most lists are as long as a client likes.
 */
export function append<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}
