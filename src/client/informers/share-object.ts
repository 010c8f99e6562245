// Makes objects fit to be shared by everyone in a process: frozen all through, and what many of them have in common held
// once. Pods of one Deployment differ in a few names and times, versions of one object in even less: every part that is
// equal to that of a similar object becomes the very same part. With two pods after one another:
//
//   { metadata: { name: "a", labels: L }, spec: S }      { metadata: { name: "b", labels: L }, spec: S }
//                                                                                      L and S exist once

/** Strings of at most so many characters are worth looking up. */
const MAX_CHARACTERS = 48;
/** In each of the two generations of the table. */
const MAX_STRINGS = 8_192;

export class ObjectSharer {
  #young = new Map<string, string>();
  #old = new Map<string, string>();

  /**
   * The object frozen, parts of it replaced by equal ones of `like`; `like` itself when they are equal altogether. The
   * object must belong to nobody else yet, and `like` have come from here.
   */
  share<T>(object: T, like?: T): T {
    return this.#share(object, like) as T;
  }

  #share(value: unknown, like: unknown): unknown {
    if (typeof value === "string") return value === like ? like : this.#once(value);
    if (typeof value !== "object" || value === null) return value;
    return Array.isArray(value)
      ? this.#shareList(value, Array.isArray(like) ? like : undefined)
      : this.#shareMembers(value as Members, isMembers(like) ? like : undefined);
  }

  #shareList(list: unknown[], like: readonly unknown[] | undefined): readonly unknown[] {
    let same = like !== undefined && like.length === list.length;
    for (let at = 0; at < list.length; at += 1) {
      const shared = this.#share(list[at], like?.[at]);
      list[at] = shared;
      same &&= shared === like?.[at];
    }
    return same ? like! : Object.freeze(list);
  }

  #shareMembers(members: Members, like: Members | undefined): Members {
    const keys = Object.keys(members);
    const likeKeys = like === undefined ? NO_KEYS : Object.keys(like);
    let same = like !== undefined && likeKeys.length === keys.length;
    for (let at = 0; at < keys.length; at += 1) {
      const key = keys[at]!;
      // Of objects that are alike most members stand at the same place.
      const isKnown = likeKeys[at] === key || (like !== undefined && Object.hasOwn(like, key));
      const known = isKnown ? like![key] : undefined;
      const member = members[key];
      // Most members are neither lists nor objects, and have stayed as they were: without a call for each.
      let shared = member;
      if (typeof member === "string") shared = member === known ? known : this.#once(member);
      else if (typeof member === "object") shared = this.#share(member, known);
      // Strings that are equal need not be the same one. Assigning to __proto__ would do something else.
      if ((shared !== member || typeof member === "string") && key !== "__proto__") members[key] = shared;
      same &&= shared === known && shared !== undefined;
    }
    return same ? like! : Object.freeze(members);
  }

  /** Strings that come again stay; those that came once are forgotten with their generation. */
  #once(text: string): string {
    if (text.length > MAX_CHARACTERS) return text;
    const known = this.#young.get(text);
    if (known !== undefined) return known;
    const older = this.#old.get(text);
    if (this.#young.size >= MAX_STRINGS) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    const kept = older ?? text;
    this.#young.set(kept, kept);
    return kept;
  }
}

type Members = Record<string, unknown>;

const NO_KEYS: readonly string[] = [];

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
