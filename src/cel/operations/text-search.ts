// Finding a text in another in linear time. The engine's own search is quicker, but compares everything with everything
// where both are long and much alike, so those are searched here (Knuth, Morris and Pratt).

import { countWork } from "./work.ts";

/** For short parts and up to this product of both lengths the engine's worst is good enough. */
const SHORT_PART = 16;
const MAX_NAIVE = 1_000_000;
const SEARCHED_PER_WORK = 8;

export function includesText(text: string, part: string): boolean {
  return isQuick(text, part) ? text.includes(part) : new TextSearch(part).next(text, 0) >= 0;
}

/** The unit at which the part stands first, from a unit on; -1 when it does not. */
export function findText(text: string, part: string, from: number): number {
  return isQuick(text, part) ? text.indexOf(part, from) : new TextSearch(part).next(text, from);
}

/** The same from the end, for places up to a unit. */
export function findLastText(text: string, part: string, from: number): number {
  if (isQuick(text, part)) return text.lastIndexOf(part, from);
  const end = Math.min(from + part.length, text.length);
  const found = new TextSearch(part, "backwards").next(text, text.length - end);
  return found < 0 ? -1 : text.length - found - part.length;
}

/** All places, none of which overlap. */
export function* eachText(text: string, part: string): Generator<number> {
  const search = isQuick(text, part) ? undefined : new TextSearch(part);
  for (let at = 0; ; ) {
    const found = search === undefined ? text.indexOf(part, at) : search.next(text, at);
    if (found < 0) return;
    yield found;
    at = found + part.length;
  }
}

function isQuick(text: string, part: string): boolean {
  return part.length <= SHORT_PART || text.length * part.length <= MAX_NAIVE;
}

/** A part that is not empty, made ready for texts that are read in one direction. */
class TextSearch {
  readonly #part: Uint16Array;
  /** For so many units that agree: how many still agree when the next one does not. */
  readonly #fallback: Int32Array;
  readonly #backwards: boolean;

  constructor(part: string, direction?: "backwards") {
    countWork(part.length / SEARCHED_PER_WORK);
    this.#backwards = direction === "backwards";
    this.#part = unitsOf(part, this.#backwards);
    this.#fallback = fallbackOf(this.#part);
  }

  /** Units are counted from where the reading begins. */
  next(text: string, from: number): number {
    const part = this.#part;
    const fallback = this.#fallback;
    const { length } = part;
    const last = text.length - 1;
    let agreed = 0;
    for (let at = from; at <= last; at++) {
      const unit = text.charCodeAt(this.#backwards ? last - at : at);
      while (agreed > 0 && unit !== part[agreed]) agreed = fallback[agreed] as number;
      if (unit === part[agreed]) agreed++;
      if (agreed === length) {
        countWork((at - from) / SEARCHED_PER_WORK);
        return at - length + 1;
      }
    }
    countWork((text.length - from) / SEARCHED_PER_WORK);
    return -1;
  }
}

function unitsOf(text: string, backwards: boolean): Uint16Array {
  const units = new Uint16Array(text.length);
  const last = text.length - 1;
  for (let at = 0; at <= last; at++) units[at] = text.charCodeAt(backwards ? last - at : at);
  return units;
}

function fallbackOf(part: Uint16Array): Int32Array {
  const fallback = new Int32Array(part.length + 1);
  for (let at = 1, agreed = 0; at < part.length; at++) {
    while (agreed > 0 && part[at] !== part[agreed]) agreed = fallback[agreed] as number;
    if (part[at] === part[agreed]) agreed++;
    fallback[at + 1] = agreed;
  }
  return fallback;
}
