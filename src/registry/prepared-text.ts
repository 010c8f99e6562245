// The text of an object that a build has prepared, for the stores that begin with it: the same object with a uid and a time of
// its own.

import { dayOf } from "../meta/legacy-token-days.ts";
import { timeOfMs } from "../meta/time.ts";

/** What the clock says while they are made. In a store, the time of its own first start takes its place. */
export const PREPARED_AT_MS = Date.parse("2000-01-01T00:00:00Z");

/** Many control planes of a process begin with the same texts: each is looked through once. */
export class PreparedText {
  readonly #bytes: Buffer;
  #places: Places | undefined;

  constructor(text: string) {
    this.#bytes = Buffer.from(text);
  }

  /** `time`: in whole seconds. */
  ownedBy(uid: string, time: string): Buffer {
    const own = this.at(time);
    const { uidAt } = this.#found();
    if (uidAt !== undefined) own.write(uid, uidAt, "latin1");
    return own;
  }

  at(time: string): Buffer {
    const own = Buffer.from(this.#bytes);
    for (const { at, form } of this.#found().times) own.write(form(time), at, "latin1");
    return own;
  }

  #found(): Places {
    this.#places ??= placesIn(this.#bytes);
    return this.#places;
  }
}

/** Where the words stand that every store has its own of, each as long as the one that was prepared. */
interface Places {
  readonly uidAt: number | undefined;
  readonly times: readonly { readonly at: number; readonly form: (time: string) => string }[];
}

function placesIn(bytes: Buffer): Places {
  // One character for every byte.
  const text = bytes.toString("latin1");
  const uid = UID.exec(text);
  const times: Places["times"][number][] = [];
  for (let at = text.indexOf(PREPARED_DAY); at >= 0; at = text.indexOf(PREPARED_DAY, at + PREPARED_DAY.length)) {
    const { form } = FORMS.find(({ word }) => text.startsWith(word, at))!;
    times.push({ at, form });
  }
  return { uidAt: uid === null ? undefined : uid.index + UID_MEMBER.length, times };
}

const UID_MEMBER = '"uid":"';
/** Of the object itself, the first that it names. */
export const UID = /"uid":"([0-9a-f-]{36})"/;
const PREPARED_DAY = dayOf(PREPARED_AT_MS);
/** The forms of a time, the longest first. */
const FORMS = [
  { word: timeOfMs(PREPARED_AT_MS, "micros"), form: (time: string) => time.replace("Z", ".000000Z") },
  { word: timeOfMs(PREPARED_AT_MS), form: (time: string) => time },
  { word: PREPARED_DAY, form: (time: string) => time.slice(0, PREPARED_DAY.length) },
];
