// From the parser's events of the first document to a JSON value: keys become text, aliases copies within a budget, merge
// keys are followed, repeated keys reported by their line.

import { goQuote } from "../../base/go-quote.ts";
import { cloneJson, isObject, type Json, type JsonObject, setKey } from "../../base/json.ts";
import { limitText } from "../../meta/quoted.ts";
import { CrowdedMap, DecodeError, MAX_DUPLICATES } from "../decode-error.ts";
import { EVENT_ID, type Event, lineOf, SCALAR_STYLE, type ScalarEvent, scalarText } from "./parser.ts";
import { type Resolved, resolvePlain, resolveTagged } from "./resolve.ts";

/** Values that aliases may add to a document: ordinary ones add a few, bombs exponentially many. */
const MAX_ALIASED_VALUES = 100_000;
/** A text of more characters counts as several values: long ones that are repeated fill memory as well. */
const CHARS_PER_VALUE = 32;

interface Composed {
  readonly value: Json;
  /** `line 5: key "name" already set in map`. */
  readonly repeatedKeys: readonly string[];
}

export function composeDocument(source: string, events: readonly Event[], maxKeys: number): Composed {
  const composer = new Composer(source, events, maxKeys);
  const value = composer.document();
  return { value, repeatedKeys: composer.repeatedKeys };
}

interface Anchor {
  value: Json;
  /** How many values it holds. Undefined while it is being composed. */
  size: number | undefined;
}

class Composer {
  readonly repeatedKeys: string[] = [];
  readonly #source: string;
  readonly #events: readonly Event[];
  readonly #maxKeys: number;
  readonly #anchors = new Map<string, Anchor>();
  #at = 0;
  /** Values composed so far; keys count as far as they are long. */
  #values = 0;
  #aliased = 0;

  constructor(source: string, events: readonly Event[], maxKeys: number) {
    this.#source = source;
    this.#events = events;
    this.#maxKeys = maxKeys;
  }

  document(): Json {
    const first = this.#take();
    if (first === undefined) return null;
    if (this.#peek()?.type === EVENT_ID.POP) return null;
    return this.#node();
  }

  #node(): Json {
    const event = this.#take();
    if (event === undefined) throw new DecodeError("yaml: unexpected end of document");
    if (event.type === EVENT_ID.ALIAS) return this.#alias(this.#text(event.anchorStart, event.anchorEnd));
    if (event.type === EVENT_ID.POP || event.type === EVENT_ID.DOCUMENT) {
      throw new DecodeError("yaml: unexpected end of document");
    }
    const before = this.#values++;
    const anchor = this.#startAnchor(event.anchorStart, event.anchorEnd);
    const value = this.#content(event);
    if (anchor !== undefined) {
      anchor.value = value;
      anchor.size = this.#values - before;
    }
    return value;
  }

  #content(
    event: Exclude<Event, { type: typeof EVENT_ID.POP | typeof EVENT_ID.DOCUMENT | typeof EVENT_ID.ALIAS }>,
  ): Json {
    if (event.type === EVENT_ID.SEQUENCE) return this.#sequence();
    if (event.type === EVENT_ID.MAPPING) return this.#mapping();
    return this.#finite(this.#scalar(event));
  }

  #sequence(): Json[] {
    const items: Json[] = [];
    while (!this.#atEnd()) {
      items.push(this.#node());
    }
    this.#at++;
    return items;
  }

  #mapping(): JsonObject {
    const object: JsonObject = {};
    for (let keys = 0; !this.#atEnd(); keys++) {
      if (keys === this.#maxKeys) throw new CrowdedMap();
      const keyEvent = this.#peek()!;
      if (keyEvent.type === EVENT_ID.SCALAR && this.#isMerge(keyEvent)) {
        this.#at++;
        this.#merge(object, this.#node());
        continue;
      }
      const { key, shown } = this.#key();
      if (Object.hasOwn(object, key)) this.#repeated(keyEvent, shown);
      setKey(object, key, this.#node());
    }
    this.#at++;
    return object;
  }

  /** The key as text, and as messages show it. */
  #key(): { key: string; shown: string } {
    const event = this.#peek()!;
    const value = event.type === EVENT_ID.SCALAR ? this.#keyScalar(event) : this.#node();
    if (typeof value === "string") return { key: value, shown: goQuote(value) };
    if (typeof value === "boolean" || typeof value === "bigint") return { key: String(value), shown: String(value) };
    if (typeof value === "number") return { key: numberKey(value), shown: String(value) };
    throw new DecodeError(`yaml: invalid map key: ${limitText(goSyntax(value), MAX_SHOWN_KEY)}`);
  }

  #keyScalar(event: ScalarEvent): Resolved {
    this.#at++;
    const before = this.#values;
    const anchor = this.#startAnchor(event.anchorStart, event.anchorEnd);
    const value = this.#scalar(event);
    if (anchor !== undefined) Object.assign(anchor, { value, size: 1 + this.#values - before });
    return value;
  }

  #isMerge(event: ScalarEvent): boolean {
    return event.style === SCALAR_STYLE.PLAIN && event.tagStart < 0 && scalarText(this.#source, event) === "<<";
  }

  #merge(object: JsonObject, from: Json): void {
    const sources = Array.isArray(from) ? [...from].reverse() : [from];
    for (const source of sources) {
      if (typeof source !== "object" || source === null || Array.isArray(source)) {
        throw new DecodeError("yaml: map merge requires map or sequence of maps as the value");
      }
      for (const key of Object.keys(source)) setKey(object, key, source[key]);
    }
  }

  #scalar(event: ScalarEvent): Resolved {
    const text = scalarText(this.#source, event);
    this.#values += Math.floor(text.length / CHARS_PER_VALUE);
    if (event.tagStart >= 0) {
      const tag = this.#text(event.tagStart, event.tagEnd);
      if (tag !== "!") return resolveTagged(tag, text);
      return text;
    }
    return event.style === SCALAR_STYLE.PLAIN ? resolvePlain(text) : text;
  }

  #finite(value: Resolved): Json {
    if (typeof value === "number" && !Number.isFinite(value)) {
      const name = Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
      throw new DecodeError(`json: unsupported value: ${name}`);
    }
    return value;
  }

  #alias(name: string): Json {
    const anchor = this.#anchors.get(name);
    if (anchor === undefined) throw new DecodeError(`yaml: unknown anchor '${name}' referenced`);
    if (anchor.size === undefined) throw new DecodeError(`yaml: anchor '${name}' value contains itself`);
    this.#values += anchor.size;
    this.#aliased += anchor.size;
    if (this.#aliased > MAX_ALIASED_VALUES) throw new DecodeError("yaml: document contains excessive aliasing");
    return cloneJson(anchor.value);
  }

  #startAnchor(start: number, end: number): Anchor | undefined {
    if (start < 0) return undefined;
    const anchor: Anchor = { value: null, size: undefined };
    this.#anchors.set(this.#text(start, end), anchor);
    return anchor;
  }

  #repeated(event: Event, shown: string): void {
    if (this.repeatedKeys.length >= MAX_DUPLICATES) return;
    const line = lineOf(this.#source, startOf(event));
    this.repeatedKeys.push(`line ${line}: key ${shown} already set in map`);
  }

  #atEnd(): boolean {
    const event = this.#peek();
    if (event === undefined) throw new DecodeError("yaml: unexpected end of document");
    return event.type === EVENT_ID.POP;
  }

  #peek(): Event | undefined {
    return this.#events[this.#at];
  }

  #take(): Event | undefined {
    return this.#events[this.#at++];
  }

  #text(start: number, end: number): string {
    return this.#source.slice(start, end);
  }
}

const MAX_SHOWN_KEY = 256;

/** A value as upstream's language writes it. */
function goSyntax(value: Json | undefined): string {
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (isObject(value)) {
    const members = Object.keys(value).map((key) => `${goQuote(key)}:${goSyntax(value[key])}`);
    return `map[interface {}]interface {}{${members.join(", ")}}`;
  }
  if (value === null || value === undefined) return "interface {}(nil)";
  return typeof value === "string" ? goQuote(value) : String(value);
}

/** Numbers as keys are written in single precision, as upstream does. */
function numberKey(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Number(Math.fround(value).toPrecision(7)));
}

function startOf(event: Event): number {
  if (event.type === EVENT_ID.SCALAR) return event.valueStart;
  return "start" in event ? event.start : 0;
}
