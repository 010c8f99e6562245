// Objects that a build has prepared, for the stores that begin with them: in each they have uids and times of their own. The
// file says in its first line what stands where, so that a start reads that line and copies the rest:
//
//   [["/registry/namespaces/default",187,52,[96,1,143,1]], …]        key, length, where its uid stands, where times do
//   {"kind":"Namespace","metadata":{"name":"default","uid":"…", …}}{"kind":"Namespace", …

import { dayOf } from "../meta/legacy-token-days.ts";
import { timeOfMs } from "../meta/time.ts";

/** What the clock says while they are made. In a store, the time of its own first start takes its place. */
export const PREPARED_AT_MS = Date.parse("2000-01-01T00:00:00Z");

/** Made once, of a store that is to be told of. In the order of the keys given. */
export function writePrepared(objects: readonly (readonly [key: string, value: Uint8Array])[]): Buffer {
  const places = objects.map(([key, value]): Place => [key, value.length, ...placesIn(Buffer.from(value))]);
  return Buffer.concat([Buffer.from(`${JSON.stringify(places)}\n`), ...objects.map(([, value]) => value)]);
}

/** By key, in the order in which they were written. */
export type PreparedObjects = ReadonlyMap<string, PreparedObject>;

/** What writePrepared has made. It may be shared by all starts of a process. */
export function readPrepared(file: Buffer): PreparedObjects {
  const lineEnd = file.indexOf("\n");
  let end = lineEnd + 1;
  const read = ([key, length, uidAt, times]: Place): [string, PreparedObject] => {
    const start = end;
    end += length;
    return [key, new PreparedObject(key, file.subarray(start, end), uidAt, times)];
  };
  return new Map((JSON.parse(file.toString("utf8", 0, lineEnd)) as Place[]).map(read));
}

/** Each number of `times` that tells where one stands is followed by that of its form. No uid: -1. */
type Place = readonly [key: string, length: number, uidAt: number, times: readonly number[]];

export class PreparedObject {
  readonly key: string;
  /** Among whose objects it stands: `services` for `/registry/services/specs/default/api`. */
  readonly place: string;
  readonly #bytes: Buffer;
  readonly #uidAt: number;
  readonly #times: readonly number[];

  constructor(key: string, bytes: Buffer, uidAt: number, times: readonly number[]) {
    this.key = key;
    this.place = placeOf(key);
    this.#bytes = bytes;
    this.#uidAt = uidAt;
    this.#times = times;
  }

  ownedBy(uid: string, at: OwnTime): Buffer {
    const own = this.at(at);
    if (this.#uidAt >= 0) own.write(uid, this.#uidAt, "latin1");
    return own;
  }

  at(time: OwnTime): Buffer {
    const own = Buffer.from(this.#bytes);
    const times = this.#times;
    for (let index = 0; index < times.length; index += 2) own.set(time[times[index + 1]!]!, times[index]!);
    return own;
  }
}

/** The word behind `/registry/`. */
export function placeOf(key: string): string {
  const start = key.indexOf("/", 1) + 1;
  const end = key.indexOf("/", start);
  return key.slice(start, end < 0 ? undefined : end);
}

/** Where the words stand that every store has its own of, each as long as the one that was prepared. */
function placesIn(bytes: Buffer): [uidAt: number, times: number[]] {
  // One character for every byte.
  const text = bytes.toString("latin1");
  const uid = UID.exec(text);
  const times: number[] = [];
  for (let at = text.indexOf(PREPARED_DAY); at >= 0; at = text.indexOf(PREPARED_DAY, at + PREPARED_DAY.length)) {
    const form = PREPARED_FORMS.findIndex((one) => text.startsWith(one, at));
    times.push(at, form);
  }
  return [uid === null ? -1 : uid.index + UID_MEMBER.length, times];
}

const UID_MEMBER = '"uid":"';
/** Of the object itself, the first that it names. */
export const UID = /"uid":"([0-9a-f-]{36})"/;
const PREPARED_DAY = dayOf(PREPARED_AT_MS);
const PREPARED_FORMS = formsOf(timeOfMs(PREPARED_AT_MS));

/** The time of a store's own first start, in every form. */
type OwnTime = readonly Uint8Array[];

/** `seconds`: `2031-02-03T04:05:06Z`. */
export const ownTimeOf = (seconds: string): OwnTime => formsOf(seconds).map((form) => Buffer.from(form));

/** With microseconds, with seconds, the day alone. The longest first: the others begin as it does. */
function formsOf(seconds: string): readonly string[] {
  return [seconds.replace("Z", ".000000Z"), seconds, seconds.slice(0, PREPARED_DAY.length)];
}
