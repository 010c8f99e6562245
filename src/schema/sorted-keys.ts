// The keys of an object in the order in which maps are written: by their bytes.

/** Whether texts stand in that order already. */
export function isSorted(texts: readonly string[]): boolean {
  for (let index = 1; index < texts.length; index++) {
    if (compareByBytes(texts[index - 1]!, texts[index]!) > 0) return false;
  }
  return true;
}

/** Own keys, ordered by code point, which is the order of their UTF-8 bytes. */
export function sortedKeys(source: object): string[] {
  const keys = Object.keys(source);
  return isSorted(keys) ? keys : keys.sort(compareByBytes);
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
