// Makes an object fit to be shared by everyone in a process: frozen all through, and short strings that many objects have
// (namespaces, labels, field names of managers) held once.

/** Strings of at most so many characters are worth looking up. */
const MAX_CHARACTERS = 48;
/** In each of the two generations of the table. */
const MAX_STRINGS = 8_192;

export class ObjectSharer {
  #young = new Map<string, string>();
  #old = new Map<string, string>();

  /** The same object, changed in place and frozen. It must belong to nobody else yet. */
  share<T>(object: T): T {
    this.#freeze(object as object);
    return object;
  }

  #freeze(value: object): void {
    if (Array.isArray(value)) {
      for (let at = 0; at < value.length; at += 1) {
        const item = value[at];
        if (typeof item === "object" && item !== null) this.#freeze(item);
        else if (typeof item === "string" && item.length <= MAX_CHARACTERS) value[at] = this.#once(item);
      }
    } else {
      const members = value as Record<string, unknown>;
      for (const key of Object.keys(members)) {
        const member = members[key];
        if (typeof member === "object" && member !== null) this.#freeze(member);
        // Assigning to __proto__ would do something else.
        else if (typeof member === "string" && member.length <= MAX_CHARACTERS && key !== "__proto__")
          members[key] = this.#once(member);
      }
    }
    Object.freeze(value);
  }

  /** Strings that come again stay; those that came once are forgotten with their generation. */
  #once(text: string): string {
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
