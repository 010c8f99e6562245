// The parts of a plan that can pause: loops that continue where they were, names of values and calls that took long, which
// are not worked out again. They cost what those of other plans cost.

import type { Steps } from "../../base/steps.ts";
import { CelError } from "../errors.ts";
import { JsonList } from "../json.ts";
import { workSoFar } from "../operations/work.ts";
import { CelMap, type CelValue, isList, listAt, listSize } from "../values.ts";
import { constantOf } from "./constants.ts";
import type { Frame, Step } from "./frame.ts";
import { Entry, type Journal, type Owner } from "./journal.ts";
import { type LoopParts, NO_RANGE, putItem, type Slots } from "./loop-parts.ts";

class LoopEntry extends Entry {
  /** Undefined until the range is known. */
  items: Items | undefined;
  /** The turn to be made next. */
  place = 0;
  isOver = false;
  accu: unknown;
  problem: CelError | undefined;
}

export function pausableLoop(parts: LoopParts): Step {
  const { slots, turn, result } = parts;
  const owner: Owner<LoopEntry> = { newEntry: () => new LoopEntry() };
  return (frame) => {
    const journal = journalOf(frame);
    const entry = journal.findOrAdd(owner);
    const position = journal.position;
    if (entry.items === undefined) {
      begin(frame, entry, parts);
      journal.note(entry, frame, position);
    } else entry.goOn(frame);
    frame.locals[slots.accu] = entry.accu;
    const { items } = entry;
    while (!entry.isOver && items !== undefined && entry.place < items.count) {
      journal.pauseWhenDue(frame);
      frame.turn();
      items.put(frame, entry.place);
      entry.isOver = !turn(frame);
      entry.place += 1;
      entry.accu = frame.locals[slots.accu];
      journal.note(entry, frame, position);
    }
    return entry.problem ?? result(frame);
  };
}

function begin(frame: Frame, entry: LoopEntry, { range, init, slots }: LoopParts): void {
  const items = range(frame);
  if (items instanceof CelError) entry.problem = items;
  else {
    entry.accu = init(frame);
    entry.items = itemsOf(items, slots);
    if (entry.items === undefined) entry.problem = NO_RANGE;
  }
  entry.items ??= NOTHING;
}

/** What a loop goes over, by place. */
interface Items {
  readonly count: number;
  put(frame: Frame, index: number): void;
}

const NOTHING: Items = { count: 0, put() {} };

function itemsOf(range: CelValue, slots: Slots): Items | undefined {
  const { first, second } = slots;
  if (second < 0 && range instanceof JsonList) {
    const { raw, adapt } = range;
    return { count: raw.length, put: (frame, index) => putItem(frame, slots, raw[index], adapt) };
  }
  const put = (frame: Frame, one: CelValue, other: CelValue): void => {
    frame.adapters[first] = undefined;
    frame.locals[first] = one;
    if (second >= 0) frame.locals[second] = other;
  };
  if (isList(range)) {
    return {
      count: listSize(range),
      put(frame, index) {
        const item = listAt(range, index);
        put(frame, second < 0 ? item : index, item);
      },
    };
  }
  if (!(range instanceof CelMap)) return undefined;
  const found = range.keys();
  const keys: readonly CelValue[] = Array.isArray(found) ? found : [...found];
  return {
    count: keys.length,
    put(frame, index) {
      const key = keys[index] as CelValue;
      put(frame, key, second < 0 ? null : (range.get(key) ?? null));
    },
  };
}

class ValueEntry extends Entry {
  value: CelValue | undefined;
}

const newValueOwner = (): Owner<ValueEntry> => ({ newEntry: () => new ValueEntry() });

/** `cel.bind`: the local holds the note, and that the value once it was read. */
export function pausableBinding(slot: number, result: Step): Step {
  const owner = newValueOwner();
  return (frame) => {
    frame.locals[slot] = journalOf(frame).findOrAdd(owner);
    return result(frame);
  };
}

export function pausableRead(slot: number, init: Step, unit: number): Step {
  return (frame) => {
    frame.cost += unit;
    const entry = frame.locals[slot] as ValueEntry;
    if (entry.value !== undefined) {
      entry.goOn(frame);
      return entry.value;
    }
    const journal = journalOf(frame);
    const { position } = journal;
    entry.value = init(frame);
    journal.note(entry, frame, position);
    return entry.value;
  };
}

/** Calls that are worth a note, in units of cost and work. */
const LONG_CALL = 500;

export function pausableCall(step: Step): Step {
  if (constantOf(step) !== undefined) return step;
  const owner = newValueOwner();
  return (frame) => {
    const journal = journalOf(frame);
    const known = journal.find(owner);
    if (known?.value !== undefined) {
      known.goOn(frame);
      return known.value;
    }
    const { position } = journal;
    const before = frame.cost + workSoFar();
    const value = step(frame);
    if (frame.cost + workSoFar() - before < LONG_CALL) return value;
    journal.forgetSince(position);
    const entry = journal.findOrAdd(owner);
    entry.value = value;
    journal.note(entry, frame, journal.position);
    journal.pauseWhenDue(frame);
    return value;
  };
}

/** What a call comes to, part by part. */
export class InParts {
  readonly steps: Steps<CelValue>;

  constructor(steps: Steps<CelValue>) {
    this.steps = steps;
  }
}

class PartsEntry extends Entry {
  steps: Steps<CelValue> | undefined;
  value: CelValue | undefined;
}

/** A call that may be made part by part, with pauses between them; its arguments are worked out and paid for once. */
export function pausableParts(begin: (frame: Frame) => CelValue | InParts): Step {
  const owner: Owner<PartsEntry> = { newEntry: () => new PartsEntry() };
  return (frame) => {
    const journal = journalOf(frame);
    const entry = journal.findOrAdd(owner);
    const { position } = journal;
    if (entry.steps === undefined) {
      const begun = begin(frame);
      if (!(begun instanceof InParts)) return begun;
      entry.steps = begun.steps;
    } else entry.goOn(frame);
    while (entry.value === undefined) {
      const step = entry.steps.next();
      if (step.done === true) entry.value = step.value;
      journal.note(entry, frame, position);
      if (step.done !== true) journal.pauseWhenDue(frame);
    }
    return entry.value;
  };
}

function journalOf(frame: Frame): Journal {
  if (frame.journal === undefined) throw new Error("this plan needs a journal");
  return frame.journal;
}
