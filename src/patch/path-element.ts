// One step of a path into an object, as text. The text is its identity: equal steps have equal texts, so that sets of
// paths are maps keyed by it, and it is also what the wire carries.
//
//   f:replicas                        a field of a struct or a key of a map
//   k:{"port":80,"protocol":"TCP"}    the element of a list with these key fields, keys sorted
//   v:"example.com/a"                 the element of a set with this value
//   i:0                               the element at this index

import { BoundedCache } from "../base/bounded-cache.ts";
import { goQuote } from "../base/go-quote.ts";
import { isObject, type Json, type JsonObject } from "../base/json.ts";
import { everyInSteps, mapInSteps, Pace, type Steps } from "../base/steps.ts";
import { cutJoined } from "../meta/quoted.ts";
import { areSorted, compareByBytes, isSorted, sortedByInSteps, sortedInSteps } from "../schema/sorted-keys.ts";
import { goJsonString } from "./go-text.ts";

export type PathElement = string;
export type FieldPath = readonly PathElement[];

export const fieldElement = (name: string): PathElement => `f:${name}`;
export const valueElement = (value: Json): PathElement => `v:${scalarJson(value)}`;

/** Names must be sorted; values are scalars. */
export function keyElement(names: readonly string[], values: readonly Json[]): PathElement {
  let text = "k:{";
  for (let index = 0; index < names.length; index++) {
    text += `${index === 0 ? "" : ","}${goJsonString(names[index]!)}:${scalarJson(values[index]!)}`;
  }
  return `${text}}`;
}

/** A field path from names. */
export const fieldPath = (...names: string[]): FieldPath => names.map(fieldElement);

/**
 * The element in its one spelling, whatever spelling it arrived in. Undefined when it is of a kind that this version
 * does not know (upstream skips those); throws when it is broken.
 */
export function canonicalElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new Error("key must be 2 characters long:");
  if (text[1] !== ":") throw new Error(`missing colon: ${text}`);
  switch (text[0]) {
    case "f":
      return text;
    case "v":
    case "k":
      return respelled(text);
    case "i": {
      if (!/^i:[+-]?\d{1,15}$/.test(text)) throw new Error(`invalid index: ${text}`);
      return `i:${Number(text.slice(2))}`;
    }
    default:
      return undefined;
  }
}

/** As messages write a path, cut: .spec.ports[port=80,protocol="TCP"].name */
export function pathText(path: FieldPath): string {
  return cutJoined(elementTexts(path));
}

function* elementTexts(path: FieldPath): Generator<string> {
  for (const element of path) {
    if (element.startsWith("f:")) {
      // Joined, a long name would be copied as a whole.
      yield ".";
      yield element.slice(2);
    } else yield elementText(element);
  }
}

export function elementText(element: PathElement): string {
  const rest = element.slice(2);
  switch (element[0]) {
    case "f":
      return `.${rest}`;
    case "k": {
      const keys = JSON.parse(rest) as JsonObject;
      return `[${Object.keys(keys)
        .sort(compareByBytes)
        .map((name) => `${name}=${valueText(keys[name] ?? null)}`)
        .join(",")}]`;
    }
    case "v":
      return `[=${valueText(JSON.parse(rest) as Json)}]`;
    default:
      return `[${rest}]`;
  }
}

/** In the order of the wire: fields, keys, values, indexes; each by content. */
export function sortElements(elements: Iterable<PathElement>): PathElement[] {
  const texts = [...elements];
  if (texts.length < 2) return texts;
  if (texts.every((text) => text[0] === "f")) return isSorted(texts) ? texts : texts.sort(compareByBytes);
  const around = aroundValue(texts[0]!);
  if (around !== undefined && texts.every((text) => isPlain(text, around))) {
    const values = texts.map((text) => valueIn(text, around));
    return isSorted(values) ? texts : values.sort(compareByBytes).map((value) => elementAround(value, around));
  }
  return texts
    .map(readElement)
    .sort(compareElements)
    .map(({ text }) => text);
}

/** The same for very many, in steps. */
export function* sortElementsInSteps(elements: Iterable<PathElement>): Steps<readonly PathElement[]> {
  const texts = [...elements];
  if (texts.length <= ELEMENTS_PER_STEP) return sortElements(texts);
  yield;
  const pace = new Pace(ELEMENTS_PER_STEP);
  if (yield* everyInSteps(texts, pace, (text) => text[0] === "f"))
    return (yield* areSorted(texts)) ? texts : yield* sortedInSteps(texts);
  const around = aroundValue(texts[0]!);
  if (around !== undefined && (yield* everyInSteps(texts, pace, (text) => isPlain(text, around)))) {
    const values = yield* mapInSteps(texts, pace, (text) => valueIn(text, around));
    if (yield* areSorted(values)) return texts;
    return yield* mapInSteps(yield* sortedInSteps(values), pace, (value) => elementAround(value, around));
  }
  const read = yield* sortedByInSteps(yield* mapInSteps(texts, pace, readElement), compareElements);
  return yield* mapInSteps(read, pace, ({ text }) => text);
}

const ELEMENTS_PER_STEP = 500;

/** What stands before and behind a value that says itself. */
type Around = readonly [head: string, tail: string];

function aroundValue(text: PathElement): Around | undefined {
  const [, key, value] = PLAIN.exec(text) ?? [];
  const head = key ?? value;
  return head === undefined ? undefined : [head, key === undefined ? '"' : '"}'];
}

/** Whether its value says itself, and the same stands around it: lists by name or uid, sets of names. */
const isPlain = (text: PathElement, [head]: Around): boolean => text.startsWith(head) && PLAIN.test(text);

const valueIn = (text: PathElement, [head, tail]: Around): string => text.slice(head.length, -tail.length);

const elementAround = (value: string, [head, tail]: Around): PathElement => head + value + tail;

/** One key, or a value, with a text in which nothing is escaped, nor would be: its only spelling. */
const PLAIN = /^(?:(k:\{"[A-Za-z]+":")[\w./:-]*"\}|(v:")[\w./:-]*")$/;

/** Content is read once for a sort, not once for every comparison. */
interface ReadElement {
  readonly text: PathElement;
  readonly content: readonly Json[] | undefined;
}

const readElement = (text: PathElement): ReadElement => ({
  text,
  content: text[0] === "f" ? undefined : contentOf(text),
});

function compareElements(a: ReadElement, b: ReadElement): number {
  if (a.content === undefined && b.content === undefined) return compareByBytes(a.text, b.text);
  if (a.text[0] !== b.text[0]) return RANK.indexOf(a.text[0]!) - RANK.indexOf(b.text[0]!);
  return compareContents(a.content!, b.content!);
}

const RANK = "fkvi";

// The same few elements come with every object of a kind. Long ones are a client's own.
const MAX_REMEMBERED = 10_000;
const MAX_REMEMBERED_LENGTH = 200;
const CONTENTS = new BoundedCache<PathElement, readonly Json[]>({
  maxEntries: MAX_REMEMBERED,
  eviction: "segmented",
});
const RESPELLED = new BoundedCache<string, PathElement>({ maxEntries: MAX_REMEMBERED, eviction: "segmented" });

function respelled(text: string): string {
  if (PLAIN.test(text)) return text;
  const known = RESPELLED.get(text);
  if (known !== undefined) return known;
  const value = JSON.parse(text.slice(2)) as Json;
  let spelled: string;
  if (text[0] === "v") {
    spelled = valueElement(value);
  } else {
    if (!isObject(value)) throw new Error(`expected an object: ${text}`);
    const names = Object.keys(value).sort(compareByBytes);
    spelled = keyElement(
      names,
      names.map((name) => value[name] ?? null),
    );
  }
  // Numbers that JavaScript cannot hold stay as they were written.
  if (/:\s*-?\d{16}/.test(text)) spelled = text;
  if (text.length <= MAX_REMEMBERED_LENGTH) RESPELLED.set(text, spelled);
  return spelled;
}

function scalarJson(value: Json): string {
  if (typeof value === "string") return goJsonString(value);
  if (typeof value === "object" && value !== null) return JSON.stringify(value);
  return String(value);
}

function valueText(value: Json): string {
  if (typeof value === "string") return goQuote(value);
  if (typeof value === "object" && value !== null) return JSON.stringify(value);
  return String(value);
}

/** The value of an element or its index; the names and values of its keys, by turns. */
function contentOf(element: PathElement): readonly Json[] {
  const known = CONTENTS.get(element);
  if (known !== undefined) return known;
  const value = JSON.parse(element.slice(2)) as Json;
  const content = isObject(value) ? Object.entries(value).flatMap(([name, inner]) => [name, inner ?? null]) : [value];
  if (element.length <= MAX_REMEMBERED_LENGTH) CONTENTS.set(element, content);
  return content;
}

function compareContents(a: readonly Json[], b: readonly Json[]): number {
  for (let index = 0; index < a.length && index < b.length; index++) {
    const order = compareValues(a[index]!, b[index]!);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

const TYPE_RANK = ["number", "string", "boolean", "object"];

function compareValues(a: Json, b: Json): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") return compareByBytes(a, b);
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  return TYPE_RANK.indexOf(typeof a) - TYPE_RANK.indexOf(typeof b);
}
