// What an evaluation notes so that it can pause. To go on it is run again from the beginning: what is noted is not worked
// out again, and loops continue where they were. Expressions are pure, so a second run comes by the same places in the same
// order, and the notes are a list with a place in it:
//
//   [1, 2].map(x, f(x)).all(y, g.exists(z, h(y, z)))      paused at the third z of the second y
//   entries: loop `all` (range [f(1), f(2)], at its second turn), loop `exists` (range g, at its third turn)
//
// The loop `map` is noted while it runs, and forgotten when `all` knows its range. A turn that is over forgets what was noted
// during it. Costs and work are noted as sums, so nothing is counted twice.

import type { Slices } from "../../base/slices.ts";
import type { Steps } from "../../base/steps.ts";
import { goOnAtWork, workSoFar } from "../operations/work.ts";

/** Thrown through the steps: others are to have their turn; what comes first where more is needed. */
export class Pause {
  readonly first: (() => Steps<unknown>) | undefined;

  constructor(first?: () => Steps<unknown>) {
    this.first = first;
  }
}

const SLICE_IS_OVER = new Pause();

/** A part of a plan that notes something. */
export interface Owner<E extends Entry> {
  newEntry(): E;
}

/** What a frame counts. */
interface Costs {
  cost: number;
}

/** What one part of a plan has noted, and what everything up to there has cost. */
export class Entry {
  #cost = 0;
  #work = 0;

  setSums({ cost }: Costs): void {
    this.#cost = cost;
    this.#work = workSoFar();
  }

  /** Sums only grow: where they are larger, this place was left before. */
  goOn(frame: Costs): void {
    if (frame.cost < this.#cost) frame.cost = this.#cost;
    if (workSoFar() < this.#work) goOnAtWork(this.#work);
  }
}

interface Place {
  readonly owner: object;
  readonly entry: Entry;
}

export class Journal {
  readonly #slices: Slices;
  readonly #places: Place[] = [];
  #next = 0;
  #hasNoted = false;

  constructor(slices: Slices) {
    this.#slices = slices;
  }

  /** The evaluation begins, or begins again. */
  begin(): void {
    this.#next = 0;
    this.#hasNoted = false;
  }

  /** What the owner has noted here before. */
  find<E extends Entry>(owner: Owner<E>): E | undefined {
    const place = this.#places[this.#next];
    if (place?.owner !== owner) return undefined;
    this.#next++;
    if (this.#next === this.#places.length) this.#slices.reached();
    return place.entry as E;
  }

  findOrAdd<E extends Entry>(owner: Owner<E>): E {
    const known = this.find(owner);
    if (known !== undefined) return known;
    const entry = owner.newEntry();
    this.forgetSince(this.#next);
    this.#next = this.#places.push({ owner, entry });
    return entry;
  }

  /** Where the next note will be. */
  get position(): number {
    return this.#next;
  }

  forgetSince(position: number): void {
    this.#places.length = position;
    this.#next = position;
  }

  /** The evaluation has come to where the entry says; what was noted on the way there is forgotten. */
  note(entry: Entry, frame: Costs, position: number): void {
    entry.setSums(frame);
    this.forgetSince(position);
    this.#hasNoted = true;
  }

  /** To be called after what is noted. It goes on at least to the next note at a time. */
  pauseWhenDue(frame: Costs): void {
    if (this.#hasNoted && this.#slices.over(frame.cost + workSoFar())) throw SLICE_IS_OVER;
  }
}
