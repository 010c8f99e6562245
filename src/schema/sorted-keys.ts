// The keys of an object in the order in which maps are written: by their bytes.

/** Whether the keys stand in that order already. */
export function hasSortedKeys(source: object): boolean {
  let last = "";
  for (const key in source) {
    if (compareByBytes(last, key) > 0) return false;
    last = key;
  }
  return true;
}

/** Own keys, ordered by code point, which is the order of their UTF-8 bytes. */
export function sortedKeys(source: object): string[] {
  const keys = Object.keys(source);
  for (let i = 1; i < keys.length; i++) {
    if (compareByBytes(keys[i - 1]!, keys[i]!) > 0) return keys.sort(compareByBytes);
  }
  return keys;
}

/** Orders texts as their UTF-8 bytes are ordered; UTF-16 order differs beyond the basic plane. */
export function compareByBytes(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  let i = 0;
  while (i < length && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  if (i === length) return a.length - b.length;
  const x = a.charCodeAt(i);
  const y = b.charCodeAt(i);
  const surrogateX = (x & 0xf800) === 0xd800;
  const surrogateY = (y & 0xf800) === 0xd800;
  if (surrogateX !== surrogateY) return surrogateX ? 1 : -1;
  return x - y;
}
