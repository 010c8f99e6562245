// About how many bytes a value holds in memory, for the limits of caches. Linear in its size.

/** What an object, array, map or entry of one costs beside its content. */
const OVERHEAD_BYTES = 48;
const BYTES_PER_CHARACTER = 2;
const SCALAR_BYTES = 8;

/**
 * Counts own properties of objects, elements of arrays and collections, and texts. Functions count as nothing, what is met again
 * too: values that lead back to themselves come to an end.
 */
export function roughBytes(value: unknown): number {
  let bytes = 0;
  // A list of our own instead of recursion: values from outside may be deep.
  const open: unknown[] = [value];
  const seen = new Set<object>();
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === "string") bytes += SCALAR_BYTES + next.length * BYTES_PER_CHARACTER;
    else if (typeof next !== "object" || next === null) bytes += SCALAR_BYTES;
    else if (ArrayBuffer.isView(next)) bytes += OVERHEAD_BYTES + next.byteLength;
    else if (!seen.has(next)) {
      seen.add(next);
      bytes += OVERHEAD_BYTES;
      if (next instanceof Map) for (const [key, inner] of next) open.push(key, inner);
      else if (Array.isArray(next) || next instanceof Set) for (const inner of next) open.push(inner);
      else for (const [key, inner] of Object.entries(next)) open.push(key, inner);
    }
  }
  return bytes;
}
