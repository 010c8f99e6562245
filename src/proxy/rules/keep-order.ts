// Backends stand in numbered slots, from which one is drawn. One that comes or goes moves as few others as possible.

/**
 * The wanted ones, in the order of before as far as that goes: who takes the slot of one that left is one that is new, or
 * else the last. Both lists are without repetitions.
 */
export function keepOrder(before: readonly string[], wanted: readonly string[]): string[] {
  const isWanted = new Set(wanted);
  const wasThere = new Set(before);
  const added = wanted.filter((each) => !wasThere.has(each));
  const slots: (string | undefined)[] = before.map((each) => (isWanted.has(each) ? each : undefined));
  let nextAdded = 0;
  for (let index = 0; index < slots.length; index += 1) {
    if (slots[index] !== undefined) continue;
    if (nextAdded < added.length) {
      slots[index] = added[nextAdded];
      nextAdded += 1;
      continue;
    }
    while (slots.length > index && slots.at(-1) === undefined) slots.pop();
    if (slots.length > index) slots[index] = slots.pop();
  }
  const kept = slots.filter((each) => each !== undefined);
  return [...kept, ...added.slice(nextAdded)];
}
