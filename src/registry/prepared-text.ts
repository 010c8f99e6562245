// The text of an object that a build has prepared, for the stores that begin with it: the same object with a uid and a time of
// its own.

import { dayOf } from "../meta/legacy-token-days.ts";
import { timeOfMs } from "../meta/time.ts";

/** What the clock says while they are made. In a store, the time of its own first start takes its place. */
export const PREPARED_AT_MS = Date.parse("2000-01-01T00:00:00Z");

/** Many control planes of a process begin with the same texts: each is looked through once. */
export class PreparedText {
  /** Among whose objects it stands: `services` for `/registry/services/specs/default/api`. */
  readonly place: string;
  readonly #bytes: Buffer;
  #places: Places | undefined;

  constructor(key: string, text: string) {
    this.place = placeOf(key);
    this.#bytes = Buffer.from(text);
  }

  ownedBy(uid: string, at: OwnTime): Buffer {
    const own = this.at(at);
    const { uidAt } = this.#found();
    if (uidAt !== undefined) own.write(uid, uidAt, "latin1");
    return own;
  }

  at(time: OwnTime): Buffer {
    const own = Buffer.from(this.#bytes);
    for (const { at, form } of this.#found().times) own.set(time[form], at);
    return own;
  }

  #found(): Places {
    this.#places ??= placesIn(this.#bytes);
    return this.#places;
  }
}

export const placeOf = (key: string): string => key.split("/")[2] ?? "";

/** Where the words stand that every store has its own of, each as long as the one that was prepared. */
interface Places {
  readonly uidAt: number | undefined;
  readonly times: readonly { readonly at: number; readonly form: TimeForm }[];
}

function placesIn(bytes: Buffer): Places {
  // One character for every byte.
  const text = bytes.toString("latin1");
  const uid = UID.exec(text);
  const times: Places["times"][number][] = [];
  for (let at = text.indexOf(PREPARED_DAY); at >= 0; at = text.indexOf(PREPARED_DAY, at + PREPARED_DAY.length)) {
    const form = FORMS.find((one) => text.startsWith(PREPARED_AT[one], at))!;
    times.push({ at, form });
  }
  return { uidAt: uid === null ? undefined : uid.index + UID_MEMBER.length, times };
}

const UID_MEMBER = '"uid":"';
/** Of the object itself, the first that it names. */
export const UID = /"uid":"([0-9a-f-]{36})"/;
const PREPARED_DAY = dayOf(PREPARED_AT_MS);

type TimeForm = "micros" | "seconds" | "day";
/** The longest first: the others begin as it does. */
const FORMS: readonly TimeForm[] = ["micros", "seconds", "day"];
const PREPARED_AT = formsOf(timeOfMs(PREPARED_AT_MS));

/** The time of a store's own first start, in every form. */
type OwnTime = Readonly<Record<TimeForm, Uint8Array>>;

/** `seconds`: `2031-02-03T04:05:06Z`. */
export function ownTimeOf(seconds: string): OwnTime {
  const { micros, day } = formsOf(seconds);
  return { micros: Buffer.from(micros), seconds: Buffer.from(seconds), day: Buffer.from(day) };
}

function formsOf(seconds: string): Record<TimeForm, string> {
  return { micros: seconds.replace("Z", ".000000Z"), seconds, day: seconds.slice(0, PREPARED_DAY.length) };
}
