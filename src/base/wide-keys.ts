// The keys of wide objects, which the engine takes long to find: some 15 ms for 65,536, each time that somebody asks. Who has
// made such an object knows them, and hands them on to all who walk over it.

/** Of no more keys it takes half a millisecond to find them. */
export const FEW_KEYS = 4 * 1024;

const KEYS = new WeakMap<object, readonly string[]>();
/** Most servers never see a wide object, and need not look for each that they see. */
let seen = false;

/** Its own keys, in their order. */
export function keysOf(object: object): readonly string[] {
  return (seen ? KEYS.get(object) : undefined) ?? Object.keys(object);
}

/**
 * Says which keys an object has that its maker is done with. From here on a wide one takes no further key, so that none is
 * ever missed; who wants to add one makes a copy (`withMembers`). Who deletes one forgets the keys.
 */
export function settleKeys(object: object, keys: readonly string[]): void {
  if (keys.length <= FEW_KEYS || keys.some(isIndex)) return;
  Object.preventExtensions(object);
  KEYS.set(object, keys);
  seen = true;
}

/** Those stand before all others, whenever they came. */
function isIndex(key: string): boolean {
  const first = key.charCodeAt(0);
  return first >= 0x30 && first <= 0x39 && String(Number(key) >>> 0) === key;
}

export function isSettled(object: object): boolean {
  return seen && KEYS.has(object);
}

/** To be called with a key taken out of an object that may be wide. */
export function forgetKeys(object: object): void {
  KEYS.delete(object);
}
